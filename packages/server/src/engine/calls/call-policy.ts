// Applies the policy to a call that has not started: make it, refuse it, or ask a person first. An approval is stored
// under a hash of the exact arguments, so it does not cover a call with different arguments.
import { previewLength } from '@runwright/contract'
import { finish } from '../../domain/finish.ts'
import type { JournaledCall } from '../../domain/run/journal.ts'
import type { Wait } from '../../domain/run/next-move.ts'
import { askKey } from '../../domain/run/wait-keys.ts'
import { shortenText } from '../../domain/text.ts'
import { decidePolicy, defaultPolicy, ruleFor } from '../../tools/policy/policy.ts'
import type { OfferedNames, ToolOffer } from '../../tools/port/catalogue.ts'
import type { ToolResult } from '../../tools/port/tool.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import { argumentsHash, askedCall, readBefore } from './asked-call.ts'
import type { PreparedCall } from './prepared-call.ts'
import { secretsNotAllowed } from './secret-receivers.ts'

type Ruling =
  | { readonly rule: 'allow' }
  | { readonly rule: 'ask'; readonly wait: Wait }
  | { readonly rule: 'deny'; readonly result: Extract<ToolResult, { outcome: 'policy_denied' }> }

/** Denied tools are not offered to the model. */
export const offeredTools = (context: ExecutionContext, names: OfferedNames): ToolOffer[] =>
  context.catalogue.offers(names).filter(({ name }) => !isDenied(context, name))

/** Whether the policy denies every call of the tool. */
export function isDenied({ catalogue, parts, run }: ExecutionContext, name: string): boolean {
  const tool = parts.catalogue.find(name) ?? catalogue.find(name)
  return tool !== undefined && ruleFor(parts.policy ?? defaultPolicy, tool, run) === 'deny'
}

/** Whether the policy asks a person before every call of the tool. */
export function asksPerson({ catalogue, parts, run }: ExecutionContext, name: string): boolean {
  const tool = catalogue.find(name)
  return tool !== undefined && ruleFor(parts.policy ?? defaultPolicy, tool, run) === 'ask'
}

/**
 * Unknown tools, and tools that the step may not use, are allowed here: the call itself then fails with the right
 * outcome.
 */
export function ruleOn(context: ExecutionContext, { call, tool, isAllowed, input }: PreparedCall): Ruling {
  const { policy = defaultPolicy } = context.parts
  if (!tool || !isAllowed) return { rule: 'allow' }
  const { customerId, metadata, secrets } = context.run
  const read = readBefore(context, call)
  const decision = decidePolicy(policy, {
    tool,
    input,
    customerId,
    metadata,
    touched: { readsPrivate: read.has('private'), takesUntrusted: read.has('untrusted') },
    knowsSensitive: read.has('sensitive'),
    secretsNotAllowed: secretsNotAllowed(secrets, call).map(({ source }) => source),
  })
  if (decision.rule === 'allow') return decision
  if (decision.rule === 'deny') return { rule: 'deny', result: { outcome: 'policy_denied', ...decision } }
  return askUnlessApproved(context, call, decision.reason)
}

function askUnlessApproved(context: ExecutionContext, call: JournaledCall, reason: string): Ruling {
  const key = askKey(call.callId, argumentsHash(call))
  const why = `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`
  if (context.ledger.progress.answers.to(key) || wasApproved(context, call, why)) return { rule: 'allow' }
  const asked = askedCall(context, call, why)
  const prompt = promptFor(context, call, reason)
  return { rule: 'ask', wait: { key, reasonCode: 'approval_required', inputKind: 'approval', prompt, call: asked } }
}

/** Whether the approval before the step was about this call with these arguments, and said why policy asks. */
function wasApproved({ ledger }: ExecutionContext, call: JournaledCall, why: string): boolean {
  const approved = ledger.progress.answers.approvalOf(call.callId)
  return approved?.argumentsHash === argumentsHash(call) && approved.why.startsWith(why)
}

/** The arguments come last, so that nothing a model writes can pass for the words of the service. */
function promptFor({ run: { secrets } }: ExecutionContext, { name, input }: JournaledCall, reason: string): string {
  const shown = JSON.stringify(secrets ? finish(secrets.show(input)) : input)
  return `Call ${name}? Asked because ${reason}. Arguments: ${shortenText(shown, previewLength)}`
}
