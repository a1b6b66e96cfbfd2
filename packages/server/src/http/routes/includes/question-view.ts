// What a person is asked, as the API shows it.
import type { AskedCall, RunSignal } from '@runwright/contract'
import type { AskedCall as AskedCallRecord } from '../../../domain/run/asked-call.ts'
import type { Question } from '../../../store/runs/question.ts'

export const questionView = ({ reasonCode, inputKind, prompt, call, others, rules }: Question): RunSignal['asked'] => ({
  reason_code: reasonCode,
  input_kind: inputKind,
  prompt,
  tool: call?.tool ?? null,
  arguments: call?.arguments ?? null,
  arguments_hash: call?.argumentsHash ?? null,
  why: call?.why ?? null,
  has_read: call ? [...call.hasRead] : null,
  tool_call_id: call?.callId ?? null,
  idempotency_key: call?.idempotencyKey ?? null,
  arguments_schema: call?.schema ?? null,
  calls: call ? [call, ...others].map(callView) : null,
  approval_schema: rules.approval_schema ?? null,
  approvers: rules.approvers ?? null,
  approvals: rules.approvals ?? 1,
  not_requester: rules.not_requester ?? false,
  reauth: rules.reauth ?? false,
  escalate_to: rules.escalate_to ?? null,
})

const callView = (call: AskedCallRecord): AskedCall => ({
  call_id: call.callId,
  tool: call.tool,
  arguments: call.arguments ?? null,
  arguments_hash: call.argumentsHash,
  arguments_schema: call.schema ?? null,
  why: call.why,
  has_read: [...call.hasRead],
  idempotency_key: call.idempotencyKey,
})
