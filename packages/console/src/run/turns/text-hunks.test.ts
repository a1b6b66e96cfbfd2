import { expect, test } from 'vitest'
import { textHunks } from './text-hunks.ts'

const lines = (count: number) => Array.from({ length: count }, (_, n) => `line ${n}\n`).join('')

test('a change in a long text is shown with what is near it', () => {
  const start = lines(10_000)
  const [gap, hunk, rest, ...more] = textHunks(`${start}old\n${start}`, `${start}new\n${start}`)
  expect(gap).toBe(start.length - 200)
  expect(hunk).toEqual({
    before: `${start.slice(-200)}old\n${start.slice(0, 200)}`,
    after: `${start.slice(-200)}new\n${start.slice(0, 200)}`,
  })
  expect(rest).toBe(start.length - 200)
  expect(more).toEqual([])
})

test('changes that are near stand together, and short texts are whole', () => {
  const [before, after] = ['a\nold\nb\nold\nc\n', 'a\nnew\nb\nnew\nc\n']
  expect(textHunks(before, after)).toEqual([{ before, after }])
})

test('texts of a million characters that have nothing in common are many short hunks, which lose nothing', () => {
  const [before, after] = ['x\n'.repeat(500_000), 'y\n'.repeat(500_000)]
  const hunks = textHunks(before, after).filter((one) => typeof one !== 'number')
  expect(hunks.map((hunk) => hunk.before).join('')).toBe(before)
  expect(hunks.map((hunk) => hunk.after).join('')).toBe(after)
  expect(Math.max(...hunks.map((hunk) => hunk.before.length + hunk.after.length))).toBeLessThanOrEqual(8_400)
})
