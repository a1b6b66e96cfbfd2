// How much a read of the steps of runs looks at, however long their logs are.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { newRun } from '../../../test/support/new-run.ts'
import { RunCreator } from '../run-log/run-creator.ts'
import { findStepFacts, maxStepEvents } from './step-facts.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

const createdRun = async (): Promise<string> => {
  const run = newRun()
  await new RunCreator(fresh.database, () => undefined).create(run)
  return run.id
}

interface Logged {
  readonly seq: number
  readonly type: string
  readonly task: string
}

const addEvents = (runId: string, events: readonly Logged[]) =>
  fresh.database.query({
    text: `
insert into event_rows (customer_id, run_id, seq, attempt, type, terminal, redacted, at, payload)
select 'acme', $1, e.seq, 1, e.type, false, false, to_timestamp(e.seq),
  json_build_object('task_id', e.task, 'outcome', 'succeeded', 'content', 'The text of ' || e.task)
from json_to_recordset($2) as e (seq integer, type text, task text)`,
    values: [runId, JSON.stringify(events)],
  })

const done = (seq: number, task: string): Logged => ({ seq, type: 'step.done', task })
const piece = (seq: number, task: string): Logged => ({ seq, type: 'step.progress', task })

const factsOf = async (id: string) => (await findStepFacts(fresh.database, 'acme', [id])).get(id)

test('of the pieces of a step only the first one is read, and its end', async () => {
  const id = await createdRun()
  await addEvents(id, [...[2, 3, 4, 5].map((seq) => piece(seq, 'a')), done(6, 'a'), done(7, 'b')])
  const facts = await factsOf(id)
  expect([...(facts?.begins ?? [])]).toEqual([
    ['a', new Date(2_000)],
    ['b', new Date(7_000)],
  ])
  expect(facts?.ends.map(({ taskId, content }) => [taskId, content])).toEqual([
    ['a', 'The text of a'],
    ['b', 'The text of b'],
  ])
})

test('only the newest events of a long run are looked at', async () => {
  const id = await createdRun()
  const pieces = Array.from({ length: maxStepEvents - 1 }, (_, n) => piece(n + 4, 'b'))
  await addEvents(id, [done(2, 'before'), done(3, 'a'), ...pieces])
  expect((await factsOf(id))?.ends.map(({ taskId }) => taskId)).toEqual(['a'])
})

test('another customer reads nothing', async () => {
  const id = await createdRun()
  await addEvents(id, [done(2, 'a')])
  expect((await findStepFacts(fresh.database, 'globex', [id])).size).toBe(0)
})
