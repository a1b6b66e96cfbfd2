// Waits for tools whose server is not connected, as for a model that does not answer: with growing pauses, parked if
// they are long, and given up after the same time. So no step goes on with fewer tools than it was promised.
import { journalEntry } from '../../domain/run/journal.ts'
import { retryName } from '../../domain/run/turn-log.ts'
import type { ModelFailure } from '../../models/port/model.ts'
import { coordinationDecision } from '../../runs/step-events.ts'
import type { ToolAbsence } from '../../tools/port/tool.ts'
import { throwIfAborted } from '../context/abort-reason.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import { type CallTrouble, nextTry } from '../context/retry-schedule.ts'
import { type Parked, waitUntil } from '../context/wait-until.ts'
import { isDenied } from './call-policy.ts'

type Kind = ToolAbsence['kind']

/** The tools that something needs. */
interface Needed {
  /** Identifies the wait within the run. */
  readonly key: string
  readonly names: readonly string[]
  /** Which absences count. Those that are not `away` end the wait at once. */
  readonly kinds: readonly Kind[]
}

/** A tool is missing for good, or was away for too long. */
interface Missing {
  readonly kind: 'missing'
  readonly message: string
}

/** Returns undefined when no tool is missing. */
export async function awaitTools(context: ExecutionContext, needed: Needed): Promise<Parked | Missing | undefined> {
  await tryServers(context, needed.names)
  const known = context.ledger.progress.turns.retryOf(needed.key)
  // When a client retries the run, the count starts again.
  let trouble: CallTrouble | undefined = known?.attempt === context.run.attempt ? { ...known, skipped: 0 } : undefined
  for (;;) {
    const absence = findAbsence(context, needed)
    if (!absence) return undefined
    if (absence.kind !== 'away') return { kind: 'missing', message: absence.message }
    if (trouble === undefined || trouble.dueAtMs <= context.clock.elapsedMs) {
      const nowMs = context.clock.elapsedMs
      const failed = { failure: failureOf(absence), startedAtMs: nowMs }
      const next = nextTry({ trouble, failed, nowMs, models: 1 }, context.parts.providerRetry)
      if (next.kind === 'give_up') return { kind: 'missing', message: next.failure.message }
      trouble = next.trouble
      await tellTrouble(context, needed.key, trouble)
    }
    const parked = await waitUntil(context, trouble.dueAtMs)
    if (parked) return parked
  }
}

/** For a step or an agent that names its tools. Those that the policy denies are not offered, so none is needed. */
export const awaitNamedTools = (context: ExecutionContext, key: string, tools: readonly string[]) =>
  awaitTools(context, {
    key,
    names: tools.filter((name) => !isDenied(context, name)),
    kinds: ['away', 'refused', 'unknown'],
  })

/** For a step that may use all tools: waits until those of each server are known, or the server was tried. */
export const listTools = (context: ExecutionContext): Promise<void> =>
  unlessAborted(context, context.catalogue.whenListed(context.signal))

const tryServers = (context: ExecutionContext, names: readonly string[]): Promise<unknown> =>
  unlessAborted(context, Promise.all(names.map((name) => context.catalogue.whenTried(name, context.signal))))

async function unlessAborted<T>({ signal }: ExecutionContext, wait: Promise<T>): Promise<T> {
  try {
    return await wait
  } catch (error) {
    throwIfAborted(signal)
    throw error
  }
}

function findAbsence({ catalogue }: ExecutionContext, { names, kinds }: Needed): ToolAbsence | undefined {
  const absences = names.flatMap((name) => catalogue.absence(name) ?? []).filter(({ kind }) => kinds.includes(kind))
  return absences.find(({ kind }) => kind !== 'away') ?? absences[0]
}

const failureOf = ({ message }: ToolAbsence): ModelFailure => ({
  kind: 'failure',
  reasonCode: 'tool_unavailable',
  message,
  retry: 'call',
  text: '',
  usage: undefined,
})

/** A short wait is not journaled. A long one is, with its decision. */
async function tellTrouble(context: ExecutionContext, key: string, trouble: CallTrouble): Promise<void> {
  const { tries, firstAtMs, dueAtMs } = trouble
  const { requestId, attempt } = context.run
  if (dueAtMs - context.clock.elapsedMs <= context.parts.providerRetry.parkAboveMs) return
  await context.ledger.apply({
    events: [coordinationDecision(requestId, { decision: 'continue', reasonCode: 'tool_retry', role: 'worker' })],
    journal: [journalEntry('retry', retryName(key, { attempt, tries }), { firstAtMs, dueAtMs })],
  })
}
