import type { Turn } from '@runwright/contract'
import { expect, test } from 'vitest'
import { compareSearchOf } from './compare-search.ts'
import { sumsOf } from './compared-run.ts'
import { diffOf, maxDiffLength } from './text-diff.ts'

test('a difference shows the changed lines with some around them, and leaves out the rest', () => {
  const lines = Array.from({ length: 20 }, (_, n) => `line ${n}`)
  const changed = lines.with(10, 'other')
  expect(diffOf(lines.join('\n'), changed.join('\n'))).toEqual([
    { kind: 'gap', text: '…' },
    ...[7, 8, 9].map((n) => ({ kind: 'same', text: `line ${n}` })),
    { kind: 'left', text: 'line 10' },
    { kind: 'right', text: 'other' },
    ...[11, 12, 13].map((n) => ({ kind: 'same', text: `line ${n}` })),
    { kind: 'gap', text: '…' },
  ])
})

test('texts that are too long or too different have no difference', () => {
  expect(diffOf('a'.repeat(maxDiffLength), 'b')).toBeUndefined()
  const left = Array.from({ length: 3_000 }, (_, n) => `l${n}`).join('\n')
  const right = Array.from({ length: 3_000 }, (_, n) => `r${n}`).join('\n')
  expect(diffOf(left, right)).toBeUndefined()
})

test('turns are summed up', () => {
  const turn = (model: string, outcome: string, input: number) =>
    ({ model, outcome, usage: { total: input + 1, input, output: 1 }, duration_ms: 10 }) as Turn
  expect(sumsOf([turn('b', 'reply', 5), turn('a', 'failure', 7), { ...turn('a', 'failure', 0), usage: null }])).toEqual(
    {
      calls: 3,
      failed: 2,
      input: 12,
      output: 2,
      models: ['a', 'b'],
      modelMs: 30,
      isCut: false,
    },
  )
})

test('the URL has ids of runs and nothing else', () => {
  expect(compareSearchOf({ left: ' run_1 ', right: 'x' })).toEqual({ left: 'run_1' })
})
