// The call of a tool step: its ids, its input with placeholders, and which sensitive values the client names in it.
import { fillTemplates } from '../../domain/plan/fill-templates.ts'
import type { ResolvedToolStep } from '../../domain/plan/plan.ts'
import { keepOwnTemplates } from '../../domain/plan/template.ts'
import type { JournaledCall, TaskKey } from '../../domain/run/journal.ts'
import { derivedWireId } from '../../runtime/derived-ids.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import { hideCall } from './secret-calls.ts'

/** A failed call is final. Another attempt of the step makes a new call, with the idempotency key of the first. */
export function idsOfStepCall({ run, ledger }: ExecutionContext, key: TaskKey): Pick<JournaledCall, 'callId' | 'key'> {
  return { callId: idOf(run, key, ledger.progress.failuresOf(key).total), key: idOf(run, key, 0) }
}

/** The calls of the attempts before this one, oldest first. */
export const earlierCallsOf = ({ run, ledger }: ExecutionContext, key: TaskKey): string[] =>
  Array.from({ length: ledger.progress.failuresOf(key).total }, (_, nth) => idOf(run, key, nth))

const idOf = (run: ExecutionContext['run'], key: TaskKey, nth: number): string =>
  derivedWireId('call', run.id, key, String(nth))

interface FilledStep {
  readonly key: TaskKey
  readonly step: ResolvedToolStep
  /** The input of the step, filled in. */
  readonly input: unknown
}

/** Yields where the work can be interrupted. */
export function* stepCall(context: ExecutionContext, { key, step, input }: FilledStep): Generator<void, JournaledCall> {
  const ids = idsOfStepCall(context, key)
  const named = yield* namedByClient(context, key, step)
  const hidden = yield* hideCall(context, { name: step.tool, input })
  return { ...ids, modelCallId: ids.callId, ...hidden, ...named }
}

/**
 * The secrets that the step itself names, with a template, a placeholder or the value. Those that come with the output
 * of an earlier step or the payload of a signal do not count: a model or a stranger may have written them.
 */
function* namedByClient(
  context: ExecutionContext,
  key: TaskKey,
  { input }: ResolvedToolStep,
): Generator<void, Pick<JournaledCall, 'byClient'>> {
  const { secrets } = context.run
  if (!secrets || !context.ledger.progress.isClients(key)) return {}
  const scope = context.inputs.templateScope()
  const own = fillTemplates(keepOwnTemplates(input, scope.stepIds), scope)
  const named = own.ok ? secrets.secretsIn(yield* secrets.hide(own.value)) : []
  return { byClient: named.map(({ source }) => source) }
}
