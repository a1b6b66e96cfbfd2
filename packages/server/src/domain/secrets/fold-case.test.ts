import { expect, test } from 'vitest'
import { foldCase } from './fold-case.ts'

test('upper and lower case of a text become the same', () => {
  for (const text of ['Hunter2', 'ÉTÉ', 'Σίσυφος', 'Иван', '%C3%a9']) {
    expect(foldCase(text.toUpperCase())).toBe(foldCase(text.toLowerCase()))
  }
})

test('no character changes the length of a text, alone or at the end of a word', () => {
  const changed: string[] = []
  for (let code = 0; code <= 0x10ffff; code += 1) {
    const text = String.fromCodePoint(code)
    if (foldCase(`${text}a ${text}`).length !== text.length * 2 + 2) changed.push(text)
  }
  expect(changed).toEqual([])
})

test('a part of a text folds as the part of the folded text', () => {
  const text = 'ΟΔΥΣΣΕΥΣ ΣΊΣΥΦΟΣ'
  for (let end = 1; end <= text.length; end += 1) {
    expect(foldCase(text.slice(0, end))).toBe(foldCase(text).slice(0, end))
  }
})
