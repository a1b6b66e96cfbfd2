// Reads why runs failed, for `include=failure`, and the condition that finds runs by the reason code of their failure.
import type { RunState } from '../../domain/run/states.ts'
import type { Database } from '../postgres/database.ts'
import { lookUp, rowsOf } from '../postgres/look-up.ts'

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

type FailureRow = {
  id: string
  state: RunState
  seq: number
  type: string
  payload: string
  step_message: string | null
  reject_reason: string | null
  judge_reason: string | null
}

const endOfAttempt = `${lookUp({ 'e.customer_id': 'r.customer_id', 'e.run_id': 'r.id', 'e.attempt': 'r.attempt' })} and e.terminal`

/** Of one run or of a whole page, by run id. A run that has not failed is missing. */
export async function findFailures(
  database: Database,
  customerId: string,
  ids: readonly string[],
): Promise<Map<string, FailureRecord>> {
  const rows = await database.query<FailureRow>({
    name: 'find-failures',
    text: `
select r.id, r.state, e.seq, e.type, e.payload, step.message as step_message, signal.reason as reject_reason,
  decision.reason as judge_reason
from ${rowsOf('runs', 'id', 'r')}
join event_rows e on ${endOfAttempt}
left join lateral (
  select coalesce(
    d.payload->>'provider_error_message',
    case when d.payload->>'reason_code' in ('tool_failed', 'tool_unavailable', 'template_unresolved') then d.payload->>'content' end,
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
  where ${lookUp({ 's.customer_id': 'r.customer_id', 's.run_id': 'r.id', 's.seq': 'e.seq - 1' })} and s.action = 'reject'
) signal on true
left join lateral (
  select j.payload->'judge_decision'->>'reason' as reason
  from event_rows j
  where ${lookUp({ 'j.customer_id': 'r.customer_id', 'j.run_id': 'r.id', 'j.seq': 'e.seq - 1' })}
    and j.payload->>'reason_code' <> 'step_failed'
) decision on true`,
    values: [customerId, ids],
  })
  // Not a condition of the statement: PostgreSQL might read all failed runs of the customer.
  return new Map(rows.filter(({ state }) => state === 'failed').map((row) => [row.id, readFailure(row)]))
}

const readFailure = ({ seq, type, payload, step_message, reject_reason, judge_reason }: FailureRow): FailureRecord => ({
  seq,
  type,
  payload: JSON.parse(payload),
  stepMessage: step_message,
  rejectReason: reject_reason,
  judgeReason: judge_reason,
})

/** Whether the run `r` failed with this reason code, which is that of `include=failure`. */
export const failedWith = (reasonCode: string): string => `exists (
  select 1
  from event_rows e
  where ${endOfAttempt}
    and case e.type when 'run.limit_exceeded' then e.payload->>'limitType' else e.payload->>'reason_code' end
      = ${reasonCode}
)`
