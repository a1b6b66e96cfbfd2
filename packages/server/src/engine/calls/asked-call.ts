// Describes a call to the person who decides about it. The ledger masks secrets when it writes the wait.
import { hash } from 'node:crypto'
import { readKinds } from '@runwright/contract'
import { canonicalJson } from '../../domain/json/canonical-json.ts'
import { fillTemplates } from '../../domain/plan/fill-templates.ts'
import type { ResolvedToolStep } from '../../domain/plan/plan.ts'
import type { AskedCall } from '../../domain/run/asked-call.ts'
import type { JournaledCall, TaskKey, Touch } from '../../domain/run/journal.ts'
import { derivedWireId } from '../../runtime/derived-ids.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import { fillCall, hideCall } from './secret-calls.ts'

type Call = Pick<JournaledCall, 'name' | 'input'>
type NamedCall = Call & Pick<JournaledCall, 'callId' | 'key'>

/** Placeholders stand for secrets in the input, so the hash reveals nothing about them. */
export const argumentsHash = ({ name, input }: Call): string => hash('sha256', canonicalJson([name, input]))

/** A failed call is final. Another attempt of the step makes a new call, with the idempotency key of the first. */
export function idsOfStepCall({ run, ledger }: ExecutionContext, key: TaskKey): Pick<NamedCall, 'callId' | 'key'> {
  const idOf = (nth: number) => derivedWireId('call', run.id, key, String(nth))
  return { callId: idOf(ledger.progress.failuresOf(key).total), key: idOf(0) }
}

/** What the run has read before this call. A secret that the call passes on counts as private data. */
export function readBefore({ ledger, run }: ExecutionContext, call: Call): ReadonlySet<Touch> {
  const { touched } = ledger.progress.turns
  return fillCall(run.secrets, call).carriesSecrets ? new Set([...touched, 'private']) : touched
}

export function askedCall(context: ExecutionContext, call: NamedCall, why: string): AskedCall {
  const read = readBefore(context, call)
  return {
    tool: call.name,
    arguments: call.input,
    argumentsHash: argumentsHash(call),
    why,
    hasRead: readKinds.filter((kind) => read.has(kind)),
    callId: call.callId,
    idempotencyKey: call.key ?? call.callId,
  }
}

/**
 * The call of a step that a person approves before it starts. The payload of the answer can be part of the input
 * (`{{signal.payload}}`). Such an input, and one that cannot be filled in, is shown as written and has no hash.
 */
export function* plannedCall(
  context: ExecutionContext,
  key: TaskKey,
  step: ResolvedToolStep,
): Generator<void, AskedCall> {
  const filled = fillTemplates(step.input, { ...context.inputs.templateScope(), signal: undefined })
  const hidden = yield* hideCall(context, { name: step.tool, input: filled.ok ? filled.value : step.input })
  const call = { ...idsOfStepCall(context, key), ...hidden }
  const asked = askedCall(context, call, 'The plan requires approval before this step.')
  return filled.ok ? asked : { ...asked, argumentsHash: null }
}
