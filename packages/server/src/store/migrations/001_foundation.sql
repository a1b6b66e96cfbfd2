-- Customers, keys, runs and everything a run writes. Invariants stand here as CHECKs too; every index names its query.

create table customers (
  id text primary key check (id ~ '^[A-Za-z0-9._-]{1,64}$'),
  created_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  suspended_at timestamptz
);

create table api_keys (
  id text primary key check (id ~ '^[A-Za-z0-9._-]{1,128}$'),
  customer_id text not null references customers,
  name text,
  scopes text[] not null check (
    cardinality(scopes) > 0
    and scopes <@ array['runs:read', 'runs:write', 'usage:read', 'memory:read', 'keys:admin']
  ),
  secret_hash bytea not null check (octet_length(secret_hash) = 32),
  previous_hash bytea check (octet_length(previous_hash) = 32),
  previous_valid_until timestamptz,
  created_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  check ((previous_hash is null) = (previous_valid_until is null))
);

-- List the keys of a customer.
create index api_keys_of_customer on api_keys (customer_id, created_at, id);

-- Which secrets this database belongs to: hosts with others must not start.
create table secret_fingerprints (
  name text primary key,
  fingerprint text not null
);

-- The hot row: state, fence, counters and times. What is written once stands in run_inputs and run_results.
-- The id is a UUIDv7, so it and everything keyed by it sorts by the time of creation.
create table runs (
  id uuid primary key,
  customer_id text not null,
  workspace_id text,
  subject_id text,
  run_class text not null check (run_class in ('default', 'short', 'long')),
  state text not null check (state in ('queued', 'running', 'awaiting_input', 'stalled', 'succeeded', 'failed', 'cancelled')),
  epoch integer not null default 0 check (epoch >= 0),
  attempt integer not null default 1 check (attempt >= 1),
  next_seq integer not null check (next_seq >= 1),
  tokens bigint not null default 0 check (tokens >= 0),
  recoveries integer not null default 0 check (recoveries >= 0),
  -- Null: not claimable. Set: claimable from then on, whatever made it so.
  ready_at timestamptz,
  worker_id uuid,
  lease_until timestamptz,
  await_seq integer,
  await_until timestamptz,
  wait json,
  request_id text not null,
  idempotency_key text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deadline_at timestamptz not null,
  constraint lease_is_whole check ((worker_id is null) = (lease_until is null)),
  constraint lease_while_running check (worker_id is null or state = 'running'),
  constraint leased_is_not_ready check (worker_id is null or ready_at is null),
  constraint ready_where_claimable check (ready_at is null or state in ('queued', 'running', 'stalled')),
  constraint queued_is_ready check (state <> 'queued' or ready_at is not null),
  constraint wait_is_whole check (
    (state = 'awaiting_input') = (await_seq is not null)
    and (await_seq is null) = (await_until is null)
    and (await_seq is null) = (wait is null)
  ),
  constraint time_goes_on check (updated_at >= created_at)
) with (fillfactor = 70);

-- Create: one run per customer and idempotency key.
create unique index runs_idempotency on runs (customer_id, idempotency_key);
-- List runs, newest first.
create index runs_newest on runs (customer_id, created_at desc, id desc);
-- List the runs that someone has to look at, and the cancelled, without reading past all that succeeded.
create index runs_noteworthy on runs (customer_id, state, created_at desc, id desc)
  where state in ('awaiting_input', 'stalled', 'failed', 'cancelled');
-- Claim, in lanes by class and fair over customers; count what a customer has queued.
create index runs_ready on runs (run_class, customer_id, ready_at, id) where ready_at is not null;
-- Find the leases of workers that may be gone. lease_until itself is never indexed: renewals must stay HOT.
create index runs_leased on runs (worker_id, id) where worker_id is not null;
-- Find waits that nobody answered.
create index runs_waiting on runs (await_until, id) where await_until is not null;
-- Find runs that are past their duration limit.
create index runs_deadline on runs (deadline_at, id) where state in ('queued', 'running', 'awaiting_input', 'stalled');

create table run_inputs (
  run_id uuid primary key,
  customer_id text not null,
  body_hash bytea not null check (octet_length(body_hash) = 32),
  input json not null,
  metadata json not null,
  attachment_refs json,
  sensitivity_tags json,
  routing json not null,
  streaming boolean,
  plan json,
  token_limit bigint not null check (token_limit >= 1),
  duration_seconds double precision not null check (duration_seconds > 0),
  signal_timeout_seconds double precision not null check (signal_timeout_seconds > 0)
);

create table run_results (
  run_id uuid primary key,
  redacted boolean not null,
  value json not null
);

-- Keyed by run (a UUIDv7) and seq, so that a range of run_id is a range of time: ready to be partitioned and dropped by it.
create table events (
  run_id uuid not null,
  seq integer not null check (seq >= 1),
  attempt integer not null,
  type text not null,
  terminal boolean not null,
  redacted boolean not null,
  at timestamptz not null,
  payload json not null,
  primary key (run_id, seq)
);

-- The second wall: whatever the log does, a run ends once per attempt.
create unique index events_one_end on events (run_id, attempt) where terminal;

-- What a run has finished, private to the engine.
create table journal (
  run_id uuid not null,
  key text not null,
  body json not null,
  primary key (run_id, key)
);

create table signals (
  run_id uuid not null,
  seq integer not null,
  idempotency_key text,
  body_hash bytea not null check (octet_length(body_hash) = 32),
  action text not null check (action in ('approve', 'reject', 'submit_input')),
  payload json,
  -- Which wait it answered, as the engine named it.
  wait_key text,
  primary key (run_id, seq)
);

-- A repeated signal is the first one's answer again.
create unique index signals_idempotency on signals (run_id, idempotency_key) where idempotency_key is not null;

create table usage_records (
  run_id uuid not null,
  key text not null,
  customer_id text not null,
  workspace_id text,
  subject_id text,
  event_type text not null check (event_type in ('run.created', 'task.completed', 'tool.invoked', 'tokens.consumed')),
  quantity bigint not null check (quantity >= 0),
  at timestamptz not null,
  primary key (run_id, key)
);

-- Add up the usage of a customer over a range of time.
create index usage_records_of_customer on usage_records (customer_id, at);

-- What each flush of the log did: an ambiguous commit is settled by trying its batch id again.
create table log_batches (
  id uuid primary key,
  at timestamptz not null default clock_timestamp(),
  outcomes json not null
);

-- Forget settled batches.
create index log_batches_age on log_batches (at);

create table memory_items (
  id uuid primary key,
  customer_id text not null,
  workspace_id text,
  subject_id text,
  run_id uuid,
  kind text not null check (kind in ('fact', 'preference', 'procedure', 'episode')),
  status text not null default 'active' check (status in ('active', 'superseded', 'archived')),
  harness boolean not null default false,
  title text not null,
  content text not null,
  tags text[] not null default '{}',
  confidence double precision check (confidence between 0 and 1),
  superseded_by uuid,
  embedding_model text,
  embedding real[],
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check (superseded_by is null or status = 'superseded'),
  check ((embedding is null) = (embedding_model is null))
);

-- List and export memory, newest first.
create index memory_items_newest on memory_items (customer_id, created_at desc, id desc);

-- Processes that execute runs; one that has not been seen for a while is gone.
create table workers (
  id uuid primary key,
  started_at timestamptz not null default clock_timestamp(),
  seen_at timestamptz not null default clock_timestamp()
);
