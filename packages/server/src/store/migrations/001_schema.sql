-- The whole schema. Each table and each index has a comment; that of an index names the queries it serves.
--
-- Every table has a primary key, or a replica identity if parts of its key may be null: logical replication needs one.
-- See docs/upgrading.md. The ids of customers are compared by their bytes (collate "C") in every table: that is
-- cheaper than by the rules of a language, and their order does not depend on the operating system.
--
-- Every table that holds data of a run has `customer_id`, first in its primary key and in its unique keys: the schema
-- can be distributed by customer without changing a key. These tables have no foreign keys: a foreign key would look up
-- and lock a row that is busy already, once per inserted row. See docs/decisions/0006.

-- ---------------------------------------------------------------------------------------------------------------------
-- Customers and their API keys

create table customers (
  id text collate "C" primary key check (id ~ '^[A-Za-z0-9._-]{1,64}$'),
  created_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  -- Null: not suspended.
  suspended_at timestamptz,
  -- How long runs are kept after their end. Null: as the settings of the service say.
  retention_days integer check (retention_days >= 1),
  -- Null: the customer lives in this cell. See docs/decisions/0018.
  -- copying: its ended runs are being copied to another cell; leaving: its runs are not claimed any more; held: its
  -- writes are refused, too; moved: it lives in another cell; gone: nothing else of it is left here; arriving: it does
  -- not live here yet.
  move text check (move in ('copying', 'leaving', 'held', 'moved', 'gone', 'arriving')),
  -- The other cell.
  move_cell text,
  check ((move is null) = (move_cell is null))
);

-- Find customers that are being moved, with every create, claim and change. There are hardly any.
create index customers_moving on customers (id) where move in ('copying', 'leaving', 'held', 'moved', 'arriving');

-- Fails if writes of one of these customers are refused. Class 23: the run log and creates then try each row alone.
create function refuse_moving(customer_ids text[]) returns boolean language plpgsql as $$
begin
  if exists (
    select from customers where move in ('held', 'moved', 'arriving') and id = any (customer_ids)
  ) then
    raise exception 'the customer is being moved to another cell' using errcode = '23M01';
  end if;
  return true;
end
$$;

-- For tables that are rarely written. The connection that moves a customer sets `runwright.moves`.
create function refuse_row_of_moving() returns trigger language plpgsql as $$
begin
  if current_setting('runwright.moves', true) is distinct from 'on' and exists (
    select
    from customers
    where id = case tg_op when 'DELETE' then old.customer_id else new.customer_id end
      and move in ('held', 'moved', 'gone', 'arriving')
  ) then
    raise exception 'the customer is being moved to another cell' using errcode = '23M01';
  end if;
  return case tg_op when 'DELETE' then old else new end;
end
$$;

-- API keys. Only hashes of the secrets are stored. After a rotation the old secret is valid for a while; after several
-- rotations, each old one until its own time.
create table api_keys (
  id text primary key check (id ~ '^[A-Za-z0-9._-]{1,128}$'),
  customer_id text collate "C" not null references customers,
  name text,
  scopes text[] not null check (
    cardinality(scopes) > 0
    and scopes <@ array['runs:read', 'runs:write', 'runs:signal', 'runs:admin', 'usage:read', 'memory:read', 'keys:admin',
      'webhooks:admin', 'audit:read', 'tokens:create', 'links:create']
  ),
  secret_hash bytea not null check (octet_length(secret_hash) = 32),
  -- The hashes of old secrets, and until when each of them is valid.
  old_hashes bytea[] not null default '{}',
  old_until timestamptz[] not null default '{}',
  created_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  -- When it was created, rotated or revoked.
  updated_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  -- The keys that were shown a secret of it when they created it, and when they rotated it last. Null: the operator.
  created_by text,
  rotated_by text,
  -- What it may decide, and whose key it is. Null: it stands for itself. An approval counts once per person.
  roles text[] not null default '{}',
  person text check (length(person) between 1 and 255),
  -- Who signs in with it, as the identity provider says. Such a row is that of a person: it has no secret, and a new
  -- hash ends all sessions. Null: a key with a secret.
  issuer text check (length(issuer) <= 1000),
  subject text check (length(subject) between 1 and 255),
  -- When the provider was asked for the groups that count. What it was asked before that changes nothing any more.
  groups_at timestamptz,
  check (cardinality(old_hashes) = cardinality(old_until)),
  check ((issuer is null) = (subject is null) and (issuer is null or person is not null)),
  check ((issuer is null) = (groups_at is null))
);

-- Everything but `last_used_at`, which is written for many customers at once.
create trigger api_keys_of_moving
  before insert or delete or update of scopes, secret_hash, old_hashes, old_until, expires_at, revoked_at, roles, person,
    groups_at
  on api_keys
  for each row execute function refuse_row_of_moving();

-- List the keys of a customer.
create index api_keys_of_customer on api_keys (customer_id, created_at, id);

-- Find the row of a person who signs in. One per customer.
create unique index api_keys_of_people on api_keys (customer_id, issuer, subject) where issuer is not null;

-- Sessions of the console. Only a hash of the token is stored. A session ends with its key, and with the secret of the
-- key that it was opened with. Of a person who has signed in, it also pauses when the groups have to be read again.
create table console_sessions (
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  customer_id text collate "C" not null references customers,
  key_id text not null references api_keys,
  -- As in `api_keys`, when the session was opened.
  secret_hash bytea not null check (octet_length(secret_hash) = 32),
  created_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  expires_at timestamptz not null,
  -- Until when the groups count that the provider told. Null: a session that was opened with a key.
  groups_until timestamptz,
  -- Until when a process is reading them again. Only one does at a time: a refresh token works once. A process that
  -- finds another time here than it wrote was too slow, and changes nothing.
  renewing_until timestamptz,
  -- Encrypted with a key that is derived from the token of the session, which only the browser has. Null: there is
  -- none.
  sealed_refresh bytea,
  -- When the person last proved to the provider who they are. Null: the provider did not say.
  signed_in_at timestamptz,
  check (groups_until is not null or (renewing_until is null and sealed_refresh is null and signed_in_at is null))
);

