// Reads what `include` asks for about one run: its wait, input, plan, limits, usage and failure.
import type { RunState } from '../../domain/run/states.ts'
import type { Database } from '../postgres/database.ts'
import { type Question, readQuestion } from './question.ts'

interface WaitRecord extends Question {
  readonly seq: number
  readonly since: Date
  readonly expiresAt: Date
}

export async function findWait(database: Database, customerId: string, id: string): Promise<WaitRecord | null> {
  const [row] = await database.query<{
    await_seq: number
    wait: string
    wait_content: string
    since: Date
    await_until: Date
  }>({
    name: 'find-wait',
    text: `
select await_seq, wait, wait_content, updated_at as since, await_until
from runs
where customer_id = $2 and id = $1 and state = 'awaiting_input'`,
    values: [id, customerId],
  })
  if (!row) return null
  return {
    ...readQuestion(row.wait, row.wait_content),
    seq: row.await_seq,
    since: row.since,
    expiresAt: row.await_until,
  }
}

interface InputRecord {
  /** Objects, or "***" if the whole was tagged. */
  readonly input: unknown
  readonly metadata: unknown
  readonly attachmentRefs: readonly string[]
}

/** What the run was created with. Tagged values are masked or missing, as they are stored. */
export async function findInput(database: Database, customerId: string, id: string): Promise<InputRecord | null> {
  const [row] = await database.query<{ input: string; metadata: string; attachment_refs: string | null }>({
    name: 'find-input',
    text: `
select input, metadata, attachment_refs
from run_inputs
where customer_id = $2 and run_id = $1`,
    values: [id, customerId],
  })
  if (!row) return null
  return {
    input: JSON.parse(row.input),
    metadata: JSON.parse(row.metadata),
    attachmentRefs: row.attachment_refs === null ? [] : JSON.parse(row.attachment_refs),
  }
}

interface LimitsRecord {
  readonly tokens: number
  readonly durationSeconds: number
  readonly signalTimeoutSeconds: number
}

export async function findLimits(database: Database, customerId: string, id: string): Promise<LimitsRecord | null> {
  const [row] = await database.query<{ token_limit: number; duration_seconds: number; signal_timeout_seconds: number }>(
    {
      name: 'find-limits',
      text: `
select token_limit, duration_seconds, signal_timeout_seconds
from run_inputs
where customer_id = $2 and run_id = $1`,
      values: [id, customerId],
    },
  )
  return row
    ? {
        tokens: row.token_limit,
        durationSeconds: row.duration_seconds,
        signalTimeoutSeconds: row.signal_timeout_seconds,
      }
    : null
}

/** The current plan as JSON text: the planner's newest, otherwise the one that the run was created with. */
export async function findPlan(database: Database, customerId: string, id: string): Promise<string | null> {
  const [row] = await database.query<{ plan: string | null }>({
    name: 'find-plan',
    text: `
select coalesce((
  select j.body
  from journal j
  where j.customer_id = i.customer_id and j.run_id = i.run_id and j.key like 'plan:%'
  order by split_part(j.key, ':', 2)::integer desc
  limit 1
), i.plan) as plan
from run_inputs i
where i.customer_id = $2 and i.run_id = $1`,
    values: [id, customerId],
  })
  return row?.plan ?? null
}

interface RunUsageRecord {
  readonly tokens: number
  readonly steps: number
  readonly toolCalls: number
}

export async function findRunUsage(database: Database, customerId: string, id: string): Promise<RunUsageRecord | null> {
  const [row] = await database.query<{ tokens: number; steps: number; tool_calls: number }>({
    name: 'find-run-usage',
    text: `
select r.tokens,
  count(*) filter (where u.event_type = 'task.completed') as steps,
  count(*) filter (where u.event_type = 'tool.invoked') as tool_calls
from runs r
left join usage_rows u on u.customer_id = r.customer_id and u.run_id = r.id
where r.customer_id = $2 and r.id = $1
group by r.customer_id, r.id`,
    values: [id, customerId],
  })
  return row ? { tokens: row.tokens, steps: row.steps, toolCalls: row.tool_calls } : null
}

export interface FailureRecord {
  readonly seq: number
  /** The event that ended the attempt: its type and payload. */
  readonly type: string
  readonly payload: Readonly<Record<string, unknown>>
  /** Why a step failed: the words of the provider, of the tool or of the engine. */
  readonly stepMessage: string | null
  /** The reason that came with a `reject` signal. */
  readonly rejectReason: string | null
  /** What the judge said, when its decision ended the run. */
  readonly judgeReason: string | null
}

export async function findFailure(database: Database, customerId: string, id: string): Promise<FailureRecord | null> {
  const [row] = await database.query<{
    seq: number
    type: string
    payload: string
    state: RunState
    step_message: string | null
    reject_reason: string | null
    judge_reason: string | null
  }>({
    name: 'find-failure',
    text: `
select r.state, e.seq, e.type, e.payload, step.message as step_message, signal.reason as reject_reason,
  decision.reason as judge_reason
from runs r
join event_rows e on e.customer_id = r.customer_id and e.run_id = r.id and e.attempt = r.attempt and e.terminal
left join lateral (
  select coalesce(
    d.payload->>'provider_error_message',
    case when d.payload->>'reason_code' in ('tool_failed', 'template_unresolved') then d.payload->>'content' end,
    (
      select j.body->>'message'
      from journal j
      where j.customer_id = r.customer_id and j.run_id = r.id and j.key like 'fail:%'
        and j.body->>'attempt' = r.attempt::text and j.body->>'message' is not null
      limit 1
    )
  ) as message
  from event_rows d
  where d.customer_id = r.customer_id and d.run_id = r.id and d.attempt = r.attempt and d.type = 'step.done'
    and d.payload->>'outcome' = 'fail_run'
  order by d.seq desc
  limit 1
) step on true
left join lateral (
  select case when json_typeof(s.payload) = 'object' then s.payload->>'reason' end as reason
  from signals s
  where s.customer_id = r.customer_id and s.run_id = r.id and s.action = 'reject' and s.seq = e.seq - 1
) signal on true
left join lateral (
  select j.payload->'judge_decision'->>'reason' as reason
  from event_rows j
  where j.customer_id = r.customer_id and j.run_id = r.id and j.seq = e.seq - 1
    and j.payload->>'reason_code' <> 'step_failed'
) decision on true
where r.customer_id = $2 and r.id = $1`,
    values: [id, customerId],
  })
  if (row?.state !== 'failed') return null
  const { seq, type, payload, step_message, reject_reason, judge_reason } = row
  return {
    seq,
    type,
    payload: JSON.parse(payload),
    stepMessage: step_message,
    rejectReason: reject_reason,
    judgeReason: judge_reason,
  }
}
