// Measures the queue: the queued runs of one customer, and the whole queue for the health check.
import { runClasses } from '@runwright/contract'
import type { Database } from '../postgres/database.ts'

/** How many runs of a customer are queued; counts no further than `atMost`. */
export async function countQueued(database: Database, customerId: string, atMost: number): Promise<number> {
  const [row] = await database.query<{ count: number }>({
    name: 'count-queued',
    text: `
select count(*) as count
from (
  select 1
  from unnest(array[${runClasses.map((runClass) => `'${runClass}'`).join(', ')}]) as class(name)
  cross join lateral (
    select 1
    from runs
    where run_class = class.name and customer_id = $1 and ready_at is not null and state = 'queued'
    limit $2
  ) of_class
  limit $2
) queued`,
    values: [customerId, atMost],
  })
  return row?.count ?? 0
}

interface QueueHealth {
  readonly depth: number
  /** Of the runs that were counted. */
  readonly oldestSeconds: number
  readonly workers: number
  readonly places: number
  readonly busyPlaces: number
}

// In the order of the index `runs_ready`. Without statistics PostgreSQL takes the queue for short, and would rather
// read all of it and sort.
export const readByIndex =
  'set local enable_sort = off; set local enable_bitmapscan = off; set local enable_seqscan = off'

const healthStatement = `
with live as (
  select id, places
  from workers
  where seen_at > clock_timestamp() - interval '1 minute'
), queued as (
  select ready_at
  from runs
  where ready_at is not null and state = 'queued'
  order by run_class, customer_id, ready_at, id
  limit $1
), busy as (
  select 1
  from live
  join runs on runs.worker_id = live.id
  limit $1
)
select (select count(*) from queued) as depth,
  (select coalesce(extract(epoch from clock_timestamp() - min(ready_at)), 0) from queued)::float8 as oldest,
  (select count(*) from live) as workers,
  (select coalesce(sum(places), 0) from live) as places,
  (select count(*) from busy) as busy`

type HealthRow = Record<'depth' | 'oldest' | 'workers' | 'places' | 'busy', number>

/** Counts no further than one above `atMost`. */
export async function readQueueHealth(database: Database, atMost: number): Promise<QueueHealth> {
  const { rows } = await database.transaction(async (client) => {
    await client.query(readByIndex)
    return client.query<HealthRow>(healthStatement, [atMost + 1])
  })
  const { depth = 0, oldest = 0, workers = 0, places = 0, busy = 0 } = rows[0] ?? {}
  return { depth, oldestSeconds: Math.max(0, Math.round(oldest * 1000) / 1000), workers, places, busyPlaces: busy }
}
