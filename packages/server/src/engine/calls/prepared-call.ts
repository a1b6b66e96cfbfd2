// A call with what decides about it, looked up once: its tool, its input as the tool gets it, and what it touches. So
// the tool that the policy has ruled on is the one that is called.
import type { JournaledCall, Touch } from '../../domain/run/journal.ts'
import { exposureOf } from '../../tools/policy/policy.ts'
import { callEffect } from '../../tools/port/call-effect.ts'
import type { Tool, ToolEffect } from '../../tools/port/tool.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import { fillCall } from './secret-calls.ts'

export interface PreparedCall {
  readonly call: JournaledCall
  /** Undefined: there is no such tool. */
  readonly tool: Tool | undefined
  /** Whether the step may use the tool. */
  readonly isAllowed: boolean
  /** As the tool gets it, with its secrets. */
  readonly input: unknown
  readonly carriesSecrets: boolean
  /** What the call brings into the run. The policy takes it into account for later calls. */
  readonly touches: readonly Touch[]
}

/** `allowed` are the tools that the step may use; undefined: all. */
export function prepareCall(
  { catalogue, run }: ExecutionContext,
  call: JournaledCall,
  allowed: ReadonlySet<string> | undefined,
): PreparedCall {
  const tool = catalogue.find(call.name)
  const { input, carriesSecrets } = fillCall(run.secrets, call)
  return {
    call,
    tool,
    isAllowed: allowed?.has(call.name) !== false,
    input,
    carriesSecrets,
    touches: touchesOf(tool, input, carriesSecrets),
  }
}

function touchesOf(tool: Tool | undefined, input: unknown, carriesSecrets: boolean): Touch[] {
  const { readsPrivate, takesUntrusted } = tool ? exposureOf(tool, input) : {}
  const touches: Touch[] = []
  if (readsPrivate || carriesSecrets) touches.push('private')
  if (takesUntrusted) touches.push('untrusted')
  return touches
}

/** Journaled before the call starts, because after a crash the tool may no longer exist. */
export const effectOf = ({ tool, input }: PreparedCall): Promise<ToolEffect> => callEffect(tool, input)
