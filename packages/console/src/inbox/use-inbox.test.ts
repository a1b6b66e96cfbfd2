import { expect, test } from 'vitest'
import { entriesOf } from './use-inbox.ts'
import type { WaitingRun } from './waiting-runs.ts'

const wait = (id: string, seq: number, minute = seq) =>
  ({ id, awaiting_input: { seq, since: `2026-11-17T10:0${minute}:00.000Z` } }) as WaitingRun

const [first, second, third] = [wait('run_a', 1), wait('run_b', 2), wait('run_c', 3)] as const
const shownOf = (entries: ReturnType<typeof entriesOf>) => entries.map(({ run, state }) => [run.id, state])

test('what somebody else answers stays in its place while it is shown', () => {
  const entries = entriesOf({ waiting: [first, third], answered: new Set(), shown: second })
  expect(shownOf(entries)).toEqual([
    ['run_a', 'waiting'],
    ['run_b', 'over'],
    ['run_c', 'waiting'],
  ])
})

test('what was answered here leaves the list with the next choice, before the service has said so', () => {
  const answered = new Set(['run_b:2'])
  const waiting = [first, second, third]
  expect(shownOf(entriesOf({ waiting, answered, shown: second }))[1]).toEqual(['run_b', 'answered here'])
  expect(shownOf(entriesOf({ waiting, answered, shown: first }))).toEqual([
    ['run_a', 'waiting'],
    ['run_c', 'waiting'],
  ])
})

test('what was only counted still waits, also where the list has only what is left to decide', () => {
  const state = { answered: new Set<string>(), counted: new Set(['run_b:2']), shown: second }
  expect(shownOf(entriesOf({ ...state, waiting: [first, second] }))[1]).toEqual(['run_b', 'counted'])
  expect(shownOf(entriesOf({ ...state, waiting: [first] }))[1]).toEqual(['run_b', 'over'])
  expect(shownOf(entriesOf({ ...state, waiting: [first], isOwn: true }))[1]).toEqual(['run_b', 'counted'])
})

test('the next question of the same run is another entry', () => {
  const again = wait('run_a', 5)
  const entries = entriesOf({ waiting: [again], answered: new Set(['run_a:1']), shown: first })
  expect(entries).toEqual([
    { run: first, state: 'answered here' },
    { run: again, state: 'waiting' },
  ])
})
