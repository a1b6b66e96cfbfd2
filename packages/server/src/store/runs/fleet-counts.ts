// Counts the runs of all customers for metrics: the queue by class, and the runs that are running, parked and awaiting
// input; and the messages to webhooks that are due.
import { maxHealthCount, type RunClass, runClasses } from '@runwright/contract'
import type { Database } from '../postgres/database.ts'
import { readByIndex } from './queue.ts'

export interface FleetCounts {
  readonly queues: readonly { readonly runClass: RunClass; readonly depth: number; readonly ageSeconds: number }[]
  readonly runs: Readonly<Record<'running' | 'parked' | 'awaiting_input', number>>
  readonly webhooks: { readonly backlog: number; readonly ageSeconds: number }
}

type FleetRow = {
  run_class: RunClass
  depth: number
  age: number
  parked: number
  running: number
  awaiting_input: number
  backlog: number
  backlog_age: number
}

/** No count goes further than the limit. */
const fleetStatement = `
select class.name as run_class, queued.depth, queued.age, parked.count as parked,
  (
    select count(*)
    from (select 1 from runs where worker_id is not null limit $1) counted
  ) as running,
  (
    select count(*)
    from (select 1 from runs where await_until is not null limit $1) counted
  ) as awaiting_input,
  messages.backlog, messages.backlog_age
from (
  select count(*) as backlog,
    coalesce(greatest(0, extract(epoch from clock_timestamp() - min(next_at))), 0)::float8 as backlog_age
  from (
    select next_at
    from webhook_deliveries
    where next_at <= now()
    order by next_at
    limit $1
  ) counted
) messages
cross join unnest(array[${runClasses.map((runClass) => `'${runClass}'`).join(', ')}]) as class(name)
cross join lateral (
  select count(*) as depth,
    coalesce(greatest(0, extract(epoch from clock_timestamp() - min(ready_at))), 0)::float8 as age
  from (
    select ready_at
    from runs
    where run_class = class.name and ready_at is not null and state = 'queued'
    order by run_class, customer_id, ready_at, id
    limit $1
  ) counted
) queued
cross join lateral (
  select count(*) as count
  from (
    select 1
    from runs
    where run_class = class.name and ready_at is not null and state = 'running' and ready_at > now()
    limit $1
  ) counted
) parked`

export async function readFleetCounts(database: Database): Promise<FleetCounts> {
  const { rows } = await database.transaction(async (client) => {
    await client.query(readByIndex)
    return client.query<FleetRow>(fleetStatement, [maxHealthCount])
  })
  return {
    queues: rows.map(({ run_class, depth, age }) => ({ runClass: run_class, depth, ageSeconds: age })),
    runs: {
      running: rows[0]?.running ?? 0,
      parked: rows.reduce((sum, { parked }) => sum + parked, 0),
      awaiting_input: rows[0]?.awaiting_input ?? 0,
    },
    webhooks: { backlog: rows[0]?.backlog ?? 0, ageSeconds: rows[0]?.backlog_age ?? 0 },
  }
}
