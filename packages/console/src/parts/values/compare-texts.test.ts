import { expect, test } from 'vitest'
import { compareTexts } from './compare-texts.ts'

test('one line is compared by words', () => {
  expect(compareTexts('Pay 100 EUR to Ada', 'Pay 900 EUR to Ada')).toEqual([
    { kind: 'same', text: 'Pay ' },
    { kind: 'removed', text: '100' },
    { kind: 'added', text: '900' },
    { kind: 'same', text: ' EUR to Ada' },
  ])
})

test('more lines are compared by lines', () => {
  expect(compareTexts('a\nb\nc\n', 'a\nB\nc\n')).toEqual([
    { kind: 'same', text: 'a\n' },
    { kind: 'removed', text: 'b\n' },
    { kind: 'added', text: 'B\n' },
    { kind: 'same', text: 'c\n' },
  ])
})

test('nothing is lost, also if the texts are too different to be compared in time', () => {
  const before = Array.from({ length: 20_000 }, (_, n) => `${(n * 7919) % 10_007}\n`).join('')
  const after = Array.from({ length: 20_000 }, (_, n) => `${(n * 104_729) % 10_009}\n`).join('')
  const started = performance.now()
  const parts = compareTexts(before, after)
  expect(performance.now() - started).toBeLessThan(3_000)
  const textOf = (kind: string) =>
    parts
      .filter((part) => part.kind === 'same' || part.kind === kind)
      .map(({ text }) => text)
      .join('')
  expect(textOf('removed')).toBe(before)
  expect(textOf('added')).toBe(after)
})
