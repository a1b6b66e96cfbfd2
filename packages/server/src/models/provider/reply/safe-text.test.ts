import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TextRepair } from './safe-text.ts'

function repair(...pieces: string[]): string[] {
  const text = new TextRepair()
  return [...pieces.map((piece) => text.push(piece)), text.end()]
}

test.each([
  ['plain text as it is', ['plain'], ['plain', '']],
  ['a whole pair as it is', ['😀'], ['😀', '']],
  ['a split pair made whole', ['a\uD83D', '\uDE00b'], ['a', '😀b', '']],
  ['a first half without its second', ['a\uD83D', 'b'], ['a', '\uFFFDb', '']],
  ['a first half at the very end', ['a\uD83D'], ['a', '\uFFFD']],
  ['two first halves', ['\uD83D', '\uD83D', '\uDE00'], ['', '\uFFFD', '😀', '']],
  ['a second half without its first', ['\uDE00'], ['\uFFFD', '']],
  ['U+0000', ['a\0b'], ['a\uFFFDb', '']],
])('%s', (_, pieces, expected) => {
  expect(repair(...pieces)).toEqual(expected)
})

test('the result does not depend on how the text is cut', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(), (text, at) => {
      const cut = at % (text.length + 1)
      const pieces = repair(text.slice(0, cut), text.slice(cut))
      return pieces.join('') === text.replaceAll('\0', '\uFFFD')
    }),
  )
})
