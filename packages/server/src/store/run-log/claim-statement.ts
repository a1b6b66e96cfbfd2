// The statement that gives ready runs to a worker: fair over classes and customers, skipping rows that others have
// locked.
//
// Each lane (run class) visits the customers with ready runs. Free slots go to the customers that hold the fewest: in
// the lane first, then over all lanes. So a slot that a customer has given back goes to another one that waits for it.
import { lookUp } from '../postgres/look-up.ts'
import { logSession } from './change-statement.ts'
import { leavingCustomers } from './moving-customers.ts'
import { hasDeliveries, newDeliveries } from './new-deliveries.ts'
import { isClaimable, lanesOf, readyCustomers } from './ready-customers.ts'

interface ClaimParts {
  readonly worker: string
  readonly leaseMs: string
  readonly readable: string
  /** Whether the customer of the run may have more ready runs than it got, and what must be joined to know it. */
  readonly hasMore: string
  readonly join: string
}

/** The end of each claim: gives the worker the runs of `chosen (customer_id, id, state, next_seq, visit, at)`. */
const claimChosen = ({ worker, leaseMs, readable, hasMore, join }: ClaimParts): string => `claimed as (
  update runs r
  set state = 'running',
    epoch = r.epoch + 1,
    worker_id = ${worker},
    lease_until = clock_timestamp() + ${leaseMs} * interval '1 ms',
    step_until = null,
    ready_at = null,
    journal_version = ${readable},
    alone = false,
    recoveries = r.recoveries + case when c.state = 'stalled' then 1 else 0 end,
    next_seq = r.next_seq + case when c.state = 'running' then 0 else 1 end,
    updated_at = case when c.state = 'running' then r.updated_at else c.at end
  from chosen c
  where ${lookUp({ 'r.customer_id': 'c.customer_id', 'r.id': 'c.id' })}
  returning r.*, c.state as was, c.next_seq as first_seq, c.at, c.visit
),
new_events as (
  insert into event_rows (customer_id, run_id, seq, attempt, type, terminal, redacted, at, payload)
  select customer_id, id, first_seq, attempt, case when was = 'queued' then 'run.worker.started' else 'run.resumed' end,
    false, false, at,
    ('{"request_id":"' || request_id || '","from_status":"' || was || '","to_status":"running"'
      || case when was = 'queued' then ',"reason_code":null' else '' end || '}')::json
  from claimed
  where was <> 'running'
  returning customer_id, run_id, seq, type, at
),
${newDeliveries({
  customers: 'array(select customer_id from chosen)',
  rows: `
  select e.customer_id, e.run_id, e.seq, e.type, e.at, c.workspace_id, c.subject_id, 'running' as status
  from new_events e
  join claimed c on c.customer_id = e.customer_id and c.id = e.run_id`,
})}
select c.id, c.customer_id, c.workspace_id, c.subject_id, c.run_class, c.epoch, c.attempt, c.tokens, c.recoveries,
  c.lost_workers, c.request_id, c.was, c.first_seq, (extract(epoch from c.at) * 1000)::bigint as at_ms,
  greatest(0, extract(epoch from c.deadline_at - clock_timestamp()) * 1000)::float8 as remaining_ms,
  i.input, i.metadata, i.attachment_refs, i.sensitivity_tags, i.created_payload->'routing' as routing, i.streaming,
  i.plan, i.token_limit, i.duration_seconds, i.signal_timeout_seconds, i.sealed, i.sealed_key, i.traceparent,
  i.forked_from is not null as is_fork, c.visit, ${hasMore} as has_more, ${hasDeliveries} as has_deliveries
from claimed c
${join}join run_inputs i on ${lookUp({ 'i.customer_id': 'c.customer_id', 'i.run_id': 'c.id' })}`

const claimable = { readable: '$13::smallint', suspectFrom: '$14::integer' }

