import type { Turn } from '@runwright/contract'
import { describe, expect, test } from 'vitest'
import { compareSearchOf } from './compare-search.ts'
import { sumsOf } from './compared-run.ts'
import { likenessOf, pairTurns } from './pair-turns.ts'
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

describe('turns of two runs', () => {
  const turn = (step_id: string, text: string, reply: object | null = { text: 'Yes.' }): Turn =>
    ({
      ...{ role: 'worker', task_id: `task_${step_id}_${text}`, step_id, outcome: reply ? 'reply' : 'failure', reply },
      messages: [{ from: 'user', text }],
    }) as unknown as Turn

  test('stand side by side by their step and number, those of the right run alone at the end', () => {
    const left = [turn('#0', 'a'), turn('send', 'b')]
    const right = [turn('check', 'c'), turn('send', 'b'), turn('#0', 'a')]
    expect(pairTurns(left, right)).toEqual([
      { name: 'worker · step 1 · turn 1', left: left[0], right: right[2] },
      { name: 'worker · send · turn 1', left: left[1], right: right[1] },
      { name: 'worker · check · turn 1', left: undefined, right: right[0] },
    ])
  })

  test.each([
    ['same', turn('a', 'x'), turn('a', 'x')],
    ['other prompt', turn('a', 'x'), turn('a', 'y', { text: 'No.' })],
    ['other answer', turn('a', 'x'), turn('a', 'x', { text: 'No.' })],
    ['other answer', turn('a', 'x'), turn('a', 'x', null)],
    ['left only', turn('a', 'x'), undefined],
    ['right only', undefined, turn('a', 'x')],
  ])('%s', (likeness, left, right) => {
    expect(likenessOf({ name: '', left, right })).toBe(likeness)
  })

  test('are the same if only the ids of their calls differ', () => {
    const calling = (id: string) => {
      const tool_calls = [{ id, name: 'send', input: {} }]
      const result = { from: 'tool', call_id: id, name: 'send', result: 1, failed: false }
      const messages = [{ from: 'assistant', text: '', tool_calls }, result]
      return { ...turn('a', 'x', { text: '', tool_calls }), messages } as unknown as Turn
    }
    expect(likenessOf({ name: '', left: calling('call_1'), right: calling('call_2') })).toBe('same')
  })
})

test('the URL has ids of runs, a turn, and nothing else', () => {
  expect(compareSearchOf({ left: ' run_1 ', right: 'x', other: 1 })).toEqual({ left: 'run_1' })
  expect(compareSearchOf({ left: 'run_1', turn: 'worker · a · turn 1' })).toMatchObject({ turn: 'worker · a · turn 1' })
})
