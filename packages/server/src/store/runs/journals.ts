// Reads what many runs have finished and which signals they were sent: the engine goes on after it.
import type { SignalAction } from '@runwright/contract'
import { type JournalEntry, readJournalEntry } from '../../domain/run/journal.ts'
import type { Answer } from '../../domain/run/progress.ts'
import type { Database } from '../postgres/database.ts'

export interface RunHistory {
  readonly entries: JournalEntry[]
  readonly answers: Answer[]
}

/** Histories of these runs; those of others are not theirs to see. */
export async function findHistories(database: Database, runIds: readonly string[]): Promise<Map<string, RunHistory>> {
  const histories = new Map<string, RunHistory>(runIds.map((id) => [id, { entries: [], answers: [] }]))
  const [entries, signals] = await Promise.all([findEntries(database, runIds), findAnswers(database, runIds)])
  for (const { run_id, key, body } of entries)
    histories.get(run_id)?.entries.push(readJournalEntry(key, JSON.parse(body)))
  for (const { run_id, action, payload, wait_key } of signals) {
    const answer = { action, payload: payload === null ? null : JSON.parse(payload), waitKey: wait_key ?? '' }
    histories.get(run_id)?.answers.push(answer)
  }
  return histories
}

const findEntries = (database: Database, runIds: readonly string[]) =>
  database.query<{ run_id: string; key: string; body: string }>({
    name: 'find-journals',
    text: 'select run_id, key, body from journal where run_id = any($1::uuid[]) order by run_id, key',
    values: [runIds],
  })

const findAnswers = (database: Database, runIds: readonly string[]) =>
  database.query<{ run_id: string; action: SignalAction; payload: string | null; wait_key: string | null }>({
    name: 'find-answers',
    text: 'select run_id, action, payload, wait_key from signals where run_id = any($1::uuid[]) order by run_id, seq',
    values: [runIds],
  })