-- End all sessions of a person.
create index console_sessions_of_people on console_sessions (key_id) where groups_until is not null;

create trigger console_sessions_of_moving
  before insert or update on console_sessions
  for each row execute function refuse_row_of_moving();
-- Signing out. Upkeep deletes the expired sessions of all customers.
create trigger console_sessions_end_of_moving
  before delete on console_sessions
  for each row when (old.expires_at > clock_timestamp()) execute function refuse_row_of_moving();

-- Delete sessions that have expired.
create index console_sessions_by_expiry on console_sessions (expires_at);

-- Fingerprints of the secrets that this database was set up with. A host with other secrets does not start.
create table secret_fingerprints (
  name text primary key,
  fingerprint text not null
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Keys that encrypt tagged values. They are stored wrapped (encrypted) by the installation's encryption key, so that
-- key can be changed by wrapping them again.

create table data_keys (
  id integer generated always as identity primary key,
  purpose text not null check (purpose in ('values', 'hashes')),
  -- Fingerprint of the encryption key that was current at creation: a new encryption key brings a new data key.
  made_under text not null,
  created_at timestamptz not null default clock_timestamp()
);

-- One key for hashes, for good: hashes must stay comparable.
create unique index data_keys_one_for_hashes on data_keys (purpose) where purpose = 'hashes';

-- One row for each encryption key that can unwrap a data key: two while the encryption key is being changed.
create table data_key_wraps (
  data_key integer not null references data_keys,
  -- Fingerprint of the encryption key.
  wrapped_by text not null,
  wrapped bytea not null,
  primary key (data_key, wrapped_by)
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Types of single columns in `runs` and `run_inputs`. PostgreSQL loads the checks of a table for every statement that
-- writes to it, but those of a type once per connection: creates take 8 to 18 % less time. See docs/decisions/0013.

create domain run_class as text check (value in ('default', 'short', 'long'));
create domain run_state as text
  check (value in ('queued', 'running', 'awaiting_input', 'stalled', 'succeeded', 'failed', 'cancelled'));
create domain counter as integer check (value >= 0);
create domain ordinal as integer check (value >= 1);
create domain token_count as bigint check (value >= 0);
create domain token_limit as bigint check (value >= 1);
create domain seconds as double precision check (value > 0);
create domain sha256_hash as bytea check (octet_length(value) = 32);

-- ---------------------------------------------------------------------------------------------------------------------
-- Runs

-- The part of a run that changes: state, fence, counters and times. What is written once is in `run_inputs` and
-- `run_results`. The row is the queue entry too: a run with `ready_at` can be claimed.
create table runs (
  customer_id text collate "C" not null,
  -- A UUIDv7: ids sort by the time of creation.
  id uuid not null,
  workspace_id text,
  subject_id text,
  run_class run_class not null,
  state run_state not null,
  -- The fence: it rises with every claim, stall, command and end. A worker's write must carry the current value.
  epoch counter not null default 0,
  attempt ordinal not null default 1,
  next_seq ordinal not null,
  -- The seq of the next turn.
  next_turn ordinal not null default 1,
  tokens token_count not null default 0,
  recoveries counter not null default 0,
  -- How many workers vanished while they executed it, since it last finished a step. A run with several is a suspect,
  -- which is kept apart from others. See docs/decisions/0023.
  lost_workers counter not null default 0,
  -- Whether its last worker executed nothing else when it began with the run.
  alone boolean not null default false,
  -- The newest version of a worker that has had the run. Older workers do not claim it: they might misread its journal.
  journal_version smallint not null default 1,
  -- Null: cannot be claimed. Otherwise: can be claimed from then on.
  ready_at timestamptz,
  worker_id uuid,
  lease_until timestamptz,
  -- When the current step must have ended, as its worker said with the last renewal; every other write clears it. The
  -- sweep ends the step of a worker that hangs.
  step_until timestamptz,
  -- The event that began the wait, when the wait expires, and what it waits for. Its prompt and the arguments of its
  -- tool call can be large, so they are apart. Tagged values are masked in both.
  await_seq integer,
  await_until timestamptz,
  wait json,
  wait_content json,
  -- The answers so far to a wait that several people decide: who, and a hash and the size of what. Null: none. See
  -- `votes`.
  votes json,
  request_id text not null,
  idempotency_key text collate "C" not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deadline_at timestamptz not null,
  primary key (customer_id, id),
  constraint lease_is_whole check ((worker_id is null) = (lease_until is null)),
  constraint lease_while_running check (worker_id is null or state = 'running'),
  constraint leased_is_not_ready check (worker_id is null or ready_at is null),
  constraint ready_where_claimable check (ready_at is null or state in ('queued', 'running', 'stalled')),
  constraint queued_is_ready check (state <> 'queued' or ready_at is not null),
  constraint wait_is_whole check (
    (state = 'awaiting_input') = (await_seq is not null)
    and (await_seq is null) = (await_until is null)
    and (await_seq is null) = (wait is null)
    and (await_seq is null) = (wait_content is null)
  ),
  constraint time_goes_on check (updated_at >= created_at)
-- Free space on each page keeps updates on it (HOT). For the same reason `lease_until`, `step_until`, `updated_at`,
-- `next_seq` and `tokens` are not indexed. A claim and an end change indexed columns: each leaves a dead row and dead
-- index entries. With the default settings PostgreSQL would remove them when they are a fifth of the table.
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

-- The next two indexes have a condition that every row meets. A statement must imply it to use the index. Without it
-- they compete with the primary key, which begins with the customer too: while the table is small PostgreSQL may choose
-- the wrong one, and keep it in the plan of a prepared statement.

-- Create a run: one per customer and idempotency key.
create unique index runs_idempotency on runs (customer_id, idempotency_key) where idempotency_key is not null;
-- List the newest runs, by reading backwards; page through usage records. Ascending, so that new entries fill up the
-- last page instead of splitting the first.
create index runs_newest on runs (customer_id, created_at, id) where created_at > '-infinity';
-- The same for the runs of a workspace, and of a subject.
create index runs_of_workspace on runs (customer_id, workspace_id, created_at, id) where workspace_id is not null;
create index runs_of_subject on runs (customer_id, subject_id, created_at, id) where subject_id is not null;
-- List runs in one of these states without reading all that succeeded.
create index runs_noteworthy on runs (customer_id, state, created_at desc, id desc)
  where state in ('awaiting_input', 'stalled', 'failed', 'cancelled');
-- Claim runs of all customers, by class and in turn; count the queued runs of a customer.
create index runs_ready on runs (run_class, customer_id, ready_at, id) where ready_at is not null;
-- Claim suspects of all customers, those with the fewest lost workers first. There are hardly any.
create index runs_suspect on runs (lost_workers, ready_at, id) where lost_workers > 0 and ready_at is not null;
-- Find expired leases and overdue steps of all customers; give back what a worker holds.
create index runs_leased on runs (worker_id, id) where worker_id is not null;
-- Find expired waits of all customers.
create index runs_waiting on runs (await_until, id) where await_until is not null;
-- Find runs of all customers that are past their deadline.
create index runs_deadline on runs (deadline_at, id) where state in ('queued', 'running', 'awaiting_input', 'stalled');

-- What a run was created with, and its first event, `run.created`. Tagged values are taken out and encrypted in
-- `sealed`.
create table run_inputs (
  customer_id text collate "C" not null,
  run_id uuid not null,
  body_hash sha256_hash not null,
  input json not null,
  metadata json not null,
  attachment_refs json,
  sensitivity_tags json,
  streaming boolean,
  plan json,
  -- One line to recognise the run by, made from the masked values.
  title text,
  token_limit token_limit not null,
  duration_seconds seconds not null,
  signal_timeout_seconds seconds not null,
  sealed bytea,
  -- The data key that sealed it.
  sealed_key integer,
  -- The smallest `retention_hint_days` of the tags.
  retention_hint_days integer,
  created_at timestamptz not null,
  -- The payload of the first event. The run's routing is read from it.
  created_payload json not null,
  -- The trace that the client's request belongs to, as it sent it. Null: none.
  traceparent text,
  -- The API key that created the run (null: the operator), and how its request came. Both null: the service itself.
  created_by text,
  created_via text,
  -- The person who created it, and for a run of a schedule the key that wrote the schedule: who may be excluded from
  -- deciding about it.
  created_person text,
  on_behalf_of text,
  -- The run that it was forked from, which may have been removed, and the last step that it kept. Null: it is not a
  -- fork.
  forked_from uuid,
  forked_step text,
  primary key (customer_id, run_id),
  constraint sealed_is_whole check ((sealed is null) = (sealed_key is null))
);

-- Find values of all customers to seal with a newer key, oldest key first; count values by key.
create index run_inputs_sealed on run_inputs (sealed_key, run_id) where sealed_key is not null;

-- Find runs of a customer that may be removed earlier than others.
create index run_inputs_hints on run_inputs (customer_id, run_id) where retention_hint_days is not null;

-- The result of a run that succeeded.
create table run_results (
  customer_id text collate "C" not null,
  run_id uuid not null,
  redacted boolean not null,
  value json not null,
  -- In bytes. Stored, because PostgreSQL would have to read and decompress the whole value to measure it.
  size integer not null generated always as (octet_length(value::text)) stored,
  primary key (customer_id, run_id)
);

-- All events but each run's first. Read them through the view `events`.
create table event_rows (
  customer_id text collate "C" not null,
  run_id uuid not null,
  seq integer not null check (seq >= 1),
  attempt integer not null,
  type text not null,
  terminal boolean not null,
  redacted boolean not null,
  -- The row stands for so many events before it, too: streamed pieces of text, folded after the run has ended.
  folded smallint not null default 0,
  at timestamptz not null,
  payload json not null,
  -- In bytes, stored for the same reason as that of a result: pages of events have a limit in bytes.
  size integer not null generated always as (octet_length(payload::text)) stored,
  primary key (customer_id, run_id, seq)
);

-- Append events: an attempt ends once, whatever the log does. Find the event that ended a run.
create unique index events_one_end on event_rows (customer_id, run_id, attempt) where terminal;

-- Follow the events of all runs of a customer. Ascending, so that new entries are near each other. The condition keeps
-- the index from competing with the primary key, as for `runs`.
create index events_by_time on event_rows (customer_id, at, run_id, seq) where at > '-infinity';

-- The event log. The columns of both parts have the same types: otherwise PostgreSQL does not use indexes through it.
create view events as
select customer_id, run_id, seq, attempt, type, terminal, redacted, folded, at, payload, size
from event_rows
union all
select customer_id, run_id, 1, 1, 'run.created'::text, false, true, 0::smallint, created_at, created_payload,
  octet_length(created_payload::text)
from run_inputs;

-- What a run has finished. Private to the engine: a run goes on after it. A day after a run has succeeded or was
-- cancelled, only the entries stay that are read later.
create table journal (
  customer_id text collate "C" not null,
  run_id uuid not null,
  key text collate "C" not null,
  body json not null,
  primary key (customer_id, run_id, key)
);

-- The calls of a run to models: what was sent and what came back, with secrets masked. A conversation grows turn by
-- turn, so a row has only the messages that differ from those of the row before it.
create table turns (
  customer_id text collate "C" not null,
  run_id uuid not null,
  seq integer not null check (seq >= 1),
  attempt integer not null,
  -- The claim that made the call. Rows of one claim, task and role form a chain.
  epoch integer not null,
  task_key text not null,
  call_key text not null,
  role text not null,
  started_at timestamptz not null,
  -- How many messages at the beginning are those of the row before it in the chain; `messages` has the others.
  shared integer not null check (shared >= 0),
  messages json not null,
  body json not null,
  -- In bytes, of the whole turn with its shared messages: pages of turns have a limit in bytes.
  size integer not null,
  primary key (customer_id, run_id, seq)
);

-- Signals that were applied.
create table signals (
  customer_id text collate "C" not null,
  run_id uuid not null,
  seq integer not null,
  idempotency_key text,
  body_hash bytea not null check (octet_length(body_hash) = 32),
  action text not null check (action in ('approve', 'reject', 'submit_input')),
  payload json,
  -- The API key that sent it, and its name at that time.
  key_id text not null,
  key_name text,
  -- The engine's name for the wait that it answered, and what was asked: `wait` and `wait_content` of the run.
  wait_key text,
  asked json not null,
  asked_content json not null,
  -- What it decides about the call, or about several.
  call json,
  calls json,
  -- Whose key it was, or who was signed in, and the roles at that time.
  person text,
  roles json not null default '[]',
  -- How it reached the service, as in the audit log.
  via text not null,
  primary key (customer_id, run_id, seq)
);

-- Apply a signal, find a repeated one: one per run and idempotency key.
create unique index signals_idempotency on signals (customer_id, run_id, idempotency_key)
  where idempotency_key is not null;

-- Answers that were counted while others had to decide, too. The answer that ended the wait is in `signals`.
create table votes (
  customer_id text collate "C" not null,
  run_id uuid not null,
  await_seq integer not null,
  -- Which answer to this wait it was: 1, 2, 3 …
  nth integer not null check (nth >= 1),
  at timestamptz not null,
  idempotency_key text,
  body_hash bytea not null check (octet_length(body_hash) = 32),
  action text not null check (action in ('approve', 'submit_input')),
  payload json,
  call json,
  calls json,
  key_id text not null,
  key_name text,
  person text,
  roles json not null,
  via text not null,
  asked json not null,
  asked_content json not null,
  primary key (customer_id, run_id, await_seq, nth)
);

-- Find a repeated answer: one per run and idempotency key.
create unique index votes_idempotency on votes (customer_id, run_id, idempotency_key)
  where idempotency_key is not null;

-- Whether an answer to a wait counts, by the wait's rules and by the roles of this moment: the function reads what was
-- committed until now, while the run's row is locked, and locks the keys that it has read until the end. An answer of
-- which more are needed is stored here. Only called for waits that have rules. An idempotency key counts once in the
-- run, whichever of the two tables has the answer. Returns outcome (applied, counted, not_approver, requester,
-- duplicate, too_many), person, roles, given and votes.
create function decide(of_customer text, of_run uuid, of_wait integer, asked json, asked_content json, voted json,
  since timestamptz, answer json) returns json language plpgsql as $$
declare
  rules constant json := asked->'rules';
  allowed text[] := array(select json_array_elements_text(rules->'approvers'));
  keys json;
  my_key constant text := answer->>'key_id';
  my_person text := answer->>'person';
  my_roles json := answer->'roles';
  others json;
  given integer;
  needed constant integer := coalesce((rules->>'approvals')::integer, 1);
  nth integer;
  result json;
begin
  perform from api_keys
  where customer_id = of_customer
    and id in (select my_key union select v->>'key_id' from json_array_elements(coalesce(voted, '[]')) v)
  order by id
  for share;
  select json_object_agg(id, json_build_object('roles', to_json(roles), 'person', person,
    'ended', revoked_at is not null or coalesce(expires_at <= clock_timestamp(), false)))
  into keys
  from api_keys
  where customer_id = of_customer
    and id in (select my_key union select v->>'key_id' from json_array_elements(coalesce(voted, '[]')) v);
  if answer->>'roles_from' = 'key' then
    my_roles := coalesce(keys->my_key->'roles', '[]');
    my_person := keys->my_key->>'person';
  end if;
  if rules->'escalate_to' is not null
    and clock_timestamp() >= since + (rules->>'escalate_after_seconds')::double precision * interval '1 second' then
    allowed := allowed || array(select json_array_elements_text(rules->'escalate_to'));
  end if;
  result := json_build_object('person', my_person, 'roles', my_roles);
  if (keys->my_key->>'ended')::boolean or (answer->>'roles_from' = 'key' and keys->my_key is null)
    or (cardinality(allowed) > 0 and not allowed && array(select json_array_elements_text(my_roles))) then
    return (result::jsonb || '{"outcome":"not_approver"}')::json;
  end if;
  if (rules->>'not_requester')::boolean and exists (
    select
    from run_inputs i
    left join api_keys k on k.customer_id = i.customer_id and k.id in (i.created_by, i.on_behalf_of)
    where i.customer_id = of_customer and i.run_id = of_run
      and (my_key in (i.created_by, i.on_behalf_of) or my_person in (i.created_person, k.person))
  ) then
    return (result::jsonb || '{"outcome":"requester"}')::json;
  end if;
  if exists (
    select from signals where customer_id = of_customer and run_id = of_run and idempotency_key = answer->>'idempotency_key'
    union all
    select from votes where customer_id = of_customer and run_id = of_run and idempotency_key = answer->>'idempotency_key'
  ) then
    return (result::jsonb || '{"outcome":"duplicate"}')::json;
  end if;
  -- The latest answer of each of the others that still may decide. Who answers again replaces the earlier answer.
  select coalesce(json_agg(v order by (v->>'nth')::integer), '[]')
  into others
  from json_array_elements(coalesce(voted, '[]')) v
  where v->>'key_id' <> my_key and coalesce(v->>'person' <> my_person, true);
  select count(*) + 1
  into given
  from json_array_elements(others) v
  where v->>'answer' = answer->>'answer'
    and not coalesce((keys->(v->>'key_id')->>'ended')::boolean, v->>'roles_from' = 'key')
    and (cardinality(allowed) = 0 or allowed && array(select json_array_elements_text(
      case when v->>'roles_from' = 'key' then keys->(v->>'key_id')->'roles' else v->'roles' end)));
  result := (result::jsonb || jsonb_build_object('given', given, 'needed', needed))::json;
  if (answer->>'is_no')::boolean or given >= needed then
    return (result::jsonb || '{"outcome":"applied"}')::json;
  end if;
  select count(*) + 1 into nth
  from votes
  where customer_id = of_customer and run_id = of_run and await_seq = of_wait;
  if nth > (answer->>'max_votes')::integer then return (result::jsonb || '{"outcome":"too_many"}')::json; end if;
  insert into votes (customer_id, run_id, await_seq, nth, at, idempotency_key, body_hash, action, payload, call, calls,
    key_id, key_name, person, roles, via, asked, asked_content)
  values (of_customer, of_run, of_wait, nth, date_trunc('milliseconds', clock_timestamp()), answer->>'idempotency_key',
    decode(answer->>'body_hash', 'hex'), answer->>'action', answer->'payload', answer->'call', answer->'calls', my_key,
    answer->>'key_name', my_person, my_roles, answer->>'via', asked, asked_content);
  return (result::jsonb || jsonb_build_object('outcome', 'counted', 'votes', others::jsonb || jsonb_build_array(
    jsonb_build_object('nth', nth, 'key_id', my_key, 'person', my_person, 'roles', my_roles,
      'roles_from', answer->>'roles_from', 'answer', answer->>'answer',
      'bytes', octet_length(concat(answer->'payload', answer->'call', answer->'calls'))))))::json;
end
$$;

-- The outcome of each flush of the run log, a row for each customer. When the answer to a commit was lost, the same
-- batch is sent again, and its rows here say what became of it.
create table log_batches (
  customer_id text collate "C" not null,
  id uuid not null,
  at timestamptz not null default clock_timestamp(),
  outcomes json not null,
  primary key (customer_id, id)
);

-- Delete old batches.
create index log_batches_age on log_batches (at);

-- How far the runs of a customer are trimmed: all up to this one, by id. See docs/decisions/0016.
create table trimmed_runs (
  customer_id text collate "C" primary key,
  up_to uuid not null
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Removed runs. See docs/decisions/0019.

-- Hashes of the idempotency keys of removed runs, made with the customer: no two customers have the same. They are
-- deleted after 30 days.
create table removed_keys (
  customer_id text collate "C" not null,
  key_hash bytea not null check (octet_length(key_hash) = 32),
  removed_at timestamptz not null default clock_timestamp(),
  primary key (customer_id, key_hash)
);

-- Delete old keys.
create index removed_keys_age on removed_keys (removed_at);

-- Fails if a run was removed that had one of these keys. A create calls it after it has inserted its runs. A statement
-- does not see rows that were committed after it began, but a volatile function does: a run that is removed during the
-- create is noticed, too.
create function refuse_removed_keys(customer_ids text[], key_hashes bytea[]) returns void
language plpgsql volatile
-- Otherwise PostgreSQL plans the query again for every batch, which takes longer than to execute it.
set plan_cache_mode = force_generic_plan
as $$
begin
  if exists (
    select
    from removed_keys
    where customer_id = any(customer_ids) and key_hash = any(key_hashes)
  ) then
    raise unique_violation using
      message = 'the run of an idempotency key was removed ("removed_keys_pkey")', constraint = 'removed_keys_pkey';
  end if;
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Processes, tools and agents

-- Processes that execute runs.
create table workers (
  id uuid primary key,
  started_at timestamptz not null default clock_timestamp(),
  seen_at timestamptz not null default clock_timestamp(),
  -- How many runs it can execute at the same time.
  places integer not null,
  -- Models that the worker does not call for a while, for `/health/deps`.
  breakers json,
  -- Which MCP servers it is connected to, for `/health/deps`.
  mcp_servers json
);

-- The tools of MCP servers, which belong to the installation and not to a customer.
create table mcp_tools (
  server text not null,
  tool text not null,
  -- Of the definition that was first seen or last accepted.
  hash text not null,
  first_seen_at timestamptz not null default clock_timestamp(),
  -- Of the definition that the server lists now, if it differs.
  changed_hash text,
  changed_at timestamptz,
  -- What the server lists now, for `/v1/tools`. Null: it no longer lists the tool.
  definition json,
  primary key (server, tool),
  constraint change_is_whole check ((changed_hash is null) = (changed_at is null))
);

-- The agents of the operator's folder, as sets that never change. A run names in its journal the set that it began
-- with.
create table agent_sets (
  hash text primary key,
  definitions json not null,
  first_seen_at timestamptz not null default clock_timestamp()
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Webhooks

-- Where events of a customer are sent to. The secrets that sign the messages are encrypted. After a rotation messages
-- are signed with the old secret, too, for a while; after several rotations, with each old one until its own time.
create table webhooks (
  customer_id text collate "C" not null references customers,
  id uuid not null,
  -- Null: it has none, and its URL says which one it is.
  name text,
  url text not null,
  -- How its messages look. The settings of the service make the row of `mail`, one for each customer that they name.
  format text not null default 'standard' check (format in ('standard', 'slack', 'teams', 'mail')),
  event_types text[] not null check (cardinality(event_types) > 0),
  sealed bytea not null,
  -- The data key that sealed it.
  sealed_key integer not null,
  -- Old secrets, the data keys that sealed them, and until when each of them signs messages.
  old_sealed bytea[] not null default '{}',
  old_sealed_keys integer[] not null default '{}',
  old_until timestamptz[] not null default '{}',
  created_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  -- When it was created, changed, rotated or disabled.
  updated_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  -- Null: not paused. Its owner has paused it; messages wait.
  paused_at timestamptz,
  -- Null: not disabled. The endpoint has answered that it is gone for good.
  disabled_at timestamptz,
  -- The key that has set the URL. Null: the operator.
  url_by text,
  -- The breaker: failures in a row, and until when nothing is sent because of them.
  failures integer not null default 0,
  paused_until timestamptz,
  primary key (customer_id, id),
  constraint old_secrets_are_whole check (
    cardinality(old_sealed) = cardinality(old_sealed_keys) and cardinality(old_sealed) = cardinality(old_until)
  )
);

create unique index webhooks_by_name on webhooks (customer_id, name) where name is not null;

-- Not the breaker, which is written when messages are sent.
create trigger webhooks_of_moving
  before insert or delete or update of name, url, event_types, paused_at, sealed, old_sealed, old_until on webhooks
  for each row execute function refuse_row_of_moving();

-- When the rare background jobs last ended.
create table job_times (
  job text primary key,
  ended_at timestamptz not null
);

-- Messages to webhooks. A row is written with its event, in the same transaction.
create table webhook_deliveries (
  customer_id text collate "C" not null,
  webhook_id uuid not null,
  run_id uuid not null,
  seq integer not null,
  -- Of the event. A question has another delivery, run.escalated, if it is to be escalated: `at` says when.
  type text not null,
  -- Of the run, after the event.
  status text not null,
  workspace_id text,
  subject_id text,
  -- The time of the event.
  at timestamptz not null,
  -- When it was written, or when someone last asked to send it again.
  queued_at timestamptz not null,
  attempt integer not null default 0,
  -- When to send it next. While it is being sent: when to send it again if its sender vanishes. Null: it has ended.
  next_at timestamptz,
  -- When it was delivered or given up.
  ended_at timestamptz,
  delivered boolean not null default false,
  -- Of the last attempt. The status is null if there was no response.
  attempted_at timestamptz,
  response_status integer,
  error text,
  -- Of webhooks that are mail: deliveries with the same one were sent as one mail. It is sent again as it was.
  mail uuid,
  primary key (customer_id, run_id, webhook_id, seq, type),
  constraint ended_or_next check ((next_at is null) = (ended_at is not null))
-- A row is updated twice or more in the first seconds of its life.
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);

-- List the deliveries of a webhook, newest first.
create index webhook_deliveries_newest on webhook_deliveries (customer_id, webhook_id, at desc, run_id desc, seq desc);
-- Find webhooks with pending deliveries, and the deliveries of a webhook that are due.
create index webhook_deliveries_pending on webhook_deliveries (customer_id, webhook_id, next_at) where next_at is not null;
-- Claim deliveries: an event of a run waits for those before it.
create index webhook_deliveries_in_order on webhook_deliveries (customer_id, webhook_id, run_id, seq)
  where next_at is not null;
-- Claim a mail whole.
create index webhook_deliveries_of_mail on webhook_deliveries (customer_id, webhook_id, mail)
  where mail is not null and next_at is not null;
-- Find out whether a delivery of any customer is due.
create index webhook_deliveries_due on webhook_deliveries (next_at) where next_at is not null;
-- Delete old deliveries of all customers.
create index webhook_deliveries_ended on webhook_deliveries (ended_at) where ended_at is not null;

-- ---------------------------------------------------------------------------------------------------------------------
-- Schedules

-- Cron expressions of a customer that create runs. The body of these runs is encrypted.
create table schedules (
  customer_id text collate "C" not null references customers,
  id uuid not null,
  name text,
  cron text not null,
  time_zone text not null,
  catch_up text not null check (catch_up in ('skip', 'latest', 'all')),
  -- Of the runs. Erasing a subject deletes its schedules.
  subject_id text,
  -- The body as the API shows it, with sensitive values masked.
  run json not null,
  sealed bytea not null,
  -- The data key that sealed it.
  sealed_key integer not null,
  created_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  -- When it was created or changed. Ticks do not count.
  updated_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  -- The next tick. Null: the schedule is paused.
  next_at timestamptz,
  -- When to act on it: at the tick, or later if the tick was refused for a reason that passes.
  due_at timestamptz,
  -- The last tick that created a run, and that run.
  last_at timestamptz,
  last_run_id uuid,
  -- Why the latest tick has created no run, as the API shows it.
  last_error json,
  -- Ticks that have created no run.
  missed integer not null default 0,
  -- The keys that wrote `run`, and that said when it fires: they created, changed or resumed it. Null: the operator.
  run_by text,
  times_by text,
  primary key (customer_id, id),
  constraint due_with_next check ((next_at is null) = (due_at is null))
);

create trigger schedules_of_moving
  before insert or delete or update on schedules
  for each row execute function refuse_row_of_moving();

-- Find schedules that are due, of all customers.
create index schedules_due on schedules (due_at) where due_at is not null;
-- Find bodies that an older data key has sealed, and count them.
create index schedules_sealed on schedules (sealed_key, customer_id, id);

-- ---------------------------------------------------------------------------------------------------------------------
-- Answers to requests with an idempotency key that create or rotate something other than a run. See
-- docs/decisions/0027.

-- A repeated request gets the first answer. A row is written in the transaction of the change, while it holds the lock
-- of the customer.
create table kept_answers (
  customer_id text collate "C" not null references customers,
  -- The name of the route.
  route text not null,
  -- Keys may contain names of people, so they are not stored themselves.
  key_hash sha256_hash not null,
  body_hash sha256_hash not null,
  -- What was created or changed, as it was then. Without secrets.
  result json not null,
  -- The secret that the answer shows is derived from it and from the pepper, so it is not stored.
  seed bytea not null,
  -- The API key that was shown the secret, and the hash of the secret that it used itself. Null: the answer shows none.
  key_id text,
  secret_hash sha256_hash,
  created_at timestamptz not null default clock_timestamp(),
  primary key (customer_id, route, key_hash)
);

create trigger kept_answers_of_moving
  before insert or update on kept_answers
  for each row execute function refuse_row_of_moving();

-- Delete old answers of all customers.
create index kept_answers_by_age on kept_answers (created_at);

-- ---------------------------------------------------------------------------------------------------------------------
-- Audit: who did what. See docs/audit.md.

-- Acts that are not in the chain yet. Each is written in the transaction of the act. The table holds about a second's
-- worth of rows.
create table audit_queue (
  customer_id text collate "C" not null,
  at timestamptz not null,
  action text not null,
  -- Null: the operator.
  key_id text,
  via text not null,
  -- What was acted on: a run, or the id of something else.
  run_id uuid,
  target text,
  details json,
  id bigint generated always as identity,
  primary key (customer_id, id)
);

-- The end of each customer's chain. Who appends to the chain locks this row, so that the chain does not fork.
create table audit_heads (
  customer_id text collate "C" primary key,
  seq bigint not null,
  -- Null: the chain is empty.
  hash bytea check (octet_length(hash) = 32)
);

-- The chain. Rows are never updated. No text of a client is in it but names of keys and workspaces, so that the erasure
-- of a subject leaves the chain as it is.
create table audit_entries (
  customer_id text collate "C" not null,
  seq bigint not null check (seq >= 1),
  at timestamptz not null,
  action text not null,
  key_id text,
  key_name text,
  via text not null,
  target text,
  details json not null,
  -- SHA-256 over the entry and the hash of the entry before it.
  hash bytea not null check (octet_length(hash) = 32),
  primary key (customer_id, seq)
);

-- List what one key has done.
create index audit_entries_of_key on audit_entries (customer_id, key_id, seq);
-- List what was done to a run, a key or a webhook.
create index audit_entries_of_target on audit_entries (customer_id, target, seq) where target is not null;
-- List one kind of act.
create index audit_entries_of_action on audit_entries (customer_id, action, seq);

-- ---------------------------------------------------------------------------------------------------------------------
-- Usage and budgets

-- All usage records but `run.created`. Read them through the view `usage_records`.
create table usage_rows (
  customer_id text collate "C" not null,
  run_id uuid not null,
  -- One per dispatch: a record that is written twice counts once.
  key text not null,
  workspace_id text,
  subject_id text,
  event_type text not null check (event_type in ('run.created', 'task.completed', 'tool.invoked', 'tokens.consumed')),
  quantity bigint not null check (quantity >= 0),
  at timestamptz not null,
  -- Of tokens: the model, input, output, cached and reasoning tokens, and whether the quantity is an estimate.
  details json,
  primary key (customer_id, run_id, key)
);

-- Page through usage records; add up the records of a customer over a range of time. The condition keeps the index from
-- competing with the primary key, as for `runs`.
create index usage_rows_of_customer on usage_rows (customer_id, at) where at > '-infinity';
-- The same for a workspace, and for a subject.
create index usage_rows_of_workspace on usage_rows (customer_id, workspace_id, at) where workspace_id is not null;
create index usage_rows_of_subject on usage_rows (customer_id, subject_id, at) where subject_id is not null;
-- Page through the records of a type that is rare here: calls of tools, and creates, which are in `runs`.
create index usage_rows_of_type on usage_rows (customer_id, event_type, at)
  where event_type in ('run.created', 'tool.invoked');

-- The usage records. The run itself is the record that it was created. The columns of both parts have the same types:
-- otherwise PostgreSQL does not use indexes through it. The parts have no conditions: with one, PostgreSQL does not
-- read them in the order of an index. So a statement that reads by time names the condition of the indexes itself.
create view usage_records as
select customer_id, run_id, key, workspace_id, subject_id, event_type, quantity, at, details
from usage_rows
union all
select customer_id, id, 'run.created'::text, workspace_id, subject_id, 'run.created'::text, 1::bigint, created_at,
  null::json
from runs;

-- The usage of removed runs per hour: what is left of their records.
create table removed_usage (
  customer_id text collate "C" not null,
  hour timestamptz not null,
  event_type text not null,
  workspace_id text,
  subject_id text,
  -- Of tokens: the agent of the runs, and what the records said in `details`. Costs are computed from them.
  agent text,
  model text,
  input bigint,
  output bigint,
  cached bigint,
  count bigint not null,
  quantity bigint not null
);

-- Add the usage of a removed run; read usage of a customer over a range of time.
-- Calls without a count of their input or output are apart from those with it.
create unique index removed_usage_key on removed_usage
  (customer_id, hour, event_type, workspace_id, subject_id, agent, model, (input is null), (output is null))
  nulls not distinct;
alter table removed_usage replica identity full;

-- What usage totals are made of: each record, and the usage of removed runs.
create view counted_usage as
select customer_id, workspace_id, subject_id, event_type, 1::bigint as count, quantity, at
from usage_records
where at > '-infinity'
union all
select customer_id, workspace_id, subject_id, event_type, count, quantity, hour
from removed_usage;

-- What each flush of the log has recorded, summed up per hour, until the fold adds it to `usage_totals`. No other index
-- and no checks: the log writes here with every change, and the table holds about a second's worth of rows.
create table usage_deltas (
  customer_id text collate "C" not null,
  hour timestamptz not null,
  event_type text not null,
  workspace_id text,
  subject_id text,
  count bigint not null,
  quantity bigint not null,
  id bigint generated always as identity,
  primary key (customer_id, id)
);

-- Sums per hour, day and month of UTC. The level says which labels the row keeps apart. A label that the level names is
-- null for usage without that label; a label that the level does not name is always null.
create table usage_totals (
  customer_id text collate "C" not null,
  grain text collate "C" not null check (grain in ('hour', 'day', 'month')),
  level text collate "C" not null check (level in ('customer', 'workspace', 'both')),
  period timestamptz not null,
  event_type text collate "C" not null,
  workspace_id text collate "C",
  subject_id text collate "C",
  count bigint not null,
  quantity bigint not null,
  check (level in ('workspace', 'both') or workspace_id is null),
  check (level = 'both' or subject_id is null)
-- The totals of the current periods are updated with every fold.
) with (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05);

-- Fold deltas; read the usage of the customer, of one workspace or of one subject.
create unique index usage_totals_key on usage_totals
  (customer_id, grain, level, subject_id, workspace_id, period, event_type) nulls not distinct;
-- Read usage split by workspace or subject.
create index usage_totals_of_period on usage_totals (customer_id, grain, level, period);
alter table usage_totals replica identity full;

-- From when on a customer has totals per hour; without a row, from the beginning. Hours before that are read from the
-- records.
create table usage_hours (
  customer_id text collate "C" primary key,
  since timestamptz not null
);

-- Tokens that a customer, one of its workspaces or one of its subjects may spend in a day or month of UTC.
create table budgets (
  customer_id text collate "C" not null references customers,
  level text not null check (level in ('customer', 'workspace', 'subject')),
  label text check (length(label) between 1 and 255),
  period text not null check (period in ('day', 'month')),
  tokens bigint not null check (tokens >= 0),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((level = 'customer') = (label is null)),
  unique nulls not distinct (customer_id, level, label)
);
alter table budgets replica identity full;

create trigger budgets_of_moving
  before insert or delete or update on budgets
  for each row execute function refuse_row_of_moving();

-- ---------------------------------------------------------------------------------------------------------------------
-- Memory

-- Counts the changes to a customer's memory; caches compare it. A transaction that changes memory locks this row until
-- its commit: versions become visible in order, and two saves of one title see each other.
create table memory_versions (
  customer_id text collate "C" primary key,
  version bigint not null check (version >= 1),
  -- The version of the last change that deleted items. A cache that is older starts again from nothing.
  deleted_version bigint not null default 0
);

-- What agents save and search, and the episodes that the service writes itself (`harness`).
create table memory_items (
  customer_id text collate "C" not null,
  id uuid not null,
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
  -- The run that saved it had read untrusted text, so the note may repeat what a stranger wrote.
  untrusted boolean not null default false,
  superseded_by uuid,
  embedding_model text,
  -- float32, little endian; the vector has length 1.
  embedding_bytes bytea check (octet_length(embedding_bytes) % 4 = 0),
  -- The customer's version when the item was last changed.
  version bigint not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Null for items of the harness: they are not searched, and one is written with every run that succeeds. The customer
  -- is a word too, so that the index finds only that customer's items; no parser makes a word that begins with @.
  words tsvector generated always as (
    case when not harness then
      setweight(to_tsvector('english', left(title, 1000)), 'A')
      || to_tsvector('english', left(content, 20000))
      || array_to_tsvector(array['@' || customer_id])
    end
  ) stored,
  primary key (customer_id, id),
  check (superseded_by is null or status in ('superseded', 'archived')),
  constraint embedding_is_whole check ((embedding_model is null) = (embedding_bytes is null))
);

-- List and export memory, newest first.
create index memory_items_newest on memory_items (customer_id, created_at desc, id desc);
-- Search by words.
create index memory_items_words on memory_items using gin (words) where status = 'active' and not harness;
-- Read the vectors of a customer that changed since a version, page by page.
create index memory_items_changes on memory_items (customer_id, version, id) where not harness;
-- Save an item: find active items with the same title.
create index memory_items_title on memory_items (customer_id, md5(title)) where status = 'active' and not harness;
-- Find items of all customers that have no embedding, or one of another model.
create index memory_items_model on memory_items (embedding_model, id) where status = 'active' and not harness;
-- Archive what was superseded long ago.
create index memory_items_superseded on memory_items (updated_at) where status = 'superseded';

-- ---------------------------------------------------------------------------------------------------------------------
-- The installation

-- What each process measured in a minute, for the page of the system. One row a minute and process, for a day.
create table service_minutes (
  minute timestamptz not null,
  process_id uuid not null,
  -- Answers of the API. `errors` are those with a status of 500 or more.
  requests integer not null,
  errors integer not null,
  -- 95 of 100 answers took no longer. Null: there were none.
  latency_ms real,
  -- Null: the process executes no runs.
  busy_places integer,
  places integer,
  -- Of the whole database, and only from the process that has the duty.
  queued integer,
  queue_seconds real,
  primary key (minute, process_id)
);
