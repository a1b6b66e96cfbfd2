// Describes a call to the person who decides about it. The ledger masks secrets when it writes the wait.
import { hash } from 'node:crypto'
import { readKinds } from '@runwright/contract'
import { canonicalJson } from '../../domain/json/canonical-json.ts'
import type { AskedCall } from '../../domain/run/asked-call.ts'
import type { JournaledCall, Touch } from '../../domain/run/journal.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import { fillCall } from './secret-calls.ts'

type Call = Pick<JournaledCall, 'name' | 'input'>
type NamedCall = Call & Pick<JournaledCall, 'callId' | 'key'>

/** Placeholders stand for secrets in the input, so the hash reveals nothing about them. */
export const argumentsHash = ({ name, input }: Call): string => hash('sha256', canonicalJson([name, input]))

/** What the run has read before this call. A secret that the call passes on counts as private data. */
export function readBefore({ ledger, run }: ExecutionContext, call: Call): ReadonlySet<Touch> {
  const { touched } = ledger.progress.turns
  return fillCall(run.secrets, call).carriesSecrets ? new Set([...touched, 'private']) : touched
}

/** A long one is left out: people cannot fill in such a form, and the worker checks the arguments in any case. */
const maxSchemaLength = 32_768

function schemaOf({ catalogue }: ExecutionContext, name: string): AskedCall['schema'] {
  const schema = catalogue.offers([name])[0]?.inputSchema
  return schema && JSON.stringify(schema).length <= maxSchemaLength ? schema : undefined
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
    schema: schemaOf(context, call.name),
  }
}
