import { describe, expect, test } from 'vitest'
import { finish } from '../finish.ts'
import { journalOfFork, keepUpTo, type RunPast } from './fork.ts'
import { type JournalEntry, type journalEntry, type KeptBody, readJournalEntry } from './journal.ts'
import { afterKey, approvalKey, gateKey } from './wait-keys.ts'

const journalOf = (kept: KeptBody): { key: string; body: unknown }[] => JSON.parse(finish(journalOfFork(kept)))

const entry = (...[kind, name, body]: Parameters<typeof journalEntry>): JournalEntry =>
  readJournalEntry(`${kind}:${name}`, body)
const done = (task: string) =>
  entry('done', task, { stepId: task.slice(task.indexOf('/') + 1), kind: 'agent', content: task } as never)
const answer = (waitKey: string, seq: number, action: 'approve' | 'reject' = 'approve') =>
  ({ waitKey, seq, action, payload: null }) as const

interface Told {
  readonly steps?: Record<string, number>
  readonly calls?: Record<string, number>
  readonly replans?: readonly number[]
  readonly answers?: RunPast['answers']
}

const past = (
  entries: readonly JournalEntry[],
  { steps = {}, calls = {}, replans = [], answers = [] }: Told,
): RunPast => ({
  entries: [...Object.keys(steps).map(done), ...entries],
  answers,
  marks: { steps: new Map(Object.entries(steps)), calls: new Map(Object.entries(calls)), replans },
})

const keysOf = (kept: KeptBody | undefined) => kept?.entries.map(({ key }) => key).sort()
const waitsOf = (kept: KeptBody | undefined) => kept?.answers.map(({ waitKey }) => waitKey)

test('a step that has not finished is not found', () => {
  expect(keepUpTo('b', past([], { steps: { '0/a': 4 } }))).toBeUndefined()
  expect(keepUpTo('gate', past([], { answers: [answer(gateKey('0/gate'), 5, 'reject')] }))).toBeUndefined()
  expect(
    keepUpTo('a', past([], { answers: [answer(approvalKey('0/a'), 5), answer(gateKey('0/b/a'), 6)] })),
  ).toBeUndefined()
})

test('what ended after the step is left out, and the seqs count back from its end', () => {
  const kept = keepUpTo('b', past([], { steps: { '0/a': 4, '0/b': 8, '0/c': 12 } }))
  expect(kept?.entries.map(({ key, seq }) => [key, seq])).toEqual([
    ['done:0/a', -4],
    ['done:0/b', 0],
  ])
})

test('unfinished work is left out', () => {
  const entries = [
    ...[entry('fail', '0/a:0', { attempt: 1 }), entry('stop', '0/a', { executing: ['0/b'] })],
    ...[entry('reply', '0/b:0', {} as never), entry('summary', '0/a:3', { text: 's' })],
    ...[entry('resolved', afterKey('0/a'), {}), entry('retry', '0/a:1001', {} as never)],
    entry('sleep', 'call_2', {} as never),
  ]
  expect(keysOf(keepUpTo('a', past(entries, { steps: { '0/a': 4 } })))).toEqual(['done:0/a'])
})

test('calls that had ended are kept with what they brought into the run, and so is what came from outside', () => {
  const entries = [
    ...[entry('call', 'call_1', {} as never), entry('call', 'call_1#2', {} as never)],
    ...[entry('result', 'call_1', {} as never), entry('result', 'call_2', {} as never)],
    ...[entry('touch', 'memory', {} as never), entry('file', '0', {} as never), entry('agents', 'run', {} as never)],
  ]
  const kept = keepUpTo('a', past(entries, { steps: { '0/a': 4 }, calls: { call_1: 3, call_2: 6 } }))
  const own = ['call:call_1', 'call:call_1#2', 'done:0/a', 'result:call_1']
  expect(keysOf(kept)).toEqual(['agents:run', ...own.slice(0, 3), 'file:0', own[3], 'touch:memory'])
})

