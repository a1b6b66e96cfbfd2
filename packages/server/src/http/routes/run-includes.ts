// The parts of a run that `include` adds. A part is null if the run has none.
import type { AwaitingInput, RunFailure, RunInclude, RunLimits, RunUsage } from '@runwright/contract'
import type { Database } from '../../store/postgres/database.ts'
import {
  type FailureRecord,
  findFailure,
  findLimits,
  findPlan,
  findRunUsage,
  findWait,
} from '../../store/runs/run-details.ts'

interface RunKey {
  readonly customerId: string
  readonly runId: string
}

type Reader = (database: Database, run: RunKey) => Promise<unknown>

const readers: Readonly<Record<RunInclude, Reader>> = {
  awaiting_input: async (database, { customerId, runId }): Promise<AwaitingInput | null> => {
    const wait = await findWait(database, customerId, runId)
    return (
      wait && {
        seq: wait.seq,
        reason_code: wait.reasonCode,
        input_kind: wait.inputKind,
        prompt: wait.prompt,
        since: wait.since.toISOString(),
        expires_at: wait.expiresAt.toISOString(),
      }
    )
  },
  plan: async (database, { customerId, runId }) => {
    const plan = await findPlan(database, customerId, runId)
    return plan && JSON.parse(plan)
  },
  limits: async (database, { customerId, runId }): Promise<RunLimits | null> => {
    const limits = await findLimits(database, customerId, runId)
    return (
      limits && {
        tokens: limits.tokens,
        duration_seconds: limits.durationSeconds,
        signal_timeout_seconds: limits.signalTimeoutSeconds,
      }
    )
  },
  usage: async (database, { customerId, runId }): Promise<RunUsage | null> => {
    const usage = await findRunUsage(database, customerId, runId)
    return usage && { tokens: usage.tokens, steps: usage.steps, tool_calls: usage.toolCalls }
  },
  failure: async (database, { customerId, runId }): Promise<RunFailure | null> => {
    const failure = await findFailure(database, customerId, runId)
    return failure && failureView(failure)
  },
}

export async function includedParts(
  database: Database,
  run: RunKey,
  includes: readonly RunInclude[],
): Promise<Record<string, unknown>> {
  const parts = await Promise.all(includes.map(async (name) => [name, await readers[name](database, run)] as const))
  return Object.fromEntries(parts)
}

function failureView({ seq, type, payload, stepMessage, rejectReason, judgeReason }: FailureRecord): RunFailure {
  if (type === 'run.limit_exceeded') {
    const { limitType, currentValue, threshold, unit } = payload
    return { reason_code: String(limitType), message: `${currentValue} ${unit} used; the limit is ${threshold}`, seq }
  }
  return { reason_code: String(payload.reason_code), message: stepMessage ?? rejectReason ?? judgeReason, seq }
}
