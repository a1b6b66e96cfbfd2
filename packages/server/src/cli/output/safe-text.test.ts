import { expect, test } from 'vitest'
import { safeJson, safeLine, safeOutput, safeText, shortLine } from './safe-text.ts'
import { styleFor } from './style.ts'

test.each([
  ['a colour', '\u001b[31mred', '\\u{1b}[31mred'],
  ['a title', '\u001b]0;owned\u0007', '\\u{1b}]0;owned\\u{7}'],
  ['an escape in one byte', '\u009b2J', '\\u{9b}2J'],
  ['a carriage return that overwrites the line', 'pay 1000\rpay 1', 'pay 1000\\u{d}pay 1'],
  ['a backspace', 'ab\b', 'ab\\u{8}'],
  ['an order of letters that deceives', '\u202efdp.exe', '\\u{202e}fdp.exe'],
  ['letters that nobody sees', 'a\u200bb\u{e0041}\u{e0101}', 'a\\u{200b}b\\u{e0041}\\u{e0101}'],
  ['half a character', '\ud83d', '\\u{d83d}'],
])('%s is shown, not executed', (_what, text, shown) => {
  expect(safeText(text)).toBe(shown)
})

test('lines, tabs, emoji and other languages stay', () => {
  const text = 'a\tb\nc 👩‍🚀 می‌خواهم Ünïcödé 你好'
  expect(safeText(text)).toBe(text)
  expect(safeText('a\r\nb')).toBe('a\nb')
})

test('a line has no line breaks, and a short one no more characters than asked for', () => {
  expect(safeLine(' a\n\tb ')).toBe('a b')
  expect([shortLine('👍👍👍', 3), shortLine('👍👍👍👍', 3)]).toEqual(['👍👍👍', '👍👍…'])
})

test('the last look keeps the colours of the command, and escapes everything else', () => {
  const { red, dim } = styleFor(true)
  expect(safeOutput(`${red('no')}\u001b[8m${dim('a\u202eb')}\r\u001b[2K\u009b1m`)).toBe(
    `${red('no')}\\u{1b}[8m${dim('a\\u{202e}b')}\\u{d}\\u{1b}[2K\\u{9b}1m`,
  )
})

test('JSON keeps its meaning', () => {
  const value = { text: 'a\u009b\u202e\u{e0041}b' }
  const shown = safeJson(JSON.stringify(value, null, 2))
  expect(shown).toMatch(/^[\n\x20-\x7e]+$/)
  expect(JSON.parse(shown)).toEqual(value)
})