test('the grade of a step is left out: the fork may have another rubric', () => {
  const graded = { stepId: 'a', kind: 'agent', content: 'x', grade: { passed: true } }
  const kept = keepUpTo('a', past([entry('done', '0/a', graded as never)], { steps: { '0/a': 4 } }))
  const bodies = kept?.entries.filter(({ key }) => key === 'done:0/a').map(({ body }) => body)
  expect(bodies?.at(-1)).toEqual({ stepId: 'a', kind: 'agent', content: 'x' })
})

describe('plans', () => {
  const plans = [
    ...[entry('plan', '1', {} as never), entry('plan', '2', {} as never)],
    ...[entry('replan', '2', { reason: 'r' }), entry('replan', '3', {}), entry('unplanned', '3', {})],
  ]
  const steps = { '1/planner': 4, '1/a': 8, '2/planner': 12, '2/a': 16, '3/planner': 20, '3/#0': 24 }
  const told = { steps, replans: [8, 16] }

  test.each([
    ['planner', ['plan:1', 'plan:2', 'replan:2', 'replan:3', 'unplanned:3']],
    ['#0', ['plan:1', 'plan:2', 'replan:2', 'replan:3', 'unplanned:3']],
    // The decision to plan again came with the end of the step.
    ['a', ['plan:1', 'plan:2', 'replan:2', 'replan:3']],
  ])('up to the one in force when %s last ended', (stepId, expected) => {
    expect(
      keysOf(keepUpTo(stepId, past(plans, told)))?.filter((key) => key.includes('plan') && !key.startsWith('done')),
    ).toEqual(expected)
  })

  test('statements read them and the agents, so they are entries of the fork, too', () => {
    const kept = keepUpTo(
      'planner',
      past([...plans.slice(0, 1), entry('agents', 'run', {} as never)], { steps: { '1/planner': 4 } }),
    )
    expect(
      journalOf(kept as KeptBody)
        .map(({ key }) => key)
        .sort(),
    ).toEqual(['agents:run', 'kept:run', 'plan:1'])
  })
})

describe('answers', () => {
  const answers = [answer(gateKey('0/gate'), 6), answer(afterKey('0/a'), 10), answer(approvalKey('0/b'), 12)]

  test('before the end of the step are kept, and a gate is a step', () => {
    const told = { steps: { '0/a': 4, '0/b': 16 }, answers }
    expect(waitsOf(keepUpTo('a', past([], told)))).toEqual([])
    expect(waitsOf(keepUpTo('gate', past([], told)))).toEqual([gateKey('0/gate')])
    expect(waitsOf(keepUpTo('b', past([], told)))).toEqual(answers.map(({ waitKey }) => waitKey))
  })

  test('that allowed a step which is executed again are left out', () => {
    expect(waitsOf(keepUpTo('c', past([], { steps: { '0/a': 4, '0/c': 14, '0/b': 16 }, answers })))).toEqual([
      gateKey('0/gate'),
      afterKey('0/a'),
    ])
  })
})

test('a fork of a fork keeps what that one kept, up to one of its steps', () => {
  const first = keepUpTo('b', past([entry('replan', '1', {})], { steps: { '0/a': 4, '0/b': 8 }, replans: [4] }))
  const journal = journalOf(first as KeptBody).map(({ key, body }) => readJournalEntry(key, body))
  const fork = past([...journal, entry('replan', '2', {})], { steps: { '1/c': 5, '1/d': 9 }, replans: [9] })
  expect(keysOf(keepUpTo('d', fork))).toEqual(['done:0/a', 'done:0/b', 'done:1/c', 'done:1/d', 'replan:1', 'replan:2'])
  expect(keysOf(keepUpTo('c', fork))).toEqual(['done:0/a', 'done:0/b', 'done:1/c', 'replan:1'])
  expect(keepUpTo('a', fork)?.entries.map(({ key, seq }) => [key, seq])).toEqual([
    ['done:0/a', 0],
    ['replan:1', 0],
  ])
})
