// The statement that reads what is known of the steps of the runs `$2` of the customer `$1`: at most `$3` bytes of
// texts, of outputs and of answers, and what the newest `$4` events of a run say.
import { lookUp, rowsOf } from '../postgres/look-up.ts'

const origins = `
select r.id as run_id, 'origin' as part, null::text as key, -1 as seq, r.updated_at as at, i.plan as body,
  null::integer as bytes,
  json_build_object(
    'state', r.state, 'attempt', r.attempt, 'first_role', i.created_payload->'routing'->>'first_role'
  ) as details
from ${rowsOf('runs', 'id', 'r')}
left join run_inputs i on ${lookUp({ 'i.customer_id': 'r.customer_id', 'i.run_id': 'r.id' })}`

// The text of a step is taken from its event.
const entries = `
select run_id, 'entry', key, 0, null, case
    when is_done and sum > $3 then json_build_object(
      'stepId', body->'stepId', 'kind', body->'kind', 'order', body->'order', 'redacted', body->'redacted',
      'content', '', 'output', '(' || to_char(bytes, 'FM999,999,999') || ' bytes left out)…'
    )
    else body
  end, null, null
from (
  select *, sum(bytes) filter (where is_done)
    over (partition by run_id order by (body->>'order')::integer desc nulls last, key) as sum
  from (
    select j.run_id, j.key, j.body, j.key like 'done:%' as is_done, octet_length(j.body::text) as bytes
    from ${rowsOf('journal', 'run_id', 'j')}
    where j.key ~ '^(done|fail|plan|carried|unplanned|replan|next|await|resolved|stop|kept):'
  ) entry
) sized`

const answers = `
select s.run_id, 'answer', s.wait_key, s.seq, e.at, case when s.sum <= $3 then s.payload end, s.bytes,
  json_build_object('action', s.action, 'call', s.call)
from (
  select *, sum(bytes) over (partition by run_id order by seq desc) as sum
  from (
    select s.customer_id, s.run_id, s.seq, s.action, s.payload, s.wait_key, s.call,
      octet_length(s.payload::text) as bytes
    from ${rowsOf('signals', 'run_id', 's')}
  ) signal
) s
join event_rows e on ${lookUp({ 'e.customer_id': 's.customer_id', 'e.run_id': 's.run_id', 'e.seq': 's.seq' })}`

// Of the pieces of text and the calls of a step, only the first one counts.
const events = `
select s.run_id, case s.type
    when 'step.progress' then 'begin'
    when 'step.done' then 'end'
    when 'run.awaiting_input' then 'question'
    else 'start'
  end, s.task_id, coalesce(s.seq, 0), s.at, null, s.bytes,
  case when s.type = 'step.done' then json_build_object(
    'outcome', e.payload->'outcome', 'reason_code', e.payload->'reason_code',
    'message', e.payload->'provider_error_message',
    'content', case when s.sum <= $3 then e.payload->'content' end
  ) end
from (
  select *, sum(bytes) filter (where type = 'step.done') over (partition by run_id order by seq desc nulls last) as sum
  from (
    select run_id, type, case when type in ('step.progress', 'step.done') then payload->>'task_id' end as task_id,
      case when type <> 'step.progress' then seq end as seq, min(at) as at, max(size) as bytes
    from unnest($2::uuid[]) as wanted (wanted_id)
    cross join lateral (
      select run_id, seq, type, at, size, payload
      from event_rows
      where customer_id = $1 and run_id = wanted_id
      order by seq desc
      limit $4
    ) newest
    where type in ('step.progress', 'step.done', 'run.awaiting_input', 'run.worker.started', 'run.resumed')
    group by 1, 2, 3, 4
  ) event
) s
left join event_rows e
  on s.type = 'step.done' and ${lookUp({ 'e.customer_id': '$1', 'e.run_id': 's.run_id', 'e.seq': 's.seq' })}`

// A model is asked before the first event of its step.
const turns = `
select t.run_id, 'begin', t.task_key, 0, min(t.started_at), null, null, null
from ${rowsOf('turns', 'run_id', 't')}
group by t.run_id, t.task_key`

export const stepFactsStatement = `
${[origins, entries, answers, events, turns].join('\nunion all\n')}
order by run_id, seq, key`
