// What policy says of a call that has not begun: make it, refuse it, or ask a person first. An approval is kept under a hash
// of the exact arguments, so it can't be used for a call with others.
import { hash } from 'node:crypto'
import { canonicalJson } from '../../domain/json/canonical-json.ts'
import type { JournaledCall, Touch } from '../../domain/run/journal.ts'
import type { Wait } from '../../domain/run/progress.ts'
import { askKey } from '../../domain/run/wait-keys.ts'
import { summarize } from '../../domain/tool-summary/summarize.ts'
import { decidePolicy, defaultPolicy, exposureOf, ruleFor } from '../../tools/policy/policy.ts'
import type { ToolOffer } from '../../tools/port/catalogue.ts'
import type { ToolResult } from '../../tools/port/tool.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import { carriesSecrets, fillCall } from './secret-calls.ts'

type Ruling =
  | { readonly rule: 'allow' }
  | { readonly rule: 'ask'; readonly wait: Wait }
  | { readonly rule: 'deny'; readonly result: Extract<ToolResult, { outcome: 'policy_denied' }> }

/** Models are not told of what they would be denied. */
export function offeredTools(context: ExecutionContext, names: readonly string[] | undefined): ToolOffer[] {
  const { policy = defaultPolicy } = context.parts
  const { catalogue } = context
  const isDenied = (name: string) => {
    const tool = catalogue.find(name)
    return tool !== undefined && ruleFor(policy, tool, context.run) === 'deny'
  }
  return catalogue.offers(names).filter(({ name }) => !isDenied(name))
}

/** A tool that is not there or not the step's to use has its own end; nobody is asked about it. */
export function ruleOn(
  context: ExecutionContext,
  call: JournaledCall,
  allowed: ReadonlySet<string> | undefined,
): Ruling {
  const { policy = defaultPolicy } = context.parts
  const { catalogue } = context
  const tool = catalogue.find(call.name)
  if (!tool || allowed?.has(call.name) === false) return { rule: 'allow' }
  const { customerId, metadata, secrets } = context.run
  const { touched } = context.ledger.progress.turns
  const decision = decidePolicy(policy, {
    tool,
    input: fillCall(secrets, call),
    customerId,
    metadata,
    touched: {
      readsPrivate: touched.has('private') || carriesSecrets(secrets, call),
      takesUntrusted: touched.has('untrusted'),
    },
  })
  if (decision.rule === 'allow') return decision
  if (decision.rule === 'deny') return { rule: 'deny', result: { outcome: 'policy_denied', ...decision } }
  return askUnlessApproved(context, call, decision.reason)
}

function askUnlessApproved(context: ExecutionContext, call: JournaledCall, reason: string): Ruling {
  const key = askKey(call.callId, hash('sha256', canonicalJson([call.name, call.input])))
  if (context.ledger.progress.answerTo(key)) return { rule: 'allow' }
  const { preview } = summarize(context.run.secrets?.show(call.input) ?? call.input)
  const prompt = `Call ${call.name} with ${preview}? Asked because ${reason}.`
  return { rule: 'ask', wait: { key, reasonCode: 'approval_required', inputKind: 'approval', prompt } }
}

/** What later calls of the run are judged by once this one has begun. */
export function touchesOf({ catalogue, run }: ExecutionContext, call: JournaledCall): readonly Touch[] {
  const tool = catalogue.find(call.name)
  const { readsPrivate, takesUntrusted } = tool ? exposureOf(tool, fillCall(run.secrets, call)) : {}
  const touches: Touch[] = []
  if (readsPrivate || carriesSecrets(run.secrets, call)) touches.push('private')
  if (takesUntrusted) touches.push('untrusted')
  return touches
}
