// The statement that trims runs which have ended: it deletes what is not read any more, and joins small rows.
//
// - Of a run that succeeded or was cancelled, the journal entries that only an execution reads. A failed run keeps its
//   journal, because it can be retried.
// - Of every run, the rows of streamed pieces of text. Up to `maxFolded` + 1 pieces of a step in a row become one event
//   row with their text, which stands for all of their seqs.
//
// Runs are trimmed in the order of their ids, so of their creation. `trimmed_runs` has how far that is.
import type { JournalKind } from '../../domain/run/journal.ts'
import { terminalStates } from '../../domain/run/states.ts'
import { lookUp } from '../postgres/look-up.ts'
import { sqlList } from '../postgres/sql-list.ts'

/** How many events before it a row can stand for. A read of events looks so many rows ahead. */
export const maxFolded = 49

/** Larger pieces are worth a row, and a row with many of them would be too large for a page. */
const maxPieceBytes = 1_000

/**
 * The others are read after the end: `agents`, `plan` and `carried` by the includes, `file`, `touch`, `search`,
 * `result` and `kept` by a replay.
 */
const trimmedKinds: readonly JournalKind[] = [
  ...(['done', 'fail', 'reply', 'grade', 'revise', 'retry', 'summary', 'call', 'try', 'sleep'] as const),
  ...(['unplanned', 'replan', 'broken', 'next', 'stop', 'await', 'resolved'] as const),
]

// A run that has not ended long enough ago ends the batch of its customer, so that it is not passed over.
const due = `
candidate as (
  select c.id as customer_id, r.id, r.state,
    bool_and(r.state in (${sqlList(terminalStates)}) and r.updated_at < clock_timestamp() - $1 * interval '1 hour')
      over (partition by c.id order by r.id) as is_due
  from customers c
  left join trimmed_runs t on t.customer_id = c.id
  cross join lateral (
    select id, state, updated_at
    from runs
    where customer_id = c.id and id > coalesce(t.up_to, '00000000-0000-0000-0000-000000000000')
    order by id
    limit $2
  ) r
  -- A customer that is being moved to another cell is trimmed there.
  where c.move is null
),
due as materialized (
  select customer_id, id, state
  from candidate
  where is_due
  order by customer_id, id
  limit $2
)`

const ofRun = (alias: string) => lookUp({ [`${alias}.customer_id`]: 'r.customer_id', [`${alias}.run_id`]: 'r.id' })

export const trimStatement = `
with ${due},
marked as (
  insert into trimmed_runs (customer_id, up_to)
  select customer_id, (array_agg(id order by id desc))[1]
  from due
  group by customer_id
  on conflict (customer_id) do update set up_to = excluded.up_to
),
trimmed_journal as (
  delete from journal j
  using due r
  where ${ofRun('j')} and r.state in ('succeeded', 'cancelled') and split_part(j.key, ':', 1) in (${sqlList(trimmedKinds)})
),
piece as (
  select e.customer_id, e.run_id, e.seq, e.redacted, e.payload->>'task_id' as task_id,
    e.payload->>'content_delta' as text,
    e.seq - row_number() over (partition by e.customer_id, e.run_id, e.payload->>'task_id' order by e.seq) as stretch
  from due r
  join event_rows e on ${ofRun('e')}
    and e.type = 'step.progress'
    and e.payload->>'kind' = 'content_delta'
    and e.folded = 0
    and e.size < ${maxPieceBytes}
),
numbered as (
  select *, (row_number() over (partition by customer_id, run_id, task_id, stretch order by seq) - 1) / ${maxFolded + 1} as block
  from piece
),
block as materialized (
  select customer_id, run_id, task_id, max(seq) as seq, count(*) - 1 as folded, bool_or(redacted) as redacted,
    string_agg(text, '' order by seq) as text
  from numbered
  group by customer_id, run_id, task_id, stretch, block
  having count(*) > 1
),
deleted as (
  delete from event_rows e
  using block b
  where ${lookUp({ 'e.customer_id': 'b.customer_id', 'e.run_id': 'b.run_id' })}
    and e.seq >= b.seq - b.folded
    and e.seq < b.seq
),
folded as (
  update event_rows e
  set folded = b.folded,
    redacted = b.redacted,
    payload = json_strip_nulls(json_build_object('task_id', b.task_id, 'kind', 'content_delta', 'content_delta', b.text,
      'request_id', e.payload->>'request_id'))
  from block b
  where ${lookUp({ 'e.customer_id': 'b.customer_id', 'e.run_id': 'b.run_id', 'e.seq': 'b.seq' })}
)
select count(*) as trimmed
from due`
