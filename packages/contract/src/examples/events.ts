// One example of every event type, as they would occur in one run. The published schema shows them.
import type { EventPayload, EventType } from '../schemas/events.ts'
import type { ToolSummary } from '../schemas/tool-summary.ts'
import { callId, requestIds, taskId } from './ids.ts'

const request_id = requestIds.create

const payloads: { readonly [T in EventType]: EventPayload<T> } = {
  'run.created': {
    request_id,
    streaming: true,
    routing: { first_role: 'worker', decided_by: 'plan', reason: 'plan_given' },
  },
  'run.worker.started': { request_id, from_status: 'queued', to_status: 'running', reason_code: null },
  'step.progress': {
    task_id: taskId,
    kind: 'content_delta',
    content_delta: 'Invoice 4711 names 12 hours at 95.50 each. ',
    request_id,
  },
  'run.tool.invoked': {
    tool_call_id: callId,
    tool_name: 'calculator',
    tool_outcome: 'succeeded',
    tool_input_summary: toolSummary({ expression: '12 * 95.5' }),
    tool_output_summary: toolSummary({ result: 1146 }),
    policy_reason_code: null,
    duration_ms: 3,
  },
  'step.done': {
    task_id: taskId,
    content: 'Invoice 4711 names 12 hours at 95.50 each. The total of 1,146.00 is right.',
    outcome: 'succeeded',
    request_id,
  },
  'run.coordination.decision': {
    request_id,
    decision_type: 'await_input',
    reason_code: 'approval_required',
    role: 'judge',
    judge_decision: { decision: 'await_input', reason: 'approval_required' },
  },
  'run.awaiting_input': { request_id, reason_code: 'payment_over_limit', input_kind: 'approval' },
  'run.signal_applied': { request_id: requestIds.signal, action: 'approve' },
  'run.input_received': { request_id: requestIds.signal, action: 'submit_input' },
  'run.worker.stalled': {
    request_id: requestIds.signal,
    from_status: 'running',
    to_status: 'stalled',
    reason_code: 'heartbeat_lost',
  },
  'run.resumed': { request_id: requestIds.signal, from_status: 'stalled', to_status: 'running' },
  'run.worker.failed': {
    request_id: requestIds.signal,
    from_status: 'running',
    to_status: 'failed',
    reason_code: 'provider_error',
  },
  'run.worker.retry_scheduled': {
    request_id: requestIds.retry,
    from_status: 'failed',
    to_status: 'queued',
    reason_code: null,
  },
  'run.worker.succeeded': {
    request_id: requestIds.retry,
    from_status: 'running',
    to_status: 'succeeded',
    reason_code: null,
  },
  'run.cancelled': {
    request_id,
    from_status: 'running',
    to_status: 'cancelled',
    reason_code: 'signal_timeout',
  },
  'run.limit_exceeded': { limitType: 'cost_ceiling', currentValue: 1_000_412, threshold: 1_000_000, unit: 'tokens' },
}

function toolSummary(value: Record<string, string | number>): ToolSummary {
  const preview = JSON.stringify(value)
  const leaves = Object.entries(value)
  return {
    schema_version: 'v1',
    preview,
    highlights: leaves.map(([key, leaf]) => ({ key, value: String(leaf), redacted: false })),
    stats: {
      fields_total: leaves.length,
      fields_redacted: 0,
      bytes_before_redaction: preview.length,
      bytes_after_redaction: preview.length,
    },
    truncated: false,
  }
}

const exampleEvent = <T extends EventType>(type: T, index: number) => ({
  seq: index + 1,
  type,
  timestamp: `2026-11-15T09:30:${String(index).padStart(2, '0')}.120Z`,
  payload: { redacted: type === 'run.created', value: payloads[type] },
})

/** Every type once, in an order in which they can occur, with matching `seq` and `timestamp`. */
export const exampleEvents = (Object.keys(payloads) as EventType[]).map(exampleEvent)
