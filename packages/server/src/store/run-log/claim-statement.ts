// The statement that gives ready runs to a worker: fair over classes and customers, skipping rows that others have
// locked.
//
// Each lane (run class) visits its customers in turn: a loose scan of the index steps from one customer to the next, so
// that a customer with 100,000 queued runs costs one probe, not 100,000. Each gets its share of the lane's free places,
// and the lanes take turns until no place is free.
import { lookUp } from '../postgres/look-up.ts'

export const claimStatement = `
with recursive lane as (
  select *
  from unnest($1::text[], $2::integer[], $3::text[]) as l(run_class, places, after_customer)
),
customer as (
  select l.run_class, l.places, 1 as nth, (
    select r.customer_id
    from runs r
    where r.run_class = l.run_class and r.ready_at <= now() and r.customer_id > l.after_customer
    order by r.customer_id
    limit 1
  ) as customer_id
  from lane l
  union all
  select c.run_class, c.places, c.nth + 1, (
    select r.customer_id
    from runs r
    where r.run_class = c.run_class and r.ready_at <= now() and r.customer_id > c.customer_id
    order by r.customer_id
    limit 1
  )
  from customer c
  where c.customer_id is not null and c.nth < least(c.places, $4::integer)
),
share as materialized (
  select run_class, customer_id, ceil(places::numeric / count(*) over (partition by run_class))::integer as places
  from customer
  where customer_id is not null
),
candidate as materialized (
  select s.customer_id, r.*, row_number() over (partition by s.run_class) as nth
  from share s
  cross join lateral (
    select id, state, next_seq, updated_at
    from runs
    where run_class = s.run_class and customer_id = s.customer_id and ready_at <= now()
    order by ready_at, id
    limit s.places
    for no key update skip locked
  ) r
),
chosen as materialized (
  select customer_id, id, state, next_seq, date_trunc('milliseconds', greatest(updated_at, clock_timestamp())) as at
  from candidate
  order by nth
  limit $7::integer
),
claimed as (
  update runs r
  set state = 'running',
    epoch = r.epoch + 1,
    worker_id = $5::uuid,
    lease_until = clock_timestamp() + $6::double precision * interval '1 ms',
    step_until = null,
    ready_at = null,
    recoveries = r.recoveries + case when c.state = 'stalled' then 1 else 0 end,
    next_seq = r.next_seq + case when c.state = 'running' then 0 else 1 end,
    updated_at = case when c.state = 'running' then r.updated_at else c.at end
  from chosen c
  where ${lookUp({ 'r.customer_id': 'c.customer_id', 'r.id': 'c.id' })}
  returning r.*, c.state as was, c.next_seq as first_seq, c.at
),
new_events as (
  insert into event_rows (customer_id, run_id, seq, attempt, type, terminal, redacted, at, payload)
  select customer_id, id, first_seq, attempt, case when was = 'queued' then 'run.worker.started' else 'run.resumed' end,
    false, false, at,
    ('{"request_id":"' || request_id || '","from_status":"' || was || '","to_status":"running"'
      || case when was = 'queued' then ',"reason_code":null' else '' end || '}')::json
  from claimed
  where was <> 'running'
)
select c.id, c.customer_id, c.workspace_id, c.subject_id, c.run_class, c.epoch, c.attempt, c.tokens, c.recoveries,
  c.request_id, c.was, c.first_seq, (extract(epoch from c.at) * 1000)::bigint as at_ms,
  greatest(0, extract(epoch from c.deadline_at - clock_timestamp()) * 1000)::float8 as remaining_ms,
  i.input, i.metadata, i.attachment_refs, i.sensitivity_tags, i.created_payload->'routing' as routing, i.streaming,
  i.plan, i.token_limit, i.duration_seconds, i.signal_timeout_seconds, i.sealed, i.sealed_key
from claimed c
join run_inputs i on ${lookUp({ 'i.customer_id': 'c.customer_id', 'i.run_id': 'c.id' })}`
