import { expect, test } from 'vitest'
import { blocksOf, mostLetters, mostLines } from './text-blocks.ts'

const textsOf = (text: string) =>
  blocksOf([{ kind: 'same', text }]).map((block) => block.map((part) => part.text).join(''))

test.each([
  ['words', 'Pay the invoice of Oakline. '.repeat(4_000)],
  ['a text without a space', 'x'.repeat(100_000)],
  ['lines', 'a\n'.repeat(5_000)],
  ['empty lines', '\n'.repeat(5_000)],
  ['letters of two units', `a${'😀'.repeat(5_000)}`],
])('of %s, each block is short, and together they are the text', (_what, text) => {
  const blocks = textsOf(text)
  expect(blocks.join('')).toBe(text)
  for (const block of blocks) {
    expect(block.length).toBeLessThanOrEqual(mostLetters)
    expect(block.split('\n').length - 1).toBeLessThanOrEqual(mostLines)
    expect(block).not.toMatch(/^[\uDC00-\uDFFF]/)
    expect(block.length).toBeGreaterThan(0)
  }
})

test('words stay whole', () => {
  for (const block of textsOf('Pay the invoice. '.repeat(1_000)).slice(0, -1)) expect(block).toMatch(/ $/)
})

test('a short text is one block, and an empty one none', () => {
  expect(textsOf('Pay it.')).toEqual(['Pay it.'])
  expect(textsOf('')).toEqual([])
})

test('short parts of a comparison share a block, long ones are cut', () => {
  const blocks = blocksOf([
    { kind: 'same', text: 'Pay within ' },
    { kind: 'removed', text: '30' },
    { kind: 'added', text: '3' },
    { kind: 'same', text: ' days.'.repeat(200) },
  ])
  expect(blocks[0]?.map(({ kind }) => kind)).toEqual(['same', 'removed', 'added', 'same'])
  expect(blocks.length).toBe(4)
})
