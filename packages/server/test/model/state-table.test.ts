// Plays random sequences of triggers against real runs: the table of states and the database must agree on every one.
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunState, type RunTrigger, runTriggers, targetOf, transitions } from '../../src/domain/run/states.ts'
import type { RunChange } from '../../src/store/run-log/run-change.ts'
import { RunCreator } from '../../src/store/run-log/run-creator.ts'
import { RunLog } from '../../src/store/run-log/run-log.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { newRun } from '../support/new-run.ts'

let fresh: FreshDatabase
let log: RunLog
let creator: RunCreator
beforeAll(async () => {
  fresh = await freshDatabase()
  log = new RunLog(fresh.open(2), () => undefined)
  creator = new RunCreator(fresh.open(2), () => undefined)
})
afterAll(() => fresh.drop())

const worker = randomUUID()
const sequenceCount = 10_000
const atOnce = 500

/** What each target needs besides its name. */
function stateOf(trigger: RunTrigger): Partial<RunChange> {
  const to = targetOf(trigger)
  if (to === 'awaiting_input')
    return { wait: { key: 'w', reasonCode: 'r', inputKind: null, prompt: null, timeoutMs: 60_000 } }
  if (to === 'running' && trigger !== 'hand_over') return { lease: { workerId: worker, ms: 60_000 } }
  return to === 'queued' || to === 'running' ? { readyInMs: 0 } : {}
}

const changeFor = (runId: string, trigger: RunTrigger): RunChange => ({
  runId,
  customerId: 'acme',
  epoch: null,
  trigger,
  ...stateOf(trigger),
  startsAttempt: trigger === 'retry',
  events: [{ type: 'step.progress', payload: { kind: trigger } }],
})

/** What the table says: the states that a sequence passes through, refused triggers changing nothing. */
function predict(triggers: readonly RunTrigger[]): { states: RunState[]; applied: number } {
  const states: RunState[] = ['queued']
  let applied = 0
  for (const trigger of triggers) {
    const now = states.at(-1) as RunState
    const next = transitions[now][trigger]
    applied += next === null ? 0 : 1
    states.push(next === null || next === 'same' ? now : next)
  }
  return { states, applied }
}

async function play(triggers: readonly RunTrigger[]): Promise<{ states: RunState[]; applied: number }> {
  const run = newRun()
  await creator.create(run)
  const states: RunState[] = ['queued']
  let applied = 0
  for (const trigger of triggers) {
    const outcome = await log.apply(changeFor(run.id, trigger))
    expect(outcome.was).toBe(states.at(-1))
    const isApplied = outcome.outcome === 'applied'
    applied += isApplied ? 1 : 0
    states.push((isApplied ? targetOf(trigger) : undefined) ?? (states.at(-1) as RunState))
  }
  return { states, applied }
}

test('ten thousand random sequences go through the states that the table says', async () => {
  const sequences = fc.sample(fc.array(fc.constantFrom(...runTriggers), { minLength: 1, maxLength: 6 }), sequenceCount)
  for (let start = 0; start < sequences.length; start += atOnce) {
    const batch = sequences.slice(start, start + atOnce)
    const played = await Promise.all(batch.map(play))
    expect(played).toEqual(batch.map(predict))
  }
  const [row] = await fresh.database.query<{ wrong: number }>({
    text: 'select count(*) as wrong from runs r where r.next_seq - 1 <> (select count(*) from events e where e.run_id = r.id)',
  })
  expect(row?.wrong).toBe(0)
}, 120_000)
