// Events on the wire: the envelope, every type with its payload, and the page that polling returns.
import { z } from 'zod'
import { type EventReason, eventReasons } from '../vocabulary/event-reasons.ts'
import { defaultEventsPageSize, maxEventWaitSeconds, maxPageSize } from '../vocabulary/limits.ts'
import {
  decisionTypes,
  inputKinds,
  limitTypes,
  roles,
  routingHints,
  runStatuses,
  stepOutcomes,
  toolOutcomes,
} from '../vocabulary/vocabulary.ts'
import { sensitivityTagSchema } from './sensitivity.ts'
import { toolSummarySchema } from './tool-summary.ts'
import { extensible, id, instant, jsonObject, type Open, openEnum, published, queryInteger, requestId } from './wire.ts'

const status = z.enum(runStatuses)
/** A gate of a plan, the sandbox's script and an own tool may name codes of their own. */
export const eventReasonSchema = published(
  z.string() as unknown as z.ZodType<Open<EventReason>>,
  extensible(Object.keys(eventReasons)),
)
  .describe('A code of the service, or of the plan or the script of the run')
  .meta({ id: 'EventReason' })
const taskId = z.string().describe('The step. It stays the same when the step is tried again')

const transition = z.object({
  request_id: requestId,
  from_status: status,
  to_status: status,
  reason_code: eventReasonSchema.nullable(),
})

const progressKinds = ['content_delta', 'tool_call_start', 'tool_call_done'] as const

/** Event types and the shape of `payload.value` for each. */
export const eventPayloads = {
  'run.created': z.object({
    request_id: requestId,
    input: jsonObject.optional().describe('Removed on every read'),
    metadata: jsonObject.optional().describe('Removed on every read'),
    attachment_refs: z.array(z.string()).optional().describe('Removed on every read'),
    sensitivity_tags: z.array(sensitivityTagSchema).optional().describe('Removed on every read'),
    streaming: z.boolean().optional().describe('As in the request'),
    routing_hint: z.enum(routingHints).optional().describe('As in the request'),
    routing: z
      .object({ first_role: z.enum(roles), decided_by: openEnum(['hint', 'plan', 'heuristic']), reason: z.string() })
      .optional()
      .describe('Which role begins, and why'),
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
    currentValue: z.number().describe('What the run has used'),
    threshold: z.number().describe('The limit of the run'),
    unit: z.enum(['tokens', 'seconds']),
  }),
  'step.progress': z.object({
    task_id: taskId.optional(),
    kind: z.enum(progressKinds),
    content_delta: z.string().optional().describe('With kind `content_delta`: the text to append'),
    tool_call_id: z.string().optional().describe('With the other kinds: the call'),
    tool_name: z.string().optional(),
    request_id: requestId.optional(),
  }),
  'step.done': z.object({
    task_id: taskId.optional(),
    content: z.string().describe('The result: the text of an agent step, the output of a tool step as JSON'),
    outcome: z.enum(stepOutcomes).describe('`retry_step`: the step is tried again. `fail_run`: the run fails'),
    reason_code: eventReasonSchema.optional(),
    provider_error_message: z.string().optional().describe('What the model provider said, if its call failed'),
    request_id: requestId.optional(),
  }),
  'run.tool.invoked': z.object({
    tool_call_id: z.string().describe('The same in `step.progress`, and sent to the tool'),
    tool_name: z.string(),
    tool_outcome: z.enum(toolOutcomes),
    tool_input_summary: toolSummarySchema.describe('A shortened form without sensitive values'),
    tool_output_summary: toolSummarySchema.describe('The same for what the tool returned'),
    policy_reason_code: eventReasonSchema.nullable().describe('Why the call was denied; otherwise null'),
    duration_ms: z.number(),
  }),
  'run.coordination.decision': z.object({
    request_id: requestId,
    decision_type: z.enum(decisionTypes),
    reason_code: eventReasonSchema,
    role: z.enum(roles),
    judge_decision: z
      .object({ decision: z.string(), reason: z.string() })
      .optional()
      .describe('What the judge decided, in its words'),
  }),
  'run.awaiting_input': z.object({
    request_id: requestId,
    reason_code: eventReasonSchema,
    input_kind: z.enum(inputKinds).optional().describe('What kind of answer is expected. Every action is accepted'),
  }),
  'run.signal_applied': z.object({ request_id: requestId, action: z.enum(['approve', 'reject']) }),
  'run.input_received': z.object({ request_id: requestId, action: z.literal('submit_input') }),
} as const

export type EventType = keyof typeof eventPayloads
export type EventPayload<T extends EventType> = z.infer<(typeof eventPayloads)[T]>
export const eventTypes = Object.keys(eventPayloads) as EventType[]

/** After these a run is `failed`, and can be retried. */
export const failureEventTypes = ['run.worker.failed', 'run.limit_exceeded'] as const satisfies readonly EventType[]

/** A run emits no events after one of these, unless it has failed and is retried. */
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
  wait: queryInteger(0, maxEventWaitSeconds, 0)
    .optional()
    .describe(
      'How many seconds to wait for an event if there is none after `cursor`. An extension to the published interface specification',
    ),
})

export const streamQuerySchema = z.strictObject({ cursor: cursor.optional() })

export const streamCustomerEventsQuerySchema = z.strictObject({
  cursor: published(z.string(), { type: 'string', pattern: '^[A-Za-z0-9_-]+$' })
    .describe('The id of the last message that you have handled. Default: from now on')
    .optional(),
})

export const customerEventSchema = z
  .object({ run_id: id('run'), ...eventSchema.shape })
  .meta({ id: 'CustomerEvent', description: 'An event of one of the runs of the customer' })
export type CustomerEvent = z.infer<typeof customerEventSchema>

export const streamPositionSchema = z
  .strictObject({})
  .meta({ id: 'StreamPosition', description: 'The data of `position`. Only the id of the message matters' })

export const eventPageSchema = z
  .object({ events: z.array(eventSchema), next_cursor: z.int(), request_id: requestId })
  .meta({ id: 'EventPage' })
export type EventPage = z.infer<typeof eventPageSchema>
