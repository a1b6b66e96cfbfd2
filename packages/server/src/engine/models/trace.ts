// Watches one call to a model, and hands what was sent and what came back to the ledger.
import type { Role, TurnRole } from '@runwright/contract'
import { prompts } from '../../agents/load-prompt.ts'
import type { Message, Model, ModelOutcome, ModelRequest } from '../../models/port/model.ts'
import type { TurnBody } from '../../store/run-log/run-change.ts'
import type { RunClock } from '../context/run-clock.ts'
import type { RunLedger } from '../ledger/run-ledger.ts'

/** What the model gets. Only models that read prompts have their messages built. */
export type AskedRequest = Omit<ModelRequest, 'role' | 'signal' | 'maxOutputTokens' | 'origin' | 'messages'> & {
  readonly messages: () => readonly Message[]
}

interface TraceableCall {
  readonly role: Role
  readonly key: string
  readonly prompt?: 'summary' | 'grade'
  readonly promptVersion?: string
  readonly request: Pick<AskedRequest, 'messages' | 'onText' | 'tools' | 'parameters' | 'outputSchema'>
}

export interface Trace {
  /** The request that the model gets. */
  readonly request: Pick<AskedRequest, 'messages' | 'onText'>
  /** Records the call. */
  end(outcome: ModelOutcome): Promise<void>
}

/** The execution that makes the call. */
interface Caller {
  readonly ledger: RunLedger
  readonly clock: RunClock
}

/** A model that reads no prompt leaves no trace: its calls are many, and follow from the script of the run. */
export function traceCall({ ledger, clock }: Caller, call: TraceableCall, options: TraceOptions): Trace {
  const { request } = call
  if (options.model.readsPrompt === false) return { request, end: async () => undefined }
  const [startedAt, leftMs] = [performance.now(), clock.secondsLeft * 1000]
  let sent: readonly Message[] | undefined
  let firstTokenAt: number | undefined
  return {
    request: {
      messages: () => {
        sent ??= request.messages()
        return sent
      },
      onText: (text) => {
        firstTokenAt ??= performance.now()
        return request.onText(text)
      },
    },
    end: async (outcome) => {
      const durationMs = Math.round(performance.now() - startedAt)
      const firstTokenMs = firstTokenAt === undefined ? null : Math.round(firstTokenAt - startedAt)
      const body = bodyOf(call, outcome, { ...options, durationMs, firstTokenMs })
      const { attempt } = ledger.run
      await ledger.trace({ role: roleOf(call), callKey: call.key, attempt, leftMs, messages: sent ?? [], body })
    },
  }
}

interface TraceOptions {
  readonly model: Model
  /** How many times the call was made before, plus 1. */
  readonly tries: number
}

/** A grade is the judge's. */
const roleOf = ({ role, prompt }: TraceableCall): TurnRole => (prompt === 'summary' ? prompt : role)

interface Times extends TraceOptions {
  readonly durationMs: number
  readonly firstTokenMs: number | null
}

function bodyOf(call: TraceableCall, outcome: ModelOutcome, times: Times): Omit<TurnBody, 'truncated'> {
  const { tools, parameters, outputSchema } = call.request
  return {
    try: times.tries,
    model: times.model.name,
    prompt_version: call.promptVersion ?? prompts[call.prompt ?? call.role].version,
    tools: tools.map(({ name }) => name),
    parameters: { ...parameters },
    output_schema: outputSchema !== undefined,
    ...(outcome.addedToSystem !== undefined && { added_to_system: outcome.addedToSystem }),
    outcome: outcome.kind,
    reply: replyOf(outcome),
    failure: failureOf(outcome),
    usage: outcome.usage ?? null,
    first_token_ms: times.firstTokenMs,
    duration_ms: times.durationMs,
  }
}

/** Of a call that failed or was aborted: the text that had arrived. */
function replyOf(outcome: ModelOutcome): TurnBody['reply'] {
  if (outcome.kind !== 'reply') {
    return outcome.text === '' ? null : { text: outcome.text, tool_calls: [], finish: 'length' }
  }
  const { text, toolCalls, output, finish, echo } = outcome
  return {
    text,
    tool_calls: [...toolCalls],
    ...(output !== undefined && { output }),
    finish,
    ...(echo !== undefined && { echo }),
  }
}

function failureOf(outcome: ModelOutcome): TurnBody['failure'] {
  if (outcome.kind !== 'failure') return null
  const { reasonCode, message, retry } = outcome
  return { reason_code: reasonCode, message, retry }
}
