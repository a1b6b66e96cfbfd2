// Reads everything that is recorded about a run that has ended, so that it can be executed again without effects.
import type { RunClass } from '@runwright/contract'
import { type RunState, terminalStates } from '../../domain/run/states.ts'
import type { Database } from '../postgres/database.ts'
import { lookUp } from '../postgres/look-up.ts'
import type { StoredEvent } from '../run-log/run-change.ts'
import type { ClaimedRun } from '../run-log/run-claimer.ts'
import { findEvents } from '../runs/events.ts'
import { findHistories, type RunHistory } from '../runs/journals.ts'
import type { RunKey } from '../runs/run-key.ts'
import { type StoredContent, withContent } from '../sealed/content.ts'
import type { SealingKeys } from '../sealed/sealing-keys.ts'
import { allTurns, type StoredTurn } from './turns.ts'

export interface FinishedRun {
  /** As it was first claimed. */
  readonly run: ClaimedRun
  readonly state: RunState
  readonly attempts: number
  readonly events: readonly StoredEvent[]
  readonly history: RunHistory
  readonly turns: readonly StoredTurn[]
}

type Row = StoredContent & {
  workspace_id: string | null
  subject_id: string | null
  run_class: RunClass
  state: RunState
  attempt: number
  request_id: string
  routing: string
  attachment_refs: string | null
  streaming: boolean | null
  token_limit: number
  duration_seconds: number
  signal_timeout_seconds: number
}

/** For operators, who know the run and not its customer. Undefined if no customer has such a run. */
export async function findFinishedRun(
  database: Database,
  sealing: SealingKeys,
  id: string,
): Promise<FinishedRun | 'not ended' | undefined> {
  const [row] = await database.query<Row>({
    text: `
select r.id, r.customer_id, r.workspace_id, r.subject_id, r.run_class, r.state, r.attempt, r.request_id,
  i.input, i.metadata, i.attachment_refs, i.sensitivity_tags, i.created_payload->'routing' as routing, i.streaming,
  i.plan, i.token_limit, i.duration_seconds, i.signal_timeout_seconds, i.sealed, i.sealed_key
from customers c
join runs r on ${lookUp({ 'r.customer_id': 'c.id', 'r.id': '$1::uuid' })}
join run_inputs i on ${lookUp({ 'i.customer_id': 'r.customer_id', 'i.run_id': 'r.id' })}`,
    values: [id],
  })
  if (!row) return undefined
  if (!terminalStates.includes(row.state)) return 'not ended'
  await sealing.ensure([row.sealed_key ?? 0])
  const run = withContent(asFirstClaimed(row), row, sealing.keyring)
  const [events, histories, turns] = await Promise.all([
    allEvents(database, run),
    findHistories(database, [run]),
    collect(allTurns(database, run)),
  ])
  const history = histories.get(id) ?? { entries: [], answers: [] }
  return { run, state: row.state, attempts: row.attempt, events, history, turns }
}

const asFirstClaimed = (row: Row) => ({
  id: row.id,
  customerId: row.customer_id,
  workspaceId: row.workspace_id,
  subjectId: row.subject_id,
  runClass: row.run_class,
  epoch: 1,
  attempt: 1,
  tokens: 0,
  recoveries: 0,
  lostWorkers: 0,
  requestId: row.request_id,
  was: 'queued' as const,
  isFresh: true,
  remainingMs: row.duration_seconds * 1000,
  routing: JSON.parse(row.routing),
  attachmentRefs: row.attachment_refs === null ? undefined : JSON.parse(row.attachment_refs),
  streaming: row.streaming ?? true,
  tokenLimit: row.token_limit,
  durationSeconds: row.duration_seconds,
  signalTimeoutSeconds: row.signal_timeout_seconds,
})

async function allEvents(database: Database, run: RunKey): Promise<StoredEvent[]> {
  const events: StoredEvent[] = []
  for (;;) {
    const page = (await findEvents(database, run, { after: events.at(-1)?.seq ?? 0, limit: 200 })) ?? []
    if (page.length === 0) return events
    events.push(...page)
  }
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}
