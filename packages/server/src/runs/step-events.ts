// The events of steps, tools and decisions, with exactly the fields of the specification.
import type {
  DecisionType,
  InputKind,
  LimitType,
  Role,
  StepOutcome,
  ToolOutcome,
  ToolSummary,
} from '@runwright/contract'
import type { NewEvent } from '../store/run-log/run-change.ts'

export interface StepOf {
  readonly requestId: string
  readonly taskId: string
}

export const contentDelta = ({ requestId, taskId }: StepOf, delta: string): NewEvent => ({
  type: 'step.progress',
  payload: { task_id: taskId, kind: 'content_delta', content_delta: delta, request_id: requestId },
})

export const toolMilestone = (
  { requestId, taskId }: StepOf,
  kind: 'tool_call_start' | 'tool_call_done',
  call: { readonly callId: string; readonly name: string },
): NewEvent => ({
  type: 'step.progress',
  payload: { task_id: taskId, kind, tool_call_id: call.callId, tool_name: call.name, request_id: requestId },
})

export interface StepEnd {
  readonly content: string
  readonly outcome: StepOutcome
  readonly reasonCode?: string | undefined
  readonly providerMessage?: string | undefined
}

export const stepDone = ({ requestId, taskId }: StepOf, end: StepEnd): NewEvent => ({
  type: 'step.done',
  payload: {
    task_id: taskId,
    content: end.content,
    outcome: end.outcome,
    ...(end.reasonCode !== undefined && { reason_code: end.reasonCode }),
    ...(end.providerMessage !== undefined && { provider_error_message: end.providerMessage }),
    request_id: requestId,
  },
})

export interface Decision {
  readonly decision: DecisionType
  readonly reasonCode: string
  readonly role: Role
  /** The judge's own words. Absent if it was not asked. */
  readonly said?: { readonly decision: DecisionType; readonly reason: string } | undefined
}

export const coordinationDecision = (requestId: string, { decision, reasonCode, role, said }: Decision): NewEvent => ({
  type: 'run.coordination.decision',
  payload: {
    request_id: requestId,
    decision_type: decision,
    reason_code: reasonCode,
    role,
    ...(role === 'judge' && { judge_decision: said ?? { decision, reason: reasonCode } }),
  },
})

export const awaitingInput = (
  requestId: string,
  wait: { reasonCode: string; inputKind: InputKind | null },
): NewEvent => ({
  type: 'run.awaiting_input',
  payload: {
    request_id: requestId,
    reason_code: wait.reasonCode,
    ...(wait.inputKind !== null && { input_kind: wait.inputKind }),
  },
})

interface Invocation {
  readonly callId: string
  readonly name: string
  readonly outcome: ToolOutcome
  readonly inputSummary: ToolSummary
  readonly outputSummary: ToolSummary
  readonly policyReasonCode: string | null
  readonly durationMs: number
}

export const toolInvoked = (call: Invocation): NewEvent => ({
  type: 'run.tool.invoked',
  payload: {
    tool_call_id: call.callId,
    tool_name: call.name,
    tool_outcome: call.outcome,
    tool_input_summary: call.inputSummary,
    tool_output_summary: call.outputSummary,
    policy_reason_code: call.policyReasonCode,
    duration_ms: call.durationMs,
  },
})

export interface ExceededLimit {
  readonly limitType: LimitType
  readonly currentValue: number
  readonly threshold: number
}

export const limitExceeded = ({ limitType, currentValue, threshold }: ExceededLimit): NewEvent => ({
  type: 'run.limit_exceeded',
  payload: { limitType, currentValue, threshold, unit: limitType === 'cost_ceiling' ? 'tokens' : 'seconds' },
  terminal: true,
})
