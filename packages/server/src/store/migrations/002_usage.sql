-- Usage that is added up beforehand, and the budgets that are held against it.

-- What each flush of the log has recorded, added up per hour, until the fold takes it into the totals. No index and no
-- checks: the log writes here with every change, and what stands here is a second's worth of rows.
create table usage_deltas (
  customer_id text not null,
  hour timestamptz not null,
  event_type text not null,
  workspace_id text,
  subject_id text,
  count bigint not null,
  quantity bigint not null
);

-- The sum of everything folded, per hour, day and month of UTC. The level says which labels a row tells apart: a null
-- label that the level names was not attributed, any other null was not looked at.
create table usage_totals (
  customer_id text collate "C" not null,
  grain text collate "C" not null check (grain in ('hour', 'day', 'month')),
  level text collate "C" not null check (level in ('customer', 'workspace', 'subject', 'both')),
  period timestamptz not null,
  event_type text collate "C" not null,
  workspace_id text collate "C",
  subject_id text collate "C",
  count bigint not null,
  quantity bigint not null,
  check (level in ('workspace', 'both') or workspace_id is null),
  check (level in ('subject', 'both') or subject_id is null)
) with (fillfactor = 85);

-- Fold; read the usage of the customer, of one workspace, of one subject.
create unique index usage_totals_key on usage_totals
  (customer_id, grain, level, subject_id, workspace_id, period, event_type) nulls not distinct;
-- Read usage split by workspace or subject.
create index usage_totals_of_period on usage_totals (customer_id, grain, level, period);

-- Tokens that a customer, one of its workspaces or one of its subjects may spend in a day or month of UTC.
create table budgets (
  customer_id text not null references customers,
  level text not null check (level in ('customer', 'workspace', 'subject')),
  label text check (length(label) between 1 and 255),
  period text not null check (period in ('day', 'month')),
  tokens bigint not null check (tokens >= 0),
  created_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  updated_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  check ((level = 'customer') = (label is null)),
  unique nulls not distinct (customer_id, level, label)
);

-- Records from before wait for the fold like any others. Nobody may add one that is in neither.
lock table usage_records in share mode;
insert into usage_deltas (customer_id, hour, event_type, workspace_id, subject_id, count, quantity)
select customer_id, date_trunc('hour', at, 'UTC'), event_type, workspace_id, subject_id, count(*), sum(quantity)
from usage_records
group by 1, 2, 3, 4, 5;
