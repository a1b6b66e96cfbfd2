// Applies the policy to a call that has not started: make it, refuse it, or ask a person first. An approval is stored
// under a hash of the exact arguments, so it does not cover a call with different arguments.
import { type ApprovalRules, previewLength, shortenText } from '@runwright/contract'
import { finish } from '../../domain/finish.ts'
import { areDecidedAlike } from '../../domain/plan/approval-rules.ts'
import type { JournaledCall } from '../../domain/run/journal.ts'
import type { Wait } from '../../domain/run/next-move.ts'
import { askKey } from '../../domain/run/wait-keys.ts'
import { approvalFor, decidePolicy, defaultPolicy, exposureOf, ruleFor } from '../../tools/policy/policy.ts'
import type { OfferedNames, ToolOffer } from '../../tools/port/catalogue.ts'
import type { ToolResult } from '../../tools/port/tool.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import { argumentsHash, askedCall, readBefore } from './asked-call.ts'
import type { Approved, DecidedCall } from './decided-call.ts'
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
export function isDenied({ catalogue, parts, policyCaller }: ExecutionContext, name: string): boolean {
  const tool = parts.catalogue.find(name) ?? catalogue.find(name)
  return tool !== undefined && ruleFor(parts.policy ?? defaultPolicy, tool, policyCaller) === 'deny'
}

/** Whether the policy asks a person before every call of the tool. */
export function asksPerson({ catalogue, parts, policyCaller }: ExecutionContext, name: string): boolean {
  const tool = catalogue.find(name)
  return tool !== undefined && ruleFor(parts.policy ?? defaultPolicy, tool, policyCaller) === 'ask'
}

/**
 * Unknown tools, and tools that the step may not use, are allowed here: the call itself then fails with the right
 * outcome.
 */
export function ruleOn(context: ExecutionContext, prepared: PreparedCall, decided?: Decided): Ruling {
  const { call, tool, isAllowed, input } = prepared
  const { policy = defaultPolicy } = context.parts
  if (!tool || !isAllowed) return { rule: 'allow' }
  const read = readBefore(context, call)
  const withheld = secretsNotAllowed(context.run.secrets, call).map(({ source }) => source)
  // The person could have the values sent to somebody else.
  if (decided?.isEdited && withheld.length > 0 && exposureOf(tool, input).sendsOut === true)
    return { rule: 'deny', result: notForEdited(call, withheld) }
  const decision = decidePolicy(policy, {
    tool,
    input,
    ...context.policyCaller,
    touched: { readsPrivate: read.has('private'), takesUntrusted: read.has('untrusted') },
    knowsSensitive: read.has('sensitive'),
    secretsNotAllowed: withheld,
  })
  if (decision.rule === 'allow') return decision
  if (decision.rule === 'deny') return { rule: 'deny', result: { outcome: 'policy_denied', ...decision } }
  return askUnlessApproved(context, { call, reason: decision.reason, approved: decided?.approved })
}

type Decided = Pick<DecidedCall, 'isEdited' | 'approved'>

const notForEdited = ({ name }: JournaledCall, sources: readonly string[]) => ({
  outcome: 'policy_denied' as const,
  reasonCode: 'edit_not_allowed',
  message: `A person changed the arguments of ${name}, which sends data out. The tag of ${sources.join(', ')} does not allow this receiver, so the call was not made.`,
})

function askUnlessApproved(context: ExecutionContext, { call, reason, approved }: Asking): Ruling {
  const key = askKey(call.callId, argumentsHash(call))
  const why = `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`
  const rules = rulesOf(context, call)
  const isApproved =
    context.ledger.progress.answers.to(key) !== undefined ||
    covers(approved, why, rules) ||
    covers(approvedBefore(context, call), why, rules)
  if (isApproved) return { rule: 'allow' }
  const asked = askedCall(context, call, why)
  const prompt = promptFor(context, call, reason)
  return {
    rule: 'ask',
    wait: { key, reasonCode: 'approval_required', inputKind: 'approval', prompt, call: asked, rules },
  }
}

interface Asking {
  readonly call: JournaledCall
  readonly reason: string
  readonly approved: Approved | undefined
}

/** Who approves calls of the tool, if someone must. */
export function rulesOf({ catalogue, parts, policyCaller }: ExecutionContext, { name }: JournaledCall) {
  const tool = catalogue.find(name)
  return tool && approvalFor(parts.policy ?? defaultPolicy, tool, policyCaller)
}

/** Whether what was approved said why policy asks now, and those decided about it who decide now. */
const covers = (approved: Approved | undefined, why: string, rules: ApprovalRules | undefined): boolean =>
  approved?.why.startsWith(why) === true && (rules === undefined || areDecidedAlike(approved.rules, rules))

/** The approval before the step, if it was about this call with these arguments. */
function approvedBefore({ ledger }: ExecutionContext, call: JournaledCall): Approved | undefined {
  const asked = ledger.progress.answers.approvalOf(call.callId)
  if (asked?.call?.argumentsHash !== argumentsHash(call)) return undefined
  return { why: asked.call.why, rules: asked.rules ?? undefined }
}

/** The arguments come last, so that nothing a model writes can pass for the words of the service. */
function promptFor({ run: { secrets } }: ExecutionContext, { name, input }: JournaledCall, reason: string): string {
  const shown = JSON.stringify(secrets ? finish(secrets.show(input)) : input)
  return `Call ${name}? Asked because ${reason}. Arguments: ${shortenText(shown, previewLength)}`
}
