// The statement that deletes runs with everything they wrote. Their rows in `runs` are locked before it: a change of
// one of them waits, and then finds no run. What they have used stays, summed up per hour, with the agents and models
// of tokens; so do their idempotency keys.
import { lookUp } from '../postgres/look-up.ts'
import { beganWith } from '../usage/began-with.ts'
import { alikeTokens, tokenCounts } from '../usage/model-tokens.ts'
import { addToRemovedUsage, removedUsageColumns } from '../usage/removed-usage.ts'

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

/** The journal is as before the statement, also where a part of it deletes its rows. */
const agentOfTokens = `${beganWith({ customerId: 'u.customer_id', runId: 'u.run_id' })}
      and u.event_type = 'tokens.consumed'`

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
  returning u.customer_id, u.run_id, u.at, u.event_type, u.workspace_id, u.subject_id, u.quantity, u.details
),
new_keys as (
  insert into removed_keys (customer_id, key_hash)
  select customer_id, key_hash
  from run
  order by 1, 2
  on conflict (customer_id, key_hash) do update set removed_at = excluded.removed_at
),
new_usage as (
  insert into removed_usage as kept (${removedUsageColumns})
  select customer_id, date_trunc('hour', at, 'UTC'), event_type, workspace_id, subject_id, agent,
    ${tokenCounts}, count(*), sum(quantity)
  from (
    select u.customer_id, u.at, u.event_type, u.workspace_id, u.subject_id, u.quantity, u.details,
      j.body->'agent'->>'name'
    from deleted_usage u
    left join journal j on ${agentOfTokens}
    union all
    select customer_id, created_at, 'run.created', workspace_id, subject_id, 1, null, null
    from removed
  ) as record (customer_id, at, event_type, workspace_id, subject_id, quantity, details, agent)
  group by 1, 2, 3, 4, 5, 6, ${alikeTokens}
  order by 1, 2, 3, 4, 5, 6${addToRemovedUsage}
)
select count(*) as removed
from removed`
