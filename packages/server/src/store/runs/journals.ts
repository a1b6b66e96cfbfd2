// Reads what many runs have finished and which signals they received: the engine continues from there.
import type { SignalAction } from '@runwright/contract'
import { parseLists } from '../../domain/json/parse-items.ts'
import type { Answer } from '../../domain/run/answer-log.ts'
import { type JournalEntry, readJournalEntry } from '../../domain/run/journal.ts'
import { runSliced, TimeSlice } from '../../runtime/time-slices.ts'
import type { Database } from '../postgres/database.ts'
import { lookUp } from '../postgres/look-up.ts'
import { answeredQuestion } from './question.ts'
import { isOfEngine } from './run-commands.ts'
import { keyValues, type RunKey } from './run-key.ts'

export interface RunHistory {
  readonly entries: JournalEntry[]
  readonly answers: Answer[]
}

/** Histories by run id. They may be long, so they are parsed in turns. */
export async function findHistories(database: Database, runs: readonly RunKey[]): Promise<Map<string, RunHistory>> {
  const histories = new Map<string, RunHistory>(runs.map(({ id }) => [id, { entries: [], answers: [] }]))
  const [entries, signals] = await Promise.all([findEntries(database, runs), findAnswers(database, runs)])
  const slice = new TimeSlice()
  for (const { run_id, key, body } of entries) {
    // All that a fork keeps is one entry.
    const parsed = key.startsWith('kept:') ? await runSliced(parseLists(body)) : JSON.parse(body)
    histories.get(run_id)?.entries.push(readJournalEntry(key, parsed))
    if (slice.isOver) await slice.next()
  }
  for (const { run_id, action, payload, wait_key, call, calls, asked } of signals) {
    const answer = {
      action,
      payload: payload === null ? null : JSON.parse(payload),
      waitKey: wait_key ?? '',
      ...(call !== null && { call: JSON.parse(call) }),
      ...(calls !== null && { calls: JSON.parse(calls) }),
      asked: JSON.parse(asked),
    }
    histories.get(run_id)?.answers.push(answer)
    if (slice.isOver) await slice.next()
  }
  return histories
}

const ofRuns = (table: string): string => `
from unnest($1::text[], $2::uuid[]) as k(customer_id, run_id)
join ${table} h on ${lookUp({ 'h.customer_id': 'k.customer_id', 'h.run_id': 'k.run_id' })}`

const findEntries = (database: Database, runs: readonly RunKey[]) =>
  database.query<{ run_id: string; key: string; body: string }>({
    name: 'find-journals',
    text: `
select h.run_id, h.key, h.body
${ofRuns('journal')}
where ${isOfEngine('h.key')}
order by h.run_id, h.key`,
    values: keyValues(runs),
  })

const findAnswers = (database: Database, runs: readonly RunKey[]) =>
  database.query<{
    run_id: string
    action: SignalAction
    payload: string | null
    wait_key: string | null
    call: string | null
    calls: string | null
    asked: string
  }>({
    name: 'find-answers',
    text: `
select h.run_id, h.action, h.payload, h.wait_key, h.call, h.calls, ${answeredQuestion('h')} as asked
${ofRuns('signals')}
order by h.run_id, h.seq`,
    values: keyValues(runs),
  })
