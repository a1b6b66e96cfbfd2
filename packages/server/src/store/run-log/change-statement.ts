// The one statement that changes runs: guards, state, events, journal, usage, signals, results and memories of many
// runs. `change-values.ts` has its parameters.
import { wireStatus } from '../../domain/run/states.ts'
import { lookUp } from '../postgres/look-up.ts'
import { batchRows, fromStatusMark } from './change-values.ts'
import { heldCustomers } from './moving-customers.ts'
import { hasDeliveries, newDeliveries } from './new-deliveries.ts'

const statusNow = `replace(a.state, 'awaiting_input', '${wireStatus('awaiting_input')}')`
/** Null without an escalation. */
const escalatesAt = `a.at + (a.rules->>'escalate_after_seconds')::double precision * interval '1 second'`

// Guards read only the locked row: after a lock wait, every other table is still seen through the old snapshot. A move
// of a customer to another cell waits for the statements that may have an old snapshot of `customers`. Rows are locked
// in the order of their ids, so that batches cannot deadlock.
//
// There is one statement for all changes, although most have neither turns nor acts: without these two parts a batch
// takes 1 to 2 % less. See bench/results.md.
export const changeStatement = `
with change as materialized (
  select *
  from json_to_recordset($1::json) as c(
    n integer, run_id uuid, customer_id text, epoch integer, held_by uuid, from_states text[], guard text, await_seq integer,
    to_state text, ready_ms double precision, worker_id uuid, lease_ms double precision, wait json, wait_content json,
    wait_ms double precision, epoch_bump integer, attempt_bump integer, recoveries integer, lost_workers integer,
    lost_bump integer, alone boolean, request_id text, tokens bigint, event_count integer, turn_count integer,
    act text, act_key_id text, act_via text, act_details json, decider json)
),
locked as materialized (
  select r.id, r.customer_id, r.workspace_id, r.subject_id, r.state, r.epoch, r.attempt, r.next_seq, r.lease_until,
    r.step_until, r.worker_id, r.await_seq, r.await_until, r.wait, r.wait_content, r.votes, r.deadline_at, r.updated_at
  from (select distinct customer_id, run_id from change) c
  join runs r on ${lookUp({ 'r.customer_id': 'c.customer_id', 'r.id': 'c.run_id' })}
  order by r.id
  for no key update of r
),
judged as (
  select c.*, l.workspace_id, l.subject_id, l.state as was, l.epoch as epoch_was, l.next_seq as first_seq,
    l.wait as wait_was, l.wait_content as wait_content_was, l.await_seq as await_seq_was, l.votes as votes_was,
    l.updated_at as updated_was,
    l.attempt + c.attempt_bump as attempt_now,
    date_trunc('milliseconds', greatest(l.updated_at, clock_timestamp())) as at,
    case
      when l.id is null then 'missing'
      when c.customer_id in (${heldCustomers}) then 'moving'
      when l.epoch <> c.epoch or coalesce(l.worker_id <> c.held_by, c.held_by is not null) then 'lease_lost'
      when l.state <> all (c.from_states) then 'wrong_state'
      when l.await_seq <> c.await_seq then 'other_wait'
      when c.guard = 'lease_expired' and l.lease_until > clock_timestamp() then 'too_early'
      when c.guard = 'step_expired' and coalesce(l.step_until, 'infinity') > clock_timestamp() then 'too_early'
      when c.guard = 'wait_expired' and l.await_until > clock_timestamp() then 'too_early'
      when c.guard = 'deadline_passed' and l.deadline_at > clock_timestamp() then 'too_early'
      else 'applied'
    end as outcome
  from change c
  left join locked l on l.customer_id = c.customer_id and l.id = c.run_id
),
-- An answer to a wait with rules may not count, or may not be enough: then nothing but the vote changes.
decided as materialized (
  select *, case when outcome = 'applied' and decider is not null and wait_was->'rules' is not null then
      decide(customer_id, run_id, await_seq_was, wait_was, wait_content_was, votes_was, updated_was, decider)
    end as decision
  from judged
),
-- The column accepted is a boolean: the planner expects it to be true for half of the rows and then joins by hash. With
-- the condition outcome = 'applied' it expected one row and joined by nested loops.
verdict as materialized (
  select *, coalesce(decision->>'outcome', outcome) as ruling,
    coalesce(decision->>'outcome', outcome) in ('applied', 'counted') as accepted,
    coalesce(decision->>'outcome' = 'counted', false) as counted,
    case when decision->>'outcome' = 'counted' then null else to_state end as next_state,
    case when decision->>'outcome' = 'counted' then 0 else event_count end as new_events
  from decided
),
applied as (
  update runs r
  set state = coalesce(v.next_state, r.state),
    epoch = r.epoch + v.epoch_bump,
    attempt = v.attempt_now,
    next_seq = r.next_seq + v.new_events,
    next_turn = r.next_turn + v.turn_count,
    tokens = r.tokens + v.tokens,
    recoveries = coalesce(v.recoveries, r.recoveries),
    lost_workers = coalesce(v.lost_workers, r.lost_workers) + v.lost_bump,
    alone = coalesce(v.alone, r.alone),
    request_id = case when v.counted then r.request_id else coalesce(v.request_id, r.request_id) end,
    ready_at = case when v.next_state is null then r.ready_at else v.at + v.ready_ms * interval '1 ms' end,
    worker_id = case when v.next_state is null then r.worker_id else v.worker_id end,
    lease_until = case when v.next_state is null then r.lease_until else v.at + v.lease_ms * interval '1 ms' end,
    step_until = null,
    await_seq = case when v.next_state is null then r.await_seq when v.wait is not null then v.first_seq + v.event_count - 1 end,
    await_until = case when v.next_state is null then r.await_until else v.at + v.wait_ms * interval '1 ms' end,
    wait = case when v.next_state is null then r.wait else v.wait end,
    wait_content = case when v.next_state is null then r.wait_content else v.wait_content end,
    votes = case when v.counted then v.decision->'votes' when v.next_state is null then r.votes end,
    updated_at = case when v.new_events > 0 then v.at else r.updated_at end
  from verdict v
  where ${lookUp({ 'r.customer_id': 'v.customer_id', 'r.id': 'v.run_id' })} and v.accepted
  returning v.n, v.run_id, v.customer_id, v.workspace_id, v.subject_id, v.first_seq, v.attempt_now, v.was, v.wait_was,
    v.wait_content_was, v.at, v.counted, v.decision, r.state,
    r.wait->'rules' as rules,
    r.next_turn - v.turn_count as first_turn, r.deadline_at
),
new_events as (
  insert into event_rows (customer_id, run_id, seq, attempt, type, terminal, redacted, at, payload)
  select a.customer_id, a.run_id, a.first_seq + e.ord, a.attempt_now, e.type, e.terminal, e.redacted, a.at,
    case
      when e.stamped then replace(e.payload::text, '${fromStatusMark}',
        '"from_status":"' || replace(a.was, 'awaiting_input', '${wireStatus('awaiting_input')}') || '"')::json
      else e.payload
    end
  from ${batchRows('events', 'e')}
  join applied a on a.n = e.n and not a.counted
  returning customer_id, run_id, seq, type, at
),
${newDeliveries({
  customers: 'array(select customer_id from change)',
  rows: `
  select e.customer_id, e.run_id, e.seq, e.type, e.at, a.workspace_id, a.subject_id, ${statusNow} as status,
    case when e.type = 'run.awaiting_input' then ${escalatesAt} end as escalates_at
  from new_events e
  join applied a on a.customer_id = e.customer_id and a.run_id = e.run_id`,
  canEscalate: true,
})},
new_journal as (
  insert into journal (customer_id, run_id, key, body)
  select a.customer_id, a.run_id, j.key, j.body
  from ${batchRows('journal', 'j')}
  join applied a on a.n = j.n
  on conflict do nothing
),
new_usage as (
  insert into usage_rows (run_id, key, customer_id, workspace_id, subject_id, event_type, quantity, at, details)
  select a.run_id, u.key, a.customer_id, a.workspace_id, a.subject_id, u.event_type, u.quantity, a.at, u.details
  from ${batchRows('usage', 'u')}
  join applied a on a.n = u.n
  returning customer_id, workspace_id, subject_id, event_type, quantity, at
),
new_deltas as (
  insert into usage_deltas (customer_id, hour, event_type, workspace_id, subject_id, count, quantity)
  select customer_id, date_trunc('hour', at, 'UTC'), event_type, workspace_id, subject_id, count(*), sum(quantity)
  from new_usage
  group by 1, 2, 3, 4, 5
),
new_signals as (
  insert into signals (customer_id, run_id, seq, idempotency_key, body_hash, action, payload, key_id, key_name, wait_key,
    asked, asked_content, call, calls, person, roles, via)
  select a.customer_id, a.run_id, a.first_seq, s.idempotency_key, s.body_hash, s.action, s.payload,
    s.key_id, s.key_name, a.wait_was->>'key', a.wait_was, a.wait_content_was, s.call, s.calls,
    case when a.decision is null then s.person else a.decision->>'person' end,
    coalesce(a.decision->'roles', s.roles), s.via
  from ${batchRows('signals', 's')}
  join applied a on a.n = s.n and not a.counted
),
new_results as (
  insert into run_results (customer_id, run_id, redacted, value)
  select a.customer_id, a.run_id, o.redacted, o.value
  from ${batchRows('results', 'o')}
  join applied a on a.n = o.n
),
new_memories as (
  insert into memory_items (id, customer_id, workspace_id, subject_id, run_id, kind, harness, title, content, tags, created_at, updated_at)
  select m.id, a.customer_id, a.workspace_id, a.subject_id, a.run_id, m.kind, m.harness, m.title, m.content, m.tags, a.at, a.at
  from json_to_recordset($2::json) as m(n integer, id uuid, kind text, harness boolean, title text, content text, tags text[])
  join applied a on a.n = m.n
),
new_turns as (
  insert into turns (customer_id, run_id, seq, attempt, epoch, task_key, call_key, role, started_at, shared, messages,
    body, size)
  select a.customer_id, a.run_id, a.first_turn + t.ord, t.attempt, t.epoch, t.task_key, t.call_key, t.role,
    date_trunc('milliseconds', a.deadline_at - t.left_ms * interval '1 ms'), t.shared, t.messages, t.body, t.size
  from ${batchRows('turns', 't')}
  join applied a on a.n = t.n
),
new_acts as (
  insert into audit_queue (customer_id, at, action, key_id, via, run_id, details)
  select a.customer_id, a.at, c.act, c.act_key_id, c.act_via, a.run_id,
    case when a.decision is null then c.act_details
      else (c.act_details::jsonb || (a.decision::jsonb - 'outcome' - 'votes'))::json
    end
  from change c
  join applied a on a.n = c.n
  where c.act is not null
),
outcome as materialized (
  select v.n, v.customer_id, case when v.accepted and a.n is null then 'again' else v.ruling end as outcome, v.was,
    v.epoch_was + v.epoch_bump as epoch, v.first_seq, (extract(epoch from v.at) * 1000)::bigint as at_ms
  from verdict v
  left join applied a on a.n = v.n
),
receipt as (
  insert into log_batches (customer_id, id, outcomes)
  select customer_id, $3::uuid, json_agg(json_build_array(n, outcome, was, epoch, first_seq, at_ms))
  from outcome
  group by customer_id
)
select n, outcome, was, epoch, first_seq, at_ms, ${hasDeliveries} as has_deliveries
from outcome`
export const changeStatementName = 'run-log-change'

/** For the log's connections: plans that are made for small tables must not scan the tables when they have grown. */
export const logSession = { enable_seqscan: 'off' } as const
