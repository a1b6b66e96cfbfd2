-- The hours of a day in one row, for the customer and for each workspace: a day by hour is one row to read instead of 96.
-- Both arrays hold 24 hours of the first event type, then 24 of the second, and so on, in the order that they are listed
-- in below. As JSON they are text, and are sent as they are. The room left on each page is for the day that is being added to.
create table usage_hours (
  customer_id text collate "C" not null,
  level text collate "C" not null check (level in ('customer', 'workspace')),
  workspace_id text collate "C" check (level = 'workspace' or workspace_id is null),
  day date not null,
  counts json not null check (json_array_length(counts) > 0 and json_array_length(counts) % 24 = 0),
  quantities json not null check (json_array_length(quantities) = json_array_length(counts))
) with (fillfactor = 70);

-- What was kept in a row per hour is moved. Nobody may fold meanwhile, and the check keeps an older process from folding
-- into rows that nobody reads any more: what it would have taken stays a delta.
lock table usage_totals in access exclusive mode;
with cells as (
  select customer_id, level, workspace_id, (period at time zone 'UTC')::date as day,
    extract(hour from period at time zone 'UTC')::integer + 24 * array_position(
      array['run.created', 'task.completed', 'tool.invoked', 'tokens.consumed'], event_type::text
    ) - 23 as place,
    count, quantity
  from usage_totals
  where grain = 'hour' and level in ('customer', 'workspace')
),
days as (
  select distinct customer_id, level, workspace_id, day
  from cells
),
every_cell as (
  select *
  from cells
  union all
  select customer_id, level, workspace_id, day, place, 0, 0
  from days
  cross join generate_series(1, 96) as place
)
insert into usage_hours (customer_id, level, workspace_id, day, counts, quantities)
select customer_id, level, workspace_id, day,
  array_to_json(array_agg(count order by place)), array_to_json(array_agg(quantity order by place))
from (
  select customer_id, level, workspace_id, day, place, sum(count)::bigint as count, sum(quantity)::bigint as quantity
  from every_cell
  group by 1, 2, 3, 4, 5
) cell
group by 1, 2, 3, 4
order by 1, 2, 3, 4;

delete from usage_totals
where grain = 'hour' and level in ('customer', 'workspace');

alter table usage_totals
  add constraint usage_totals_without_hours check (grain <> 'hour' or level not in ('customer', 'workspace'));

-- Fold; read the hours of the customer or of one workspace.
create unique index usage_hours_key on usage_hours (customer_id, level, workspace_id, day) nulls not distinct;
-- Read hours split by workspace.
create index usage_hours_of_day on usage_hours (customer_id, level, day);
