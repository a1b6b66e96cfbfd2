// Events on the wire: the envelope, every type with its payload, and the page that polling returns.
import { z } from 'zod'
import { defaultEventsPageSize, maxPageSize } from './limits.ts'
import { sensitivityTagSchema } from './sensitivity.ts'
import { toolSummarySchema } from './tool-summary.ts'
import {
  decisionTypes,
  inputKinds,
  limitTypes,
  roles,
  routingHints,
  runStatuses,
  stepOutcomes,
  toolOutcomes,
} from './vocabulary.ts'
import { instant, jsonObject, queryInteger, requestId } from './wire.ts'

const status = z.enum(runStatuses)
const reasonCode = z.string()

const transition = z.object({
  request_id: requestId,
  from_status: status,
  to_status: status,
  reason_code: reasonCode.nullable(),
})

const progressKinds = ['content_delta', 'tool_call_start', 'tool_call_done'] as const

/** Event types and the shape of `payload.value` for each. */
export const eventPayloads = {
  'run.created': z.object({
    request_id: requestId,
    input: jsonObject.optional(),
    metadata: jsonObject.optional(),
    attachment_refs: z.array(z.string()).optional(),
    sensitivity_tags: z.array(sensitivityTagSchema).optional(),
    streaming: z.boolean().optional(),
    routing_hint: z.enum(routingHints).optional(),
    routing: z
      .object({ first_role: z.enum(roles), decided_by: z.enum(['hint', 'plan', 'heuristic']), reason: z.string() })
      .optional(),
  }),
  'run.worker.started': transition,
  'run.worker.succeeded': transition,
  'run.worker.failed': transition,
  'run.worker.stalled': transition,
  'run.worker.retry_scheduled': transition,
  'run.cancelled': z.object({
    request_id: requestId,
    from_status: status,
    to_status: z.literal('cancelled'),
    reason_code: z.literal('signal_timeout').optional(),
  }),
  'run.resumed': z.object({ request_id: requestId, from_status: status, to_status: z.enum(['running', 'queued']) }),
  'run.limit_exceeded': z.object({
    limitType: z.enum(limitTypes),
    currentValue: z.number(),
    threshold: z.number(),
    unit: z.enum(['tokens', 'seconds']),
  }),
  'step.progress': z.object({
    task_id: z.string().optional(),
    kind: z.enum(progressKinds),
    content_delta: z.string().optional(),
    tool_call_id: z.string().optional(),
    tool_name: z.string().optional(),
    request_id: requestId.optional(),
  }),
  'step.done': z.object({
    task_id: z.string().optional(),
    content: z.string(),
    outcome: z.enum(stepOutcomes),
    reason_code: reasonCode.optional(),
    provider_error_message: z.string().optional(),
    request_id: requestId.optional(),
  }),
  'run.tool.invoked': z.object({
    tool_call_id: z.string(),
    tool_name: z.string(),
    tool_outcome: z.enum(toolOutcomes),
    tool_input_summary: toolSummarySchema,
    tool_output_summary: toolSummarySchema,
    policy_reason_code: z.string().nullable(),
    duration_ms: z.number(),
  }),
  'run.coordination.decision': z.object({
    request_id: requestId,
    decision_type: z.enum(decisionTypes),
    reason_code: reasonCode,
    role: z.enum(roles),
    judge_decision: z.object({ decision: z.string(), reason: z.string() }).optional(),
  }),
  'run.awaiting_input': z.object({
    request_id: requestId,
    reason_code: reasonCode,
    input_kind: z.enum(inputKinds).optional(),
  }),
  'run.signal_applied': z.object({ request_id: requestId, action: z.enum(['approve', 'reject']) }),
  'run.input_received': z.object({ request_id: requestId, action: z.literal('submit_input') }),
} as const

export type EventType = keyof typeof eventPayloads
export type EventPayload<T extends EventType> = z.infer<(typeof eventPayloads)[T]>
export const eventTypes = Object.keys(eventPayloads) as EventType[]

/** A run emits no events after one of these, unless it is retried. */
export const terminalEventTypes = [
  'run.worker.succeeded',
  'run.worker.failed',
  'run.cancelled',
  'run.limit_exceeded',
] as const satisfies readonly EventType[]

export const eventSchema = z
  .object({
    seq: z.int().min(1).describe('1, 2, 3 … within the run, without gaps'),
    type: z.enum(eventTypes),
    timestamp: instant,
    payload: z.object({ redacted: z.boolean(), value: jsonObject }),
  })
  .meta({ id: 'Event' })
export type Event = z.infer<typeof eventSchema>

/** A cursor is a `seq`; 0 is the beginning. */
const cursor = queryInteger(0, Number.MAX_SAFE_INTEGER)

export const eventsQuerySchema = z.strictObject({
  cursor: cursor.optional(),
  limit: queryInteger(1, maxPageSize, defaultEventsPageSize).optional(),
})

export const streamQuerySchema = z.strictObject({ cursor: cursor.optional() })

export const eventPageSchema = z
  .object({ events: z.array(eventSchema), next_cursor: z.int(), request_id: requestId })
  .meta({ id: 'EventPage' })
export type EventPage = z.infer<typeof eventPageSchema>
