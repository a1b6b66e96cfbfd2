// Reads everything that is stored of a customer, or of one of its subjects, as the API shows it: sensitive values are
// masked, and hashes, vectors and the private journal of the engine are left out, except for what forks took over.
import type { Database } from '../postgres/database.ts'
import { type DataOwner, ofOwner, ownerValues } from './runs-of.ts'

/** One record, with the names of columns. Ids are UUIDs. */
export interface ExportedRecord {
  /** What it is: `run`, `event` and so on. */
  readonly record: string
  readonly fields: Readonly<Record<string, unknown>>
}

const runOfOwner = `customer_id = $1 and ($2::text is null or run_id in (
  select id
  from runs
  where customer_id = $1 and subject_id = $2
))`
const labelled = `customer_id = $1 and ${ofOwner}`
/** Is not part of the data of a subject. */
const ofCustomer = '$2::text is null'

const queries: Readonly<Record<string, string>> = {
  customer: `
select id, created_at, suspended_at, retention_days
from customers
where id = $1 and ${ofCustomer}`,
  key: `
select id, name, person, roles, scopes, created_at, updated_at, expires_at, revoked_at, last_used_at
from api_keys
where customer_id = $1 and ${ofCustomer}`,
  schedule: `
select id, name, cron, time_zone, catch_up, subject_id, run, created_at, updated_at, next_at, last_at, last_run_id,
  last_error, missed
from schedules
where ${labelled}`,
  webhook: `
select id, name, url, format, event_types, created_at, updated_at, paused_at, disabled_at
from webhooks
where customer_id = $1 and ${ofCustomer}`,
  webhook_delivery: `
select webhook_id, run_id, seq, type, status, workspace_id, subject_id, at, queued_at, attempt, ended_at, delivered,
  attempted_at, response_status, error
from webhook_deliveries
where ${labelled}`,
  audit: `
select seq, at, action, key_id, key_name, via, target, details, encode(hash, 'hex') as hash
from audit_entries
where customer_id = $1 and ${ofCustomer}
order by seq`,
  budget: `
select level, label, period, tokens, created_at, updated_at
from budgets
where customer_id = $1 and (${ofCustomer} or level = 'subject' and label = $2)`,
  run: `
select r.id, r.workspace_id, r.subject_id, r.run_class, r.state, r.attempt, r.tokens, r.wait, r.wait_content,
  r.request_id, r.idempotency_key, r.created_at, r.updated_at, r.deadline_at, i.title, i.input, i.metadata,
  i.attachment_refs, i.sensitivity_tags, i.plan, i.forked_from, i.forked_step, o.value as result
from runs r
join run_inputs i on i.customer_id = r.customer_id and i.run_id = r.id
left join run_results o on o.customer_id = r.customer_id and o.run_id = r.id
where r.customer_id = $1 and ($2::text is null or r.subject_id = $2)`,
  event: `
select run_id, seq, attempt, type, at, payload
from events
where ${runOfOwner}`,
  // What forks took over. The run that it comes from may have been removed.
  kept_step: `
select run_id, entry->'body'->'stepId' as step_id, entry->'body'->'content' as content, entry->'body'->'output' as output
from journal
cross join json_array_elements(body->'entries') entry
where ${runOfOwner} and key = 'kept:run' and entry->>'key' like 'done:%'`,
  kept_answer: `
select run_id, answer->'action' as action, answer->'payload' as payload
from journal
cross join json_array_elements(body->'answers') answer
where ${runOfOwner} and key = 'kept:run'`,
  turn: `
select run_id, seq, attempt, task_key, role, started_at, shared, messages, body
from turns
where ${runOfOwner}`,
  signal: `
select run_id, seq, idempotency_key, action, payload, call, calls, key_id, key_name, person, roles, via,
  asked, asked_content
from signals
where ${runOfOwner}`,
  vote: `
select run_id, await_seq, nth, at, idempotency_key, action, payload, call, calls, key_id, key_name, person, roles, via,
  asked, asked_content
from votes
where ${runOfOwner}`,
  usage: `
select run_id, key, workspace_id, subject_id, event_type, quantity, at, details
from usage_records
where ${labelled}`,
  usage_of_removed_runs: `
select hour, workspace_id, subject_id, event_type, agent, model, input, output, cached, count, quantity
from removed_usage
where ${labelled}`,
  memory: `
select id, workspace_id, subject_id, run_id, kind, status, harness, title, content, tags, confidence, untrusted,
  superseded_by, embedding_model, created_at, updated_at
from memory_items
where ${labelled}`,
}

const pageSize = 200

/** One snapshot: all records are of the same moment. */
export const exportData = (
  database: Database,
  owner: DataOwner,
  write: (records: readonly ExportedRecord[]) => Promise<void>,
): Promise<void> =>
  database.transaction(async (client) => {
    await client.query('set transaction isolation level repeatable read read only')
    for (const [record, query] of Object.entries(queries)) {
      await client.query(
        `declare exported no scroll cursor for select row_to_json(t) as fields from (${query}) t`,
        ownerValues(owner),
      )
      for (let isMore = true; isMore; ) {
        const { rows } = await client.query<{ fields: string }>(`fetch ${pageSize} from exported`)
        await write(rows.map(({ fields }) => ({ record, fields: JSON.parse(fields) })))
        isMore = rows.length === pageSize
      }
      await client.query('close exported')
    }
  })
