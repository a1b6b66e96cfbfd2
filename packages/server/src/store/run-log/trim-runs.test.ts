import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { newRun } from '../../../test/support/new-run.ts'
import type { JournalKind } from '../../domain/run/journal.ts'
import { findEvents, findNewEvents } from '../runs/events.ts'
import type { RunKey } from '../runs/run-key.ts'
import type { NewEvent } from './run-change.ts'
import { RunCreator } from './run-creator.ts'
import { RunLog } from './run-log.ts'
import { trimEndedRuns } from './trim-runs.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
beforeEach(async () => {
  await fresh.database.run({
    text: 'truncate runs, run_inputs, event_rows, journal, trimmed_runs; truncate customers cascade',
  })
  await fresh.database.run({ text: "insert into customers (id) values ('acme'), ('globex')" })
})
afterAll(() => fresh.drop())

const piece = (taskId: string, text: string): NewEvent => ({
  type: 'step.progress',
  payload: { task_id: taskId, kind: 'content_delta', content_delta: text, request_id: 'req_test' },
})
const pieces = (taskId: string, count: number) =>
  Array.from({ length: count }, (_, n) => piece(taskId, `piece ${n} of ${taskId} `))
const done = (taskId: string): NewEvent => ({
  type: 'step.done',
  payload: { task_id: taskId, content: 'The whole text.', outcome: 'succeeded', request_id: 'req_test' },
})
const toolCall = (taskId: string): NewEvent => ({
  type: 'step.progress',
  payload: { task_id: taskId, kind: 'tool_call_start', tool_name: 'calculator' },
})
/** What becomes of each kind of entry when a run that succeeded is trimmed. */
const fates = {
  ...{ agents: 'kept', plan: 'kept', carried: 'kept', file: 'kept', touch: 'kept', search: 'kept', result: 'kept' },
  ...{ kept: 'kept', done: 'trimmed', fail: 'trimmed', reply: 'trimmed', grade: 'trimmed', revise: 'trimmed' },
  ...{ retry: 'trimmed', summary: 'trimmed', call: 'trimmed', try: 'trimmed', sleep: 'trimmed', next: 'trimmed' },
  ...{ unplanned: 'trimmed', replan: 'trimmed', broken: 'trimmed', stop: 'trimmed', await: 'trimmed' },
  resolved: 'trimmed',
} as const satisfies Readonly<Record<JournalKind, 'kept' | 'trimmed'>>
const kinds = Object.keys(fates)
const kept = Object.entries(fates).flatMap(([kind, fate]) => (fate === 'kept' ? [kind] : []))

interface Ended {
  readonly customerId?: string
  readonly state?: string
  readonly hoursAgo?: number
  readonly events?: readonly NewEvent[]
}

/** A run with these events and one journal entry of each kind. */
async function endedRun({ customerId = 'acme', state = 'succeeded', hoursAgo = 25, events = [] }: Ended = {}) {
  const run = newRun({ customerId })
  await new RunCreator(fresh.database, () => undefined).create(run)
  const change = { runId: run.id, customerId, epoch: null, trigger: 'meter' } as const
  const journal = kinds.map((kind) => ({ key: `${kind}:0/#0`, body: { kind } }))
  await new RunLog(fresh.database, () => undefined).apply({ ...change, events, journal })
  await end(run, state, hoursAgo)
  return run
}

const end = (run: RunKey, state: string, hoursAgo: number) =>
  fresh.database.run({
    text: `
update runs
set state = $2::text,
  ready_at = case when $2::text = 'queued' then updated_at end,
  created_at = created_at - interval '99 hours',
  updated_at = updated_at - $3 * interval '1 hour'
where id = $1`,
    values: [run.id, state, hoursAgo],
  })

const trim = () => trimEndedRuns(fresh.database, { hours: 24, atMost: 100 })
const allEvents = async (run: RunKey) => (await findEvents(fresh.database, run, { after: 0, limit: 1_000 })) ?? []
const countRows = async () => (await fresh.database.run({ text: 'select from event_rows' })).length
const journalOf = async ({ id }: RunKey) => {
  const text = 'select key from journal where run_id = $1'
  return (await fresh.database.run<{ key: string }>({ text, values: [id] })).map(({ key }) => key.split(':')[0])
}

describe('the journal', () => {
  test.each(['succeeded', 'cancelled'])('of a run that %s keeps only what is read later', async (state) => {
    const run = await endedRun({ state })
    expect(await trim()).toBe(1)
    expect((await journalOf(run)).toSorted()).toEqual(kept.toSorted())
  })

  test('of a failed run stays whole, because the run can be retried', async () => {
    const run = await endedRun({ state: 'failed' })
    expect(await trim()).toBe(1)
    expect(await journalOf(run)).toHaveLength(kinds.length)
  })

  test('of a run that ended less than a day ago stays whole', async () => {
    const run = await endedRun({ hoursAgo: 23 })
    expect(await trim()).toBe(0)
    expect(await journalOf(run)).toHaveLength(kinds.length)
  })
})

