-- A run that is created writes two rows instead of four: its first event stands with its inputs, and the record that it was
-- created is the run itself. Who reads `events` and `usage_records` finds both as before; who writes, writes the rows.
alter table events rename to event_rows;
alter table usage_records rename to usage_rows;

alter table run_inputs
  -- Null: from before, when the first event had a row of its own.
  add column created_at timestamptz,
  add column created_payload json;

-- Runs tell it themselves from now on.
delete from usage_rows u
using runs r
where r.id = u.run_id and u.key = 'run.created';

create view events as
select run_id, seq, attempt, type, terminal, redacted, at, payload
from event_rows
union all
select run_id, 1, 1, 'run.created', false, true, created_at, created_payload
from run_inputs
where created_at is not null;

create view usage_records as
select run_id, key, customer_id, workspace_id, subject_id, event_type, quantity, at
from usage_rows
union all
select id, 'run.created', customer_id, workspace_id, subject_id, 'run.created', 1, created_at
from runs;
