// Describes a call to the person who decides about it. The ledger masks secrets when it writes the wait.
import { hash } from 'node:crypto'
import { readKinds } from '@runwright/contract'
import { canonicalJson } from '../../domain/json/canonical-json.ts'
import { fillTemplates } from '../../domain/plan/fill-templates.ts'
import type { ResolvedToolStep } from '../../domain/plan/plan.ts'
import type { AskedCall } from '../../domain/run/asked-call.ts'
import type { JournaledCall, Touch } from '../../domain/run/journal.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import { carriesSecrets, hideCall } from './secret-calls.ts'

type Call = Pick<JournaledCall, 'name' | 'input'>

/** Placeholders stand for secrets in the input, so the hash reveals nothing about them. */
export const argumentsHash = ({ name, input }: Call): string => hash('sha256', canonicalJson([name, input]))

/** What the run has read before this call. A secret that the call passes on counts as private data. */
export function readBefore({ ledger, run }: ExecutionContext, call: Call): ReadonlySet<Touch> {
  const { touched } = ledger.progress.turns
  return carriesSecrets(run.secrets, call) ? new Set([...touched, 'private']) : touched
}

export function askedCall(context: ExecutionContext, call: Call, why: string): AskedCall {
  const read = readBefore(context, call)
  return {
    tool: call.name,
    arguments: call.input,
    argumentsHash: argumentsHash(call),
    why,
    hasRead: readKinds.filter((kind) => read.has(kind)),
  }
}

/**
 * The call of a step that a person approves before it starts. The payload of the answer can be part of the input
 * (`{{signal.payload}}`). Such an input, and one that cannot be filled in, is shown as written and has no hash.
 */
export function plannedCall(context: ExecutionContext, step: ResolvedToolStep): AskedCall {
  const filled = fillTemplates(step.input, { ...context.templateScope(), signal: undefined })
  const call = hideCall(context, { name: step.tool, input: filled.ok ? filled.value : step.input })
  const asked = askedCall(context, call, 'The plan requires approval before this step.')
  return filled.ok ? asked : { ...asked, argumentsHash: null }
}
