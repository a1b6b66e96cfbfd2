// Why a run failed, as `include=failure` shows it.
import type { RunFailure } from '@runwright/contract'
import type { FailureRecord } from '../../../store/runs/failures.ts'

export function failureView(failure: FailureRecord): RunFailure {
  const { seq, type, payload, stepMessage, rejectReason, judgeReason } = failure
  if (type === 'run.limit_exceeded') {
    const { limitType, currentValue, threshold, unit } = payload
    return { reason_code: String(limitType), message: `${currentValue} ${unit} used; the limit is ${threshold}`, seq }
  }
  return { reason_code: String(payload.reason_code), message: stepMessage ?? rejectReason ?? judgeReason, seq }
}
