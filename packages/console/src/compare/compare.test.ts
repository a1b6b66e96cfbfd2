import type { Runwright } from '@runwright/client'
import type { Turn } from '@runwright/contract'
import { describe, expect, test } from 'vitest'
import { compareSearchOf } from './compare-search.ts'
import { readCompared, sumsOf } from './compared-run.ts'
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
    },
  )
})

test.each([
  ['has more turns than were read, also if the page ended early', 3, true],
  ['was read to its end', 2, false],
  ['has no turns', 0, false],
])('a run %s', async (_, count, isCut) => {
  const all = Array.from({ length: count }, () => ({ usage: null }) as Turn)
  // A page ends early when it has too many bytes.
  const turns = (_id: string, { after = 0, limit = 0 }) => {
    const page = all.slice(after, after + Math.min(limit, 2))
    return { turns: page, next_after: after + page.length }
  }
  const client = { runs: { get: () => ({}), turns } } as unknown as Runwright
  const compared = await readCompared(client, 'run_1', new AbortController().signal)
  expect(compared).toMatchObject({ turns: all.slice(0, 2), isCut })
})

describe('turns of two runs', () => {
  const turn = (step_id: string, text: string, reply: object | null = { text: 'Yes.' }): Turn =>
    ({
      ...{ role: 'worker', task_id: `task_${step_id}_${text}`, step_id, outcome: reply ? 'reply' : 'failure' },
      reply: reply && { text: '', tool_calls: [], ...reply },
      messages: [{ from: 'user', text }],
    }) as unknown as Turn

  const whole = (...turns: Turn[]) => ({ turns, isCut: false })

  test('stand side by side by their step and number, those of the right run alone at the end', () => {
    const left = [turn('#0', 'a'), turn('send', 'b')]
    const right = [turn('check', 'c'), turn('send', 'b'), turn('#0', 'a')]
    expect(pairTurns(whole(...left), whole(...right))).toMatchObject([
      { name: 'worker · step 1 · turn 1', left: left[0], right: right[2] },
      { name: 'worker · send · turn 1', left: left[1], right: right[1] },
      { name: 'worker · check · turn 1', left: undefined, right: right[0] },
    ])
  })

  test('of a step that began again under another plan stand apart, and none is lost', () => {
    const planned = (text: string): Turn => ({ ...turn('planner', text), role: 'planner' })
    const [first, second] = [planned('plan'), planned('plan again')]
    const [sent, sentAgain] = [turn('send', 'to a'), turn('send', 'to b')]
    const repair = { ...first, messages: [] }
    const pairs = pairTurns(whole(first, sent, second, sentAgain), whole(first, repair, sent))
    expect(pairs).toMatchObject([
      { name: 'planner · planner · turn 1', left: first, right: first },
      { name: 'worker · send · turn 1', left: sent, right: sent },
      { name: 'planner · planner · turn 1 of round 2', left: second, right: undefined },
      { name: 'worker · send · turn 1 of round 2', left: sentAgain, right: undefined },
      { name: 'planner · planner · turn 2', left: undefined, right: repair },
    ])
  })

  const one = turn('a', 'x')
  const failed = (reason_code: string, message: string) =>
    ({ ...turn('a', 'x', null), failure: { reason_code, message } }) as Turn

  test.each([
    ['same', one, turn('a', 'x')],
    ['other prompt', one, turn('a', 'y', { text: 'No.' })],
    ['other answer', one, turn('a', 'x', { text: 'No.' })],
    ['other answer', one, turn('a', 'x', null)],
    ['same', failed('provider_rate_limited', 'Wait.'), failed('provider_rate_limited', 'Wait.')],
    ['other answer', failed('provider_rate_limited', 'Wait.'), failed('context_exceeded', 'Wait.')],
    ['other answer', failed('provider_error', 'Wait.'), failed('provider_error', 'No.')],
    ['left only', one, undefined],
    ['right only', undefined, one],
  ])('%s', (likeness, left, right) => {
    expect(likenessOf({ name: '', left, right, isUnread: false })).toBe(likeness)
  })

  test.each([
    ['left only', [one], { turns: [], isCut: false }],
    ['not compared', [one], { turns: [], isCut: true }],
    ['same', [one], { turns: [one], isCut: true }],
    ['right only', [], { turns: [one], isCut: true }],
  ])('%s, when only some turns of the right run were read', (likeness, left, right) => {
    expect(pairTurns(whole(...left), right).map(likenessOf)).toEqual([likeness])
  })

  describe('compare all but the ids that models give to their calls', () => {
    const calling = (id: string, { input = {}, result = 1 }: { input?: unknown; result?: unknown } = {}) => {
      const tool_calls = [{ id, name: 'send', input }]
      const answer = { from: 'tool', call_id: id, name: 'send', result, failed: false }
      const messages = [{ from: 'assistant', text: '', tool_calls }, answer]
      return { ...turn('a', 'x', { text: '', tool_calls }), messages } as unknown as Turn
    }
    const likeness = (left: Turn, right: Turn) => likenessOf({ name: '', left, right, isUnread: false })

    test('which may differ', () => {
      expect(likeness(calling('call_1'), calling('call_2'))).toBe('same')
    })

    test.each([
      ['arguments', calling('call_1', { input: { id: 'cust_1' } }), calling('call_1', { input: { id: 'cust_2' } })],
      ['results', calling('call_1', { result: [{ id: 'o_1' }] }), calling('call_1', { result: [{ id: 'o_2' }] })],
      ['results', calling('call_1', { result: { call_id: 1 } }), calling('call_1', { result: { call_id: 2 } })],
    ])('not ids in %s of a prompt', (_, left, right) => {
      expect(likeness(left, right)).toBe('other prompt')
    })

    test.each([
      ['arguments', { tool_calls: [{ id: 'call_1', name: 'get', input: { id: 1 } }] }],
      ['an output', { tool_calls: [], output: { id: 1 } }],
    ])('not ids in %s of a reply', (_, reply) => {
      const other = JSON.parse(JSON.stringify(reply).replace('"id":1', '"id":2'))
      expect(likeness(turn('a', 'x', reply), turn('a', 'x', other))).toBe('other answer')
    })
  })
})

test('the URL has ids of runs, a turn, and nothing else', () => {
  expect(compareSearchOf({ left: ' run_1 ', right: 'x', other: 1 })).toEqual({ left: 'run_1' })
  expect(compareSearchOf({ left: 'run_1', turn: 'worker · a · turn 1' })).toMatchObject({ turn: 'worker · a · turn 1' })
})
