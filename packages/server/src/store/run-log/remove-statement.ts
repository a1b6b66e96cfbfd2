// The statement that deletes runs with everything they wrote. Their rows in `runs` are locked before it: a change of
// one of them waits, and then finds no run. What they have used stays, summed up per hour; so do their idempotency
// keys.
import { lookUp } from '../postgres/look-up.ts'

const ofRun = (table: string, id = 'run_id'): string =>
  lookUp({ [`${table}.customer_id`]: 'r.customer_id', [`${table}.${id}`]: 'r.id' })

const partsOfRuns = [
  'run_inputs',
  'run_results',
  'event_rows',
  'journal',
  'turns',
  'signals',
  'votes',
  'webhook_deliveries',
]

const deletedParts = partsOfRuns.map(
  (table) => `
deleted_${table} as (
  delete from ${table}
  using run r
  where ${ofRun(table)}
)`,
)

/** Takes the customers, the ids and the hashes of the idempotency keys of the runs. */
export const removeStatement = `
with run as materialized (
  select *
  from unnest($1::text[], $2::uuid[], $3::bytea[]) as r(customer_id, id, key_hash)
),
removed as (
  delete from runs
  using run r
  where ${ofRun('runs', 'id')}
  returning runs.customer_id, runs.workspace_id, runs.subject_id, runs.created_at
),${deletedParts.join(',')},
deleted_episode as (
  delete from memory_items
  using run r
  where ${ofRun('memory_items', 'id')} and harness
),
deleted_usage as (
  delete from usage_rows u
  using run r
  where ${ofRun('u')}
  returning u.customer_id, u.at, u.event_type, u.workspace_id, u.subject_id, u.quantity
),
new_keys as (
  insert into removed_keys (customer_id, key_hash)
  select customer_id, key_hash
  from run
  order by 1, 2
  on conflict (customer_id, key_hash) do update set removed_at = excluded.removed_at
),
new_usage as (
  insert into removed_usage as kept (customer_id, hour, event_type, workspace_id, subject_id, count, quantity)
  select customer_id, date_trunc('hour', at, 'UTC'), event_type, workspace_id, subject_id, count(*), sum(quantity)
  from (
    select customer_id, at, event_type, workspace_id, subject_id, quantity
    from deleted_usage
    union all
    select customer_id, created_at, 'run.created', workspace_id, subject_id, 1
    from removed
  ) as record (customer_id, at, event_type, workspace_id, subject_id, quantity)
  group by 1, 2, 3, 4, 5
  order by 1, 2, 3, 4, 5
  on conflict (customer_id, hour, event_type, workspace_id, subject_id) do update
  set count = kept.count + excluded.count,
    quantity = kept.quantity + excluded.quantity
)
select count(*) as removed
from removed`