describe('the order', () => {
  test('a run that has not ended holds back later runs of its customer only, and is not passed over', async () => {
    const open = await endedRun({ state: 'queued', hoursAgo: 30 })
    const later = await endedRun()
    const other = await endedRun({ customerId: 'globex' })
    expect(await trim()).toBe(1)
    expect([(await journalOf(later)).length, (await journalOf(other)).length]).toEqual([kinds.length, kept.length])
    await end(open, 'cancelled', 0)
    expect(await trim()).toBe(2)
    expect([(await journalOf(open)).length, (await journalOf(later)).length]).toEqual([kept.length, kept.length])
  })

  test('each run is trimmed once, in batches', async () => {
    for (let n = 0; n < 5; n += 1) await endedRun({ customerId: n % 2 === 0 ? 'acme' : 'globex' })
    const inBatches = async () => trimEndedRuns(fresh.database, { hours: 24, atMost: 2 })
    const trimmed = [await inBatches(), await inBatches(), await inBatches(), await inBatches()]
    expect(trimmed).toEqual([2, 2, 1, 0])
    expect(await fresh.database.run({ text: "select from journal where key like 'done:%'" })).toEqual([])
  })
})

describe('streamed text', () => {
  const events = [
    ...pieces('a', 130),
    toolCall('a'),
    ...pieces('a', 3),
    ...[piece('b', 'b1'), piece('a', 'a1'), piece('b', 'b2')],
    done('a'),
    ...pieces('a', 1),
    ...pieces('b', 2),
    done('b'),
    // A step that broke off.
    ...pieces('c', 4),
    // Pieces that are large stay on their own.
    ...[piece('c', 'x'.repeat(2_000)), piece('c', 'y'.repeat(2_000))],
  ]
  const isPiece = ({ payload }: { readonly payload: string }) => payload.includes('content_delta')

  /** What a client shows that appends each `content_delta` of a step. */
  const textOf = (all: readonly { readonly payload: string }[], task: string) =>
    all
      .map(({ payload }) => JSON.parse(payload))
      .filter(({ task_id, kind }) => task_id === task && kind === 'content_delta')
      .map(({ content_delta }) => content_delta)
      .join('')

  test('is folded into few rows and reads the same, and every other event stays as it is', async () => {
    const run = await endedRun({ events })
    const before = await allEvents(run)
    await trim()
    const after = await allEvents(run)
    expect(after.map(({ seq }) => seq)).toEqual(before.map(({ seq }) => seq))
    expect(after.map(({ type }) => type)).toEqual(before.map(({ type }) => type))
    expect(after.filter((event) => !isPiece(event))).toEqual(before.filter((event) => !isPiece(event)))
    for (const task of ['a', 'b', 'c']) expect(textOf(after, task)).toBe(textOf(before, task))
    expect(after.slice(1, 51).map(({ payload }) => JSON.parse(payload).content_delta)).toEqual([
      ...Array.from({ length: 49 }, () => ''),
      Array.from({ length: 50 }, (_, n) => `piece ${n} of a `).join(''),
    ])
    // 130 pieces in three rows, three in one, two in one, and four in one.
    expect(await countRows()).toBe(events.length - 127 - 2 - 1 - 3)
  })

  test('every page from every cursor has the same seqs as before, and times do not decrease', async () => {
    const run = await endedRun({ events })
    const seqs = (await allEvents(run)).map(({ seq }) => seq)
    await trim()
    for (const limit of [1, 7, 49, 50, 51, 200]) {
      for (const after of [0, 1, 2, 30, 50, 51, 52, 100, 129, 130, 131, 132, 140, seqs.length]) {
        const page = (await findEvents(fresh.database, run, { after, limit })) ?? []
        expect(page.map(({ seq }) => seq)).toEqual(seqs.slice(after, after + limit))
        const limits = { eventsPerCursor: limit, bytesPerCursor: 1_000_000, maxBytes: 1_000_000 }
        const [read] = await findNewEvents(fresh.database, [{ ...run, after }], limits)
        expect(read?.events).toEqual(page)
        expect(read?.isComplete).toBe(page.length < limit)
      }
    }
    const times = (await allEvents(run)).map(({ at }) => at.getTime())
    expect(times).toEqual(times.toSorted((one, other) => one - other))
  })

  test('is folded once, also if two processes trim at the same time', async () => {
    const run = await endedRun({ events })
    const seqs = (await allEvents(run)).map(({ seq }) => seq)
    const [one, other] = [fresh.open(1), fresh.open(1)]
    await Promise.all([one, other].map((database) => trimEndedRuns(database, { hours: 24, atMost: 10 })))
    expect((await allEvents(run)).map(({ seq }) => seq)).toEqual(seqs)
    expect(await countRows()).toBe(events.length - 133)
    await fresh.database.run({ text: 'truncate trimmed_runs' })
    await trim()
    expect((await allEvents(run)).map(({ seq }) => seq)).toEqual(seqs)
  })
})
