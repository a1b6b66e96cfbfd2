// Fills the tables with runs that have ended, as the service would have left them: many at once, by generate_series.
import { recordsByHour, spreadOverTotals } from '../../packages/server/dist/store/usage/levels.js'

export const labels = { workspaces: 20, subjects: 200 }
const days = 10

/** The runs of these numbers: ids in the order of creation (UUIDv7), created within the last days. */
const runsOf = `
select n, at,
  (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7000' || '8000' || lpad(to_hex(n), 12, '0'))::uuid as id,
  'workspace ' || n % ${labels.workspaces} as workspace_id, 'subject ' || n % ${labels.subjects} as subject_id,
  case when n % 50 = 0 then 'failed' when n % 100 = 1 then 'cancelled' else 'succeeded' end as state,
  'req_01m7m40dvqe00bz9kme0fsk4bq' as request_id
from (
  select n, date_trunc('milliseconds', now() - interval '1 hour' - ($2 - n) * interval '${days} days' / $2) as at
  from generate_series($1::integer, $2::integer) n
) numbered`

const says = 'This is the sandbox: it follows a script and does not think.'
const json = (value) => `'${JSON.stringify(value)}'::json`
const events = [
  ['run.worker.started', { from_status: 'queued', to_status: 'running', reason_code: null }],
  ['step.progress', { task_id: 'task_01m7m40dvqefyr5pwvz4gc5x6a', kind: 'content_delta', content_delta: says }],
  ['step.done', { task_id: 'task_01m7m40dvqefyr5pwvz4gc5x6a', content: says, outcome: 'succeeded' }],
  ['run.coordination.decision', { decision_type: 'stop', reason_code: 'all_done', role: 'judge' }],
  ['run.worker.succeeded', { from_status: 'running', to_status: 'succeeded', reason_code: null }],
]
const eventValues = events.map(([type, payload], index) => `(${index + 2}, '${type}', ${json(payload)})`).join(', ')

const tables = [
  `insert into runs (customer_id, id, workspace_id, subject_id, run_class, state, next_seq, tokens, request_id,
    idempotency_key, created_at, updated_at, deadline_at)
  select 'bench', id, workspace_id, subject_id, 'default', state, 7, 15, request_id, id::text, at, at, at + interval '1 day'
  from run`,
  `insert into run_inputs (customer_id, run_id, body_hash, input, metadata, title, token_limit, duration_seconds,
    signal_timeout_seconds, created_at, created_payload)
  select 'bench', id, sha256(id::text::bytea), ${json({ question: 'What is 2 + 2?' })}, '{}', 'What is 2 + 2?', 1000000,
    86400, 43200, at, ${json({ routing: { first_role: 'worker' } })}
  from run`,
  `insert into run_results (customer_id, run_id, redacted, value)
  select 'bench', id, false, ${json({ content: says, output: null })}
  from run
  where state = 'succeeded'`,
  `insert into event_rows (customer_id, run_id, seq, attempt, type, terminal, redacted, at, payload)
  select 'bench', id, seq, 1, type, seq = 6, false, at, payload
  from run
  cross join (values ${eventValues}) as event (seq, type, payload)`,
  `insert into journal (customer_id, run_id, key, body)
  select 'bench', id, 'done:0/#0', ${json({ stepId: '#0', kind: 'agent', content: says, output: null, order: 0 })}
  from run`,
  `insert into usage_rows (customer_id, run_id, key, workspace_id, subject_id, event_type, quantity, at)
  select 'bench', id, event_type || id, workspace_id, subject_id, event_type, quantity, at
  from run
  cross join (values ('task.completed', 1), ('tokens.consumed', 15)) as usage (event_type, quantity)`,
  `insert into memory_items (customer_id, id, workspace_id, subject_id, run_id, kind, harness, title, content,
    created_at, updated_at)
  select 'bench', id, workspace_id, subject_id, id, 'episode', true, 'Run ' || id, '- #0: ${says}', at, at
  from run
  where state = 'succeeded'`,
]

/** Adds the runs from one number to another. */
export async function fillRuns(database, from, to) {
  for (const insert of tables) {
    await database.run({ text: insert.replace(/\bfrom run\b/, `from (${runsOf}) run`), values: [from, to] })
  }
}

/** Rebuilds the usage totals from the records. */
export async function fillTotals(database) {
  await database.run({ text: 'truncate usage_totals, usage_deltas' })
  await database.run({
    text: `
insert into usage_totals (customer_id, grain, level, period, event_type, workspace_id, subject_id, count, quantity)
${spreadOverTotals(recordsByHour('true'))}
order by 1, 2, 3, 7, 6, 4, 5`,
  })
}
