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
  readonly oldestSeconds: number
  readonly workers: number
}

export async function readQueueHealth(database: Database): Promise<QueueHealth> {
  const [row] = await database.run<{ depth: number; oldest: number; workers: number }>({
    text: `
select count(*) as depth,
  coalesce(extract(epoch from clock_timestamp() - min(ready_at)), 0)::float8 as oldest,
  (select count(*) from workers where seen_at > clock_timestamp() - interval '1 minute') as workers
from runs
where ready_at is not null and state = 'queued'`,
  })
  const oldestSeconds = Math.max(0, Math.round((row?.oldest ?? 0) * 1000) / 1000)
  return { depth: row?.depth ?? 0, oldestSeconds, workers: row?.workers ?? 0 }
}
