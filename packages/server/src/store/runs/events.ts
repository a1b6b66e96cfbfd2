// Reads the event log: a page of one run's events, and new events of many runs at once.
import { type EventType, maxPageBytes } from '@runwright/contract'
import type { Database, RetryBudget } from '../postgres/database.ts'
import { lookUp } from '../postgres/look-up.ts'
import type { StoredEvent } from '../run-log/run-change.ts'
import { maxFolded } from '../run-log/trim-statement.ts'
import { keyValues, type RunKey } from './run-key.ts'

export type EventRow = {
  seq: number
  folded: number
  type: EventType
  at_ms: number
  redacted: boolean
  payload: string
}

/** No run has more events than this. A cursor may be larger. */
const largestSeq = 2_147_483_647

export const eventColumns =
  'e.seq, e.folded, e.type, (extract(epoch from e.at) * 1000)::bigint as at_ms, e.redacted, e.payload'

// The seqs of a run have no gaps, so a page is a range of them: PostgreSQL reads the range by index, however long the
// log. The last row may stand for events on both sides of the page's end.
const inPage = (after: string, limit: string): string =>
  `e.seq > ${after} and e.seq <= ${after}::bigint + ${limit} + ${maxFolded} and e.seq - e.folded <= ${after}::bigint + ${limit}`

/** The events of a page that a row stands for. */
export function toEvents({ seq, folded, type, at_ms, redacted, payload }: EventRow, page: EventPage): StoredEvent[] {
  const first = Math.max(seq - folded, page.after + 1)
  const last = Math.min(seq, page.after + page.limit)
  const at = new Date(at_ms)
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const own = first + index
    return { seq: own, type, at, redacted, payload: own === seq ? payload : withoutText(payload) }
  })
}

/** Of folded pieces of text, the last has the text of all. */
const withoutText = (payload: string): string => JSON.stringify({ ...JSON.parse(payload), content_delta: '' })

interface EventPage {
  /** The seq of the last event that is known. */
  readonly after: number
  readonly limit: number
  /** The page ends before the event that would exceed it, but has at least one event. */
  readonly maxBytes?: number
}

/** Where a run stands, and its events after a cursor; undefined when the customer has no such run. */
export async function findHeadAndEvents(
  database: Database,
  run: RunKey,
  page: EventPage,
): Promise<(RunHead & { readonly events: readonly StoredEvent[] }) | undefined> {
  const { after, limit, maxBytes = maxPageBytes } = page
  const rows = await database.query<{ last_seq: number; state: string } & (EventRow | { seq: null })>({
    name: 'find-head-and-events',
    text: `
select *
from (
  select r.next_seq - 1 as last_seq, r.state, ${eventColumns}, e.size, sum(e.size) over (order by e.seq) as bytes
  from runs r
  left join events e on e.customer_id = $1 and e.run_id = $2 and ${inPage('$3::integer', '$4')}
  where r.customer_id = $1 and r.id = $2
) page
where bytes is null or bytes <= $5 or bytes = size
order by seq`,
    values: [run.customerId, run.id, Math.min(after, largestSeq), limit, maxBytes],
  })
  const [first] = rows
  if (!first) return undefined
  const events = rows
    .filter((row): row is typeof row & EventRow => row.seq !== null)
    .flatMap((row) => toEvents(row, page))
  return { lastSeq: first.last_seq, state: first.state, events }
}

/** Events after a cursor; undefined when the customer has no such run. */
export const findEvents = async (...question: Parameters<typeof findHeadAndEvents>) =>
  (await findHeadAndEvents(...question))?.events

export interface RunCursor extends RunKey {
  /** The seq of the last event that is known. */
  readonly after: number
}

export interface ReadLimits {
  readonly eventsPerCursor: number
  /** A cursor gets at least one event, however large, if the read reaches it. */
  readonly bytesPerCursor: number
  /** Of all cursors. The first cursor that has events gets at least one. */
  readonly maxBytes: number
}

export interface NewEvents {
  readonly events: readonly StoredEvent[]
  /** The limits cut off nothing. */
  readonly isComplete: boolean
}

type NewEventRow = EventRow & { place: number; available: number; fitting: number }

/** New events after each of many cursors, in the order of the cursors. The earlier ones are read first. */
export async function findNewEvents(
  database: Database,
  cursors: readonly RunCursor[],
  limits: ReadLimits,
): Promise<NewEvents[]> {
  const { eventsPerCursor, bytesPerCursor, maxBytes } = limits
  const afters = cursors.map(({ after }) => Math.min(after, largestSeq))
  const rows = await database.query<NewEventRow>({
    name: 'find-new-events',
    text: `
select *
from (
  select *, sum(size) over (order by place, seq) as total_bytes, count(*) over () as fitting
  from (
    select c.place, ${eventColumns}, e.size,
      sum(e.size) over (partition by c.place order by e.seq) as bytes,
      count(*) over (partition by c.place) as available
    from unnest($1::text[], $2::uuid[], $3::integer[]) with ordinality as c(customer_id, run_id, after, place)
    join events e
      on ${lookUp({ 'e.customer_id': 'c.customer_id', 'e.run_id': 'c.run_id' })} and ${inPage('c.after', '$4')}
  ) by_cursor
  where bytes <= $5 or bytes = size
) page
where total_bytes <= $6 or total_bytes = size
order by place, seq`,
    values: [...keyValues(cursors), afters, eventsPerCursor, bytesPerCursor, maxBytes],
  })
  return byCursor(rows, cursors, eventsPerCursor)
}

function byCursor(rows: readonly NewEventRow[], cursors: readonly RunCursor[], limit: number): NewEvents[] {
  const found = cursors.map((): NewEventRow[] => [])
  for (const row of rows) found[row.place - 1]?.push(row)
  const last = rows.at(-1)
  // The read ended early, so nothing is known about the cursors after the last event.
  const unread = last && last.fitting > rows.length ? last.place : cursors.length
  return cursors.map(({ after }, index) => {
    const own = found[index] ?? []
    const events = own.flatMap((row) => toEvents(row, { after, limit }))
    return { events, isComplete: own[0] ? own.length === own[0].available && events.length < limit : index < unread }
  })
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
