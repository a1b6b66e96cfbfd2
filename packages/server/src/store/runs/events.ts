// Reads the event log: a page of one run's events, and new events of many runs at once.
import type { EventType } from '@runwright/contract'
import type { Database, RetryBudget } from '../postgres/database.ts'
import { lookUp } from '../postgres/look-up.ts'
import type { StoredEvent } from '../run-log/run-change.ts'
import { keyValues, type RunKey } from './run-key.ts'

type EventRow = { run_id: string; seq: number; type: EventType; at_ms: number; redacted: boolean; payload: string }

/** No run has more events than this. A cursor may be larger. */
const largestSeq = 2_147_483_647

const columns = 'e.run_id, e.seq, e.type, (extract(epoch from e.at) * 1000)::bigint as at_ms, e.redacted, e.payload'

// The seqs of a run have no gaps, so a page is a range of them: PostgreSQL reads the range by index, however long the
// log.
const inPage = (after: string, limit: string): string => `e.seq > ${after} and e.seq <= ${after}::bigint + ${limit}`

const toEvent = ({ seq, type, at_ms, redacted, payload }: EventRow): StoredEvent => ({
  seq,
  type,
  at: new Date(at_ms),
  redacted,
  payload,
})

/** Where a run stands, and its events after a cursor; undefined when the customer has no such run. */
export async function findHeadAndEvents(
  database: Database,
  run: RunKey,
  page: { readonly after: number; readonly limit: number },
): Promise<(RunHead & { readonly events: readonly StoredEvent[] }) | undefined> {
  const rows = await database.query<{ last_seq: number; state: string } & (EventRow | { run_id: null })>({
    name: 'find-head-and-events',
    text: `
select r.next_seq - 1 as last_seq, r.state, ${columns}
from runs r
left join events e on e.customer_id = $1 and e.run_id = $2 and ${inPage('$3::integer', '$4')}
where r.customer_id = $1 and r.id = $2
order by e.seq`,
    values: [run.customerId, run.id, Math.min(page.after, largestSeq), page.limit],
  })
  const [first] = rows
  if (!first) return undefined
  const events = rows.filter((row): row is typeof row & EventRow => row.run_id !== null).map(toEvent)
  return { lastSeq: first.last_seq, state: first.state, events }
}

/** Events after a cursor; undefined when the customer has no such run. */
export const findEvents = async (...question: Parameters<typeof findHeadAndEvents>) =>
  (await findHeadAndEvents(...question))?.events

export interface RunCursor extends RunKey {
  /** The seq of the last event that is known. */
  readonly after: number
}

/** New events of many runs, by run id. */
export async function findNewEvents(
  database: Database,
  cursors: readonly RunCursor[],
  limitPerRun: number,
): Promise<Map<string, StoredEvent[]>> {
  const rows = await database.query<EventRow>({
    name: 'find-new-events',
    text: `
select ${columns}
from unnest($1::text[], $2::uuid[], $3::integer[]) as c(customer_id, run_id, after)
join events e on ${lookUp({ 'e.customer_id': 'c.customer_id', 'e.run_id': 'c.run_id' })} and ${inPage('c.after', '$4')}
order by e.run_id, e.seq`,
    values: [...keyValues(cursors), cursors.map(({ after }) => Math.min(after, largestSeq)), limitPerRun],
  })
  const found = new Map<string, StoredEvent[]>()
  for (const row of rows) {
    const events = found.get(row.run_id)
    if (events) events.push(toEvent(row))
    else found.set(row.run_id, [toEvent(row)])
  }
  return found
}

interface RunHead {
  readonly lastSeq: number
  readonly state: string
}

/** Where many runs stand, by run id. */
export async function findHeads(
  database: Database,
  runs: readonly RunKey[],
  retryBudget?: RetryBudget,
): Promise<Map<string, RunHead>> {
  const statement = {
    name: 'find-heads',
    text: `
select r.id, r.next_seq - 1 as last_seq, r.state
from unnest($1::text[], $2::uuid[]) as k(customer_id, id)
join runs r on ${lookUp({ 'r.customer_id': 'k.customer_id', 'r.id': 'k.id' })}`,
    values: keyValues(runs),
  }
  const rows = await database.query<{ id: string; last_seq: number; state: string }>(statement, retryBudget)
  return new Map(rows.map((row) => [row.id, { lastSeq: row.last_seq, state: row.state }]))
}
