// Fills every large table with rows of so many runs, for tests of query plans. All of it at once takes longer than a
// statement may on a busy machine.

export const fillWith = (runs: number): string[] =>
  `
insert into runs (customer_id, id, workspace_id, subject_id, run_class, state, next_seq, ready_at, request_id, idempotency_key, created_at, updated_at,
  deadline_at)
select 'customer-' || n % 50, gen_random_uuid(), 'workspace ' || n % 7, 'subject ' || n % 1000, 'default',
  case when n % 10 = 0 then 'queued' else 'succeeded' end, 6,
  case when n % 10 = 0 then now() end, 'req', n, at, at, at + interval '1 day'
from generate_series(1, ${runs}) n
cross join lateral (select now() - n * interval '1 second') as clock (at);
insert into run_inputs (customer_id, run_id, body_hash, input, metadata, token_limit, duration_seconds,
  signal_timeout_seconds, created_at, created_payload)
select customer_id, id, decode(repeat('00', 32), 'hex'), '{}', '{}', 1, 1, 1, created_at, '{}'
from runs;
insert into run_results (customer_id, run_id, redacted, value)
select customer_id, id, false, '{}'
from runs
where state = 'succeeded';
insert into turns (customer_id, run_id, seq, attempt, epoch, task_key, call_key, role, started_at, shared, messages,
  body, size)
select customer_id, id, seq, 1, 1, '0/a', '0/a:' || seq, 'worker', created_at, 0, '[]', '{}', 4
from runs, generate_series(1, 3) seq;
insert into event_rows (customer_id, run_id, seq, attempt, type, terminal, redacted, at, payload)
select customer_id, id, seq, 1, 'step.progress', seq = 6, false, created_at, '{}'
from runs
cross join generate_series(2, 6) seq;
insert into usage_rows (customer_id, run_id, key, workspace_id, subject_id, event_type, quantity, at)
select customer_id, id, event_type, workspace_id, subject_id, event_type, 1, created_at
from runs
cross join (values ('task.completed'), ('tool.invoked')) as types (event_type);
insert into journal (customer_id, run_id, key, body)
select customer_id, id, 'done:0/' || n, '{}'
from runs
cross join generate_series(1, 2) n;
insert into customers (id)
select distinct customer_id
from runs
union all
select 'idle-' || n
from generate_series(1, ${runs / 10}) n;
insert into webhooks (customer_id, id, url, event_types, sealed, sealed_key)
select c.id, md5(c.id || n)::uuid, 'https://a.example/', '{run.created}', '', 1
from customers c, generate_series(1, 5) n;
insert into schedules (customer_id, id, cron, time_zone, catch_up, run, sealed, sealed_key, next_at, due_at)
select c.id, md5(c.id || n)::uuid, '0 9 * * *', 'UTC', 'skip', '{}', '', 1, now() + n * interval '1 h',
  now() + n * interval '1 h'
from customers c, generate_series(1, 4) n;
insert into webhook_deliveries (customer_id, webhook_id, run_id, seq, type, status, at, queued_at, next_at, ended_at)
select customer_id, md5(customer_id || 1)::uuid, id, 1, 'run.created', 'queued', created_at, created_at,
  case when state = 'queued' then now() end, case when state <> 'queued' then now() end
from runs
limit 12000;
insert into signals (customer_id, run_id, seq, idempotency_key, body_hash, action, key_id, via, asked, asked_content)
select customer_id, id, 3, 'key', decode(repeat('00', 32), 'hex'), 'approve', 'key_1', 'api', '{}', '{}'
from runs;
insert into votes (customer_id, run_id, await_seq, nth, idempotency_key, body_hash, action, key_id, roles, via,
  asked, asked_content, at)
select customer_id, id, 3, 1, 'key', decode(repeat('00', 32), 'hex'), 'approve', 'key_1', '[]', 'api', '{}', '{}', created_at
from runs;
insert into audit_entries (customer_id, seq, at, action, key_id, via, target, details, hash)
select customer_id, row_number() over (partition by customer_id order by created_at), created_at, 'run.cancel',
  'key_' || substr(id::text, 1, 3), 'api', id, '{}', sha256(id::text::bytea)
from runs;
insert into removed_keys (customer_id, key_hash)
select customer_id, sha256(id::text::bytea)
from runs;
analyze`.split(/;\n/)
