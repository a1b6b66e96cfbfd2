-- What one column of a run may hold is for its type to check. PostgreSQL reads the CHECKs of a table anew for every statement that
-- writes to it; those of a type it reads once per connection. Columns that views show keep theirs: a view of two tables is read
-- well only while the types agree.
--
-- A domain without its check first, so that no table is written anew.
create domain run_class as text;
create domain run_state as text;
create domain counter as integer;
create domain ordinal as integer;
create domain token_count as bigint;
create domain token_limit as bigint;
create domain seconds as double precision;
create domain sha256_hash as bytea;

alter table runs
  drop constraint runs_run_class_check,
  drop constraint runs_state_check,
  drop constraint runs_epoch_check,
  drop constraint runs_attempt_check,
  drop constraint runs_next_seq_check,
  drop constraint runs_tokens_check,
  drop constraint runs_recoveries_check,
  alter column run_class type run_class,
  alter column state type run_state,
  alter column epoch type counter,
  alter column attempt type ordinal,
  alter column next_seq type ordinal,
  alter column tokens type token_count,
  alter column recoveries type counter;

alter table run_inputs
  drop constraint run_inputs_body_hash_check,
  drop constraint run_inputs_token_limit_check,
  drop constraint run_inputs_duration_seconds_check,
  drop constraint run_inputs_signal_timeout_seconds_check,
  alter column body_hash type sha256_hash,
  alter column token_limit type token_limit,
  alter column duration_seconds type seconds,
  alter column signal_timeout_seconds type seconds;

-- What is there is looked at again: it passed the same checks when it was written.
alter domain run_class add check (value in ('default', 'short', 'long'));
alter domain run_state
  add check (value in ('queued', 'running', 'awaiting_input', 'stalled', 'succeeded', 'failed', 'cancelled'));
alter domain counter add check (value >= 0);
alter domain ordinal add check (value >= 1);
alter domain token_count add check (value >= 0);
alter domain token_limit add check (value >= 1);
alter domain seconds add check (value > 0);
alter domain sha256_hash add check (octet_length(value) = 32);
