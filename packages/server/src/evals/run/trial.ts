// One trial of a case: creates a run as a client does, follows it, and gathers what it left behind.
import type { Event, EventPayload, RunDetail } from '@runwright/contract'
import { fromWireId } from '../../runtime/ids.ts'
import { linkSignals } from '../../runtime/linked-signal.ts'
import type { Database } from '../../store/postgres/database.ts'
import { findHistories, type RunHistory } from '../../store/runs/journals.ts'
import { allTurns } from '../../store/turns/turns.ts'
import type { EvalCase } from '../cases/case.ts'
import { awaitingInput } from '../cases/check.ts'
import type { ModelCall, Observation, ObservedCall } from '../checks/observation.ts'
import type { World } from '../world/world.ts'
import { followRun } from './follow-run.ts'
import { RequestRefused, ServiceClient } from './service-client.ts'

export interface TrialPlace {
  readonly url: string
  /** Each trial has a customer of its own: notes in memory and worlds are not shared. */
  readonly customerId: string
  readonly key: string
  readonly database: Database
  readonly world: World | undefined
  readonly signal: AbortSignal
}

const defaultMaxSeconds = 600

/** Undefined if the evaluation was stopped before the trial ended. */
export async function runTrial(asked: EvalCase, place: TrialPlace): Promise<Observation | undefined> {
  const client = new ServiceClient(place.url, place.key)
  const begun = performance.now()
  const timeout = AbortSignal.timeout((asked.limits.max_seconds ?? defaultMaxSeconds) * 1000)
  const { signal, release } = linkSignals(place.signal, timeout)
  try {
    const runId = await client.create(createBody(asked), place.customerId)
    const { events, ending } = await followRun(client, runId, { answers: asked.answers, signal })
    // Read before the cancel, which takes the open question away.
    const run = await client.read(runId)
    if (ending !== 'terminal') await cancel(client, runId)
    if (place.signal.aborted) return undefined
    const seconds = Math.round(performance.now() - begun) / 1000
    return await observe({ run, runId, place, events, ending, seconds })
  } catch (error) {
    if (!(error instanceof RequestRefused)) throw error
    return { ...nothing, runId: undefined, status: 'refused', why: error.message, state: place.world?.snapshot() }
  } finally {
    release()
  }
}

/** The run may have ended meanwhile. */
async function cancel(client: ServiceClient, runId: string): Promise<void> {
  await client.cancel(runId).catch((error: unknown) => {
    if (!(error instanceof RequestRefused)) throw error
  })
}

const nothing = { content: '', output: null, calls: [], tokens: 0, modelCalls: [], turns: 0, seconds: 0 }

const createBody = ({ input, plan, agent, model, routing_hint }: EvalCase): object => ({
  input,
  metadata: { ...(agent !== undefined && { agent }), ...(model !== undefined && { model }) },
  ...(plan !== undefined && { plan }),
  ...(routing_hint !== undefined && { routing_hint }),
})

interface Ended {
  readonly run: RunDetail
  readonly runId: string
  readonly place: TrialPlace
  readonly events: readonly Event[]
  readonly ending: 'terminal' | 'unanswered' | 'aborted'
  readonly seconds: number
}

async function observe({ run, runId, place, events, ending, seconds }: Ended): Promise<Observation> {
  const history = await historyOf(place, runId)
  const { modelCalls, replies } = await readTurns(place, runId)
  const value = run.event_payload.value as { content: string; output: unknown } | null
  return {
    runId,
    ...endOf(run, ending),
    content: value?.content ?? '',
    output: value?.output ?? null,
    calls: callsOf(events, history),
    tokens: run.usage?.tokens ?? 0,
    modelCalls,
    turns: replies || countTurns(history),
    seconds,
    state: place.world?.snapshot(),
  }
}

function endOf({ status, failure, awaiting_input: asked }: RunDetail, ending: Ended['ending']) {
  if (ending === 'unanswered')
    return { status: awaitingInput, why: asked?.prompt ?? asked?.reason_code ?? 'no answer is left' } as const
  if (ending === 'aborted') return { status: 'timeout', why: 'the run did not end in time and was cancelled' } as const
  const why = failure ? [failure.reason_code, failure.message].filter(Boolean).join(': ') : undefined
  return { status, why } as const
}

async function historyOf({ database, customerId }: TrialPlace, runId: string): Promise<RunHistory> {
  const id = fromWireId('run', runId) ?? ''
  const histories = await findHistories(database, [{ customerId, id }])
  return histories.get(id) ?? { entries: [], answers: [] }
}

/** The calls to models, and how many of them were replies to the worker. The sandbox leaves none. */
async function readTurns({ database, customerId }: TrialPlace, runId: string) {
  const modelCalls: ModelCall[] = []
  let replies = 0
  for await (const { role, body } of allTurns(database, { customerId, id: fromWireId('run', runId) ?? '' })) {
    if (role === 'worker' && body.outcome === 'reply') replies += 1
    if (body.usage !== null) modelCalls.push({ model: body.model, tokens: body.usage })
  }
  return { modelCalls, replies }
}

/** Of the sandbox. The last reply of a step is in its `done` entry only, unless a model judged it. */
function countTurns({ entries }: RunHistory): number {
  const replies = entries.filter((entry) => entry.kind === 'reply')
  const hasLast = (step: string) =>
    replies.some(({ name, body }) => name.startsWith(`${step}:`) && body.calls.length === 0 && !body.finish)
  const unlisted = entries.filter(
    (entry) => entry.kind === 'done' && entry.body.kind === 'agent' && !hasLast(entry.name),
  )
  return replies.length + unlisted.length
}

/** The events tell the order and the outcome, the journal the arguments in full. */
function callsOf(events: readonly Event[], { entries }: RunHistory): readonly ObservedCall[] {
  const inputs = new Map<string, unknown>()
  for (const entry of entries) {
    if (entry.kind === 'reply') for (const call of entry.body.calls) inputs.set(call.callId, call.input)
  }
  return events
    .filter(({ type }) => type === 'run.tool.invoked')
    .map(({ payload }) => {
      const { tool_call_id, tool_name, tool_outcome, tool_input_summary } =
        payload.value as unknown as EventPayload<'run.tool.invoked'>
      const input = inputs.has(tool_call_id) ? inputs.get(tool_call_id) : fromPreview(tool_input_summary.preview)
      return { name: tool_name, input, outcome: tool_outcome }
    })
}

/** The input of a tool step is not journaled: only its preview is left, which may be cut. */
function fromPreview(preview: string | null): unknown {
  try {
    return JSON.parse(preview ?? 'null')
  } catch {
    return preview
  }
}