// `level` fills the slots like water: customers that hold fewer than the lowest level get what is missing to it. Each
// of the first customers gets at least one candidate, one customer more than there are slots: if the rows of one are
// locked, the slot goes to the next instead of staying empty.
export const claimStatement = `
with recursive ${lanesOf('$12')},
held as (
  select *
  from unnest($8::text[], $9::integer[], $10::integer[], $11::integer[]) as h(customer_id, short, "default", long)
),${readyCustomers('$4::integer', claimable)},
holder as (
  select c.run_class, c.customer_id, c.nth as visit, l.slots, l.since, coalesce(h.short, 0) as in_all,
    coalesce(case c.run_class when 'short' then h.short when 'default' then h."default" else h.long end, 0) as in_lane
  from customer c
  join lane l on l.run_class = c.run_class
  left join held h on h.customer_id = c.customer_id
),
ranked as (
  select *, row_number() over (partition by run_class order by in_lane, visit) as rank
  from holder
),
leveled as (
  select *, (slots + sum(in_lane) over (partition by run_class order by rank))::numeric / rank as level
  from ranked
),
share as materialized (
  select *, case
      when rank > slots + 1 then 0
      else greatest(1, ceil(min(level) over (partition by run_class) - in_lane))::integer
    end as share
  from leveled
),
candidate as materialized (
  select s.run_class, s.customer_id, s.visit, s.slots, s.in_lane, s.in_all, r.*
  from share s
  cross join lateral (
    select id, state, next_seq, updated_at, ready_at
    from runs
    where run_class = s.run_class and customer_id = s.customer_id and ready_at between s.since and now()
      and ${isClaimable('runs', claimable)}
    order by ready_at, id
    limit s.share
    for no key update skip locked
  ) r
),
numbered as materialized (
  select *, row_number() over (partition by run_class, customer_id order by ready_at, id) as nth
  from candidate
),
in_turn as (
  select *, row_number() over (partition by run_class order by in_lane + nth, visit) as turn
  from numbered
),
chosen as materialized (
  select customer_id, id, state, next_seq, visit,
    date_trunc('milliseconds', greatest(updated_at, clock_timestamp())) as at
  from in_turn
  where turn <= slots
  order by in_all + row_number() over (partition by customer_id order by turn, run_class), turn
  limit $7::integer
),
more as (
  select s.run_class, bool_or(coalesce(n.taken, 0) >= s.share) or count(*) >= $4::integer as has_more
  from share s
  left join (
    select run_class, customer_id, count(*) as taken
    from numbered
    group by run_class, customer_id
  ) n on n.run_class = s.run_class and n.customer_id = s.customer_id
  group by s.run_class
),
${claimChosen({
  worker: '$5::uuid',
  leaseMs: '$6::double precision',
  readable: '$13::smallint',
  hasMore: 'm.has_more',
  join: 'join more m on m.run_class = c.run_class\n',
})}`

/**
 * Claims one suspect, whatever its class: that with the fewest lost workers, which is the least likely to have ended
 * them. One that has lost so many workers that it must be alone is left to idle workers for a while: others must first
 * hand over what they execute.
 */
export const suspectStatement = `
with suspect as materialized (
  select customer_id, id, state, next_seq, updated_at
  from runs
  where lost_workers > 0 and lost_workers >= $4::integer and ready_at <= now()
    and (lost_workers < $5::integer or ready_at <= now() - $6::double precision * interval '1 ms')
    and journal_version <= $3::smallint and customer_id not in (${leavingCustomers})
  order by lost_workers, ready_at, id
  limit 1
  for no key update skip locked
),
chosen as materialized (
  select customer_id, id, state, next_seq, 0 as visit,
    date_trunc('milliseconds', greatest(updated_at, clock_timestamp())) as at
  from suspect
),
${claimChosen({ worker: '$1::uuid', leaseMs: '$2::double precision', readable: '$3::smallint', hasMore: 'false', join: '' })}`

/** For the connection that writes runs: to plan the statement for each claim takes longer than to execute it. */
export const claimSession = { ...logSession, plan_cache_mode: 'force_generic_plan' } as const
