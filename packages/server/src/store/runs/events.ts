// Reads the event log: a page of one run's events, and what is new for many runs at once.
import type { EventType } from '@runwright/contract'
import type { Database, RetryBudget } from '../postgres/database.ts'
import type { StoredEvent } from '../run-log/run-change.ts'

type EventRow = { run_id: string; seq: number; type: EventType; at_ms: number; redacted: boolean; payload: string }

/** No run has more events than this; a cursor may still name a larger number. */
const largestSeq = 2_147_483_647

const columns = 'e.run_id, e.seq, e.type, (extract(epoch from e.at) * 1000)::bigint as at_ms, e.redacted, e.payload'

// The first event stands with the run's inputs. Each side is cut to the page before they meet, so that a long log costs no
// more than its page.
const eventsAfter = ({ runId, after, limit }: { runId: string; after: string; limit: string }): string => `
  select *
  from (
    select run_id, 1 as seq, 'run.created' as type, created_at as at, true as redacted, created_payload as payload
    from run_inputs
    where run_id = ${runId} and created_at is not null and ${after} < 1
    union all
    (select run_id, seq, type, at, redacted, payload
    from event_rows
    where run_id = ${runId} and seq > ${after}
    order by seq
    limit ${limit})
  ) log
  order by seq
  limit ${limit}`

const toEvent = ({ seq, type, at_ms, redacted, payload }: EventRow): StoredEvent => ({
  seq,
  type,
  at: new Date(at_ms),
  redacted,
  payload,
})

/** How far a run has come, and its events after a cursor; undefined when the customer has no such run. */
export async function findHeadAndEvents(
  database: Database,
  run: { readonly customerId: string; readonly id: string },
  page: { readonly after: number; readonly limit: number },
): Promise<(RunHead & { readonly events: readonly StoredEvent[] }) | undefined> {
  const rows = await database.query<{ last_seq: number; state: string } & (EventRow | { run_id: null })>({
    name: 'find-head-and-events',
    text: `
select r.next_seq - 1 as last_seq, r.state, ${columns}
from runs r
left join lateral (${eventsAfter({ runId: 'r.id', after: '$3::integer', limit: '$4' })}
) e on true
where r.id = $1 and r.customer_id = $2
order by e.seq`,
    values: [run.id, run.customerId, Math.min(page.after, largestSeq), page.limit],
  })
  const [first] = rows
  if (!first) return undefined
  const events = rows.filter((row): row is typeof row & EventRow => row.run_id !== null).map(toEvent)
  return { lastSeq: first.last_seq, state: first.state, events }
}

/** Events after a cursor; undefined when the customer has no such run. */
export const findEvents = async (...question: Parameters<typeof findHeadAndEvents>) =>
  (await findHeadAndEvents(...question))?.events

/** What is new for many runs, each after its own cursor. The caller has proved that it may read them. */
export async function findNewEvents(
  database: Database,
  cursors: ReadonlyMap<string, number>,
  limitPerRun: number,
): Promise<Map<string, StoredEvent[]>> {
  const rows = await database.query<EventRow>({
    name: 'find-new-events',
    text: `
select ${columns}
from unnest($1::uuid[], $2::integer[]) as c(run_id, after)
cross join lateral (${eventsAfter({ runId: 'c.run_id', after: 'c.after', limit: '$3' })}
) e
order by e.run_id, e.seq`,
    values: [[...cursors.keys()], [...cursors.values()].map((seq) => Math.min(seq, largestSeq)), limitPerRun],
  })
  const found = new Map<string, StoredEvent[]>()
  for (const row of rows) {
    const events = found.get(row.run_id)
    if (events) events.push(toEvent(row))
    else found.set(row.run_id, [toEvent(row)])
  }
  return found
}

export interface RunHead {
  readonly lastSeq: number
  readonly state: string
}

/** How far the logs of many runs have come. */
export async function findHeads(
  database: Database,
  runIds: readonly string[],
  retryBudget?: RetryBudget,
): Promise<Map<string, RunHead>> {
  const statement = {
    name: 'find-heads',
    text: 'select id, next_seq - 1 as last_seq, state from runs where id = any($1::uuid[])',
    values: [runIds],
  }
  const rows = await database.query<{ id: string; last_seq: number; state: string }>(statement, retryBudget)
  return new Map(rows.map((row) => [row.id, { lastSeq: row.last_seq, state: row.state }]))
}
