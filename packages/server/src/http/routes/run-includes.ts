// The parts of a run that `include` adds. A part is null if the run has none.
import type {
  AwaitingInput,
  RunAgent,
  RunFailure,
  RunInclude,
  RunInput,
  RunLimits,
  RunSignal,
  RunUsage,
} from '@runwright/contract'
import type { Database } from '../../store/postgres/database.ts'
import type { Question } from '../../store/runs/question.ts'
import { findRunAgent } from '../../store/runs/run-agent.ts'
import {
  type FailureRecord,
  findFailure,
  findInput,
  findLimits,
  findPlan,
  findRunUsage,
  findWait,
} from '../../store/runs/run-details.ts'
import { findSignals } from '../../store/runs/signals.ts'
import { findSecretContent } from '../../store/sealed/inputs.ts'
import type { SealingKeys } from '../../store/sealed/sealing-keys.ts'
import type { CurrentAgents } from './agents.ts'

interface RunKey {
  readonly customerId: string
  readonly runId: string
}

export interface IncludeSources {
  readonly database: Database
  readonly keys: SealingKeys
  readonly agents: CurrentAgents
}

type Reader = (sources: IncludeSources, run: RunKey) => Promise<unknown>

const readers: Readonly<Record<RunInclude, Reader>> = {
  awaiting_input: async ({ database }, { customerId, runId }): Promise<AwaitingInput | null> => {
    const wait = await findWait(database, customerId, runId)
    return (
      wait && {
        seq: wait.seq,
        ...questionView(wait),
        since: wait.since.toISOString(),
        expires_at: wait.expiresAt.toISOString(),
      }
    )
  },
  input: async ({ database }, { customerId, runId }): Promise<RunInput | null> => {
    const sent = await findInput(database, customerId, runId)
    return sent && { input: sent.input, metadata: sent.metadata, attachment_refs: [...sent.attachmentRefs] }
  },
  signals: (sources, run) => signalViews(sources, run),
  plan: async ({ database }, { customerId, runId }) => {
    const plan = await findPlan(database, customerId, runId)
    return plan && JSON.parse(plan)
  },
  agent: (sources, run) => agentView(sources, run),
  limits: async ({ database }, { customerId, runId }): Promise<RunLimits | null> => {
    const limits = await findLimits(database, customerId, runId)
    return (
      limits && {
        tokens: limits.tokens,
        duration_seconds: limits.durationSeconds,
        signal_timeout_seconds: limits.signalTimeoutSeconds,
      }
    )
  },
  usage: async ({ database }, { customerId, runId }): Promise<RunUsage | null> => {
    const usage = await findRunUsage(database, customerId, runId)
    return usage && { tokens: usage.tokens, steps: usage.steps, tool_calls: usage.toolCalls }
  },
  failure: async ({ database }, { customerId, runId }): Promise<RunFailure | null> => {
    const failure = await findFailure(database, customerId, runId)
    return failure && failureView(failure)
  },
}

export async function includedParts(
  sources: IncludeSources,
  run: RunKey,
  includes: readonly RunInclude[],
): Promise<Record<string, unknown>> {
  const parts = await Promise.all(includes.map(async (name) => [name, await readers[name](sources, run)] as const))
  return Object.fromEntries(parts)
}

const questionView = ({ reasonCode, inputKind, prompt, call }: Question): RunSignal['asked'] => ({
  reason_code: reasonCode,
  input_kind: inputKind,
  prompt,
  tool: call?.tool ?? null,
  arguments: call?.arguments ?? null,
  arguments_hash: call?.argumentsHash ?? null,
  why: call?.why ?? null,
  has_read: call ? [...call.hasRead] : null,
})

/** Before the first execution the metadata counts, if the service has agents. */
async function agentView(
  { database, agents }: IncludeSources,
  { customerId, runId }: RunKey,
): Promise<RunAgent | null> {
  const { named = null, began = null } = (await findRunAgent(database, customerId, runId)) ?? {}
  if (began) return { name: began.agent?.name ?? null, hash: began.agent?.hash ?? null, set_hash: began.set }
  return named !== null && agents.current ? { name: named, hash: null, set_hash: null } : null
}

/** Payloads are stored with placeholders, which are masked here. What was asked is stored masked. */
async function signalViews(sources: IncludeSources, { customerId, runId }: RunKey): Promise<RunSignal[]> {
  const signals = await findSignals(sources.database, customerId, runId)
  if (signals.length === 0) return []
  const content = await findSecretContent(sources, { customerId, id: runId })
  const show = (payload: unknown) => (content?.secrets ? content.secrets.show(payload) : payload)
  return signals.map(({ seq, action, at, keyId, keyName, asked, payload }) => ({
    seq,
    action,
    at: at.toISOString(),
    key_id: keyId,
    key_name: keyName,
    asked: questionView(asked),
    payload: show(payload),
  }))
}

function failureView({ seq, type, payload, stepMessage, rejectReason, judgeReason }: FailureRecord): RunFailure {
  if (type === 'run.limit_exceeded') {
    const { limitType, currentValue, threshold, unit } = payload
    return { reason_code: String(limitType), message: `${currentValue} ${unit} used; the limit is ${threshold}`, seq }
  }
  return { reason_code: String(payload.reason_code), message: stepMessage ?? rejectReason ?? judgeReason, seq }
}
