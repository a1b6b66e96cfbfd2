// Decides whether a tool call is allowed, needs approval or is denied. The model has no influence on the decision.
//
// The operator's rule for the customer comes first, then the operator's rule for all customers, then the tool's own
// rule. A run can only make the result stricter. Whatever the rules allow, a call that sends data out needs approval if
// the run has read private data and untrusted text, if a model filled in a sensitive value that its tag does not allow
// for the call, or if a model may have found out a sensitive value.
import { type ApprovalRules, approvalFields, escalates, runTools } from '@runwright/contract'
import { z } from 'zod'
import { approvalOf } from '../../domain/plan/approval-rules.ts'
import type { Exposure, PolicyRule, Tool } from '../port/tool.ts'

/** Rules by tool name; `server.*` is all tools of an MCP server, `*` is all tools but those of the run itself. */
export type ToolRules = Readonly<Record<string, PolicyRule | RuleWithApproval>>

/** A rule that says who approves, if a person is asked. */
export interface RuleWithApproval extends ApprovalRules {
  readonly rule: Exclude<PolicyRule, 'deny'>
}

export interface PolicyRules {
  readonly tools: ToolRules
  readonly customers: Readonly<Record<string, ToolRules>>
}

type RuledTool = Pick<Tool, 'name' | 'policy'>

/** The run that makes the call. */
interface Caller {
  readonly customerId: string
  /** The run's metadata; `tool_policy` may contain rules. */
  readonly metadata: Readonly<Record<string, unknown>>
}

export interface PolicyRequest extends Caller {
  readonly tool: Tool
  /** With secrets filled in. */
  readonly input: unknown
  /** What earlier calls of the run have touched; `readsPrivate` also if this call's input has a sensitive value. */
  readonly touched: Pick<Exposure, 'readsPrivate' | 'takesUntrusted'>
  /** A model of the run may have found out a sensitive value, and could pass it on in a form that is not recognized. */
  readonly knowsSensitive: boolean
  /** The paths of the sensitive values in the input that the client has not allowed for this call. */
  readonly secretsNotAllowed: readonly string[]
}

type PolicyDecision =
  | { readonly rule: 'allow' }
  | { readonly rule: 'ask'; readonly reason: string }
  | { readonly rule: 'deny'; readonly reasonCode: string; readonly message: string }

export const defaultPolicy: PolicyRules = { tools: {}, customers: {} }

/** The rule for a tool, whatever its input. */
export const ruleFor = (rules: PolicyRules, tool: RuledTool, caller: Caller): PolicyRule =>
  strictest(operatorRule(rules, tool, caller), runRule(tool, caller))

export function decidePolicy(rules: PolicyRules, call: PolicyRequest): PolicyDecision {
  const rule = ruleFor(rules, call.tool, call)
  if (rule === 'deny') return deny(call.tool.name)
  if (rule === 'ask') return { rule, reason: 'policy requires approval for this tool' }
  const reason = reasonToAsk(call)
  return reason === undefined ? { rule: 'allow' } : { rule: 'ask', reason }
}

function reasonToAsk(call: PolicyRequest): string | undefined {
  const { secretsNotAllowed: paths } = call
  if (paths.length > 0 && exposureOf(call.tool, call.input).sendsOut === true)
    return `this call sends data out, and the tag of ${paths.join(', ')} does not allow this receiver`
  if (call.knowsSensitive && exposureOf(call.tool, call.input).sendsOut === true)
    return 'this call sends data out, and the model may have found out a sensitive value of the run'
  if (!mayLeakData(call)) return undefined
  return 'the run has read private data and untrusted text, and this call sends data out'
}

function operatorRule({ tools, customers }: PolicyRules, tool: RuledTool, { customerId }: Caller): PolicyRule {
  const own = Object.hasOwn(customers, customerId) ? customers[customerId] : undefined
  return wordOf(ruleIn(own, tool.name) ?? ruleIn(tools, tool.name)) ?? tool.policy ?? 'allow'
}

const wordOf = (rule: ToolRules[string] | undefined): PolicyRule | undefined =>
  typeof rule === 'object' ? rule.rule : rule

/**
 * Who approves a call of the tool, if a person is asked. Those that the operator names count. If the operator names
 * none, those that the run names.
 */
export function approvalFor(rules: PolicyRules, tool: RuledTool, caller: Caller): ApprovalRules | undefined {
  const { tools, customers } = rules
  const own = Object.hasOwn(customers, caller.customerId) ? customers[caller.customerId] : undefined
  const rule = ruleIn(own, tool.name) ?? ruleIn(tools, tool.name)
  const byOperator = typeof rule === 'object' ? approvalOf(rule).approval : undefined
  if (byOperator) return byOperator
  const ofRun = ruleWithApproval.safeParse(ruleOfRun(tool, caller)).data
  return ofRun && approvalOf(ofRun).approval
}

export const ruleWithApproval = escalates(z.strictObject({ rule: z.enum(['allow', 'ask']), ...approvalFields }))

/**
 * Ignores what is no rule: metadata belongs to the client and may have any value here. But an object is meant as a
 * rule. One that cannot be read denies: otherwise no person would be asked.
 */
function runRule(tool: RuledTool, caller: Caller): PolicyRule {
  const rule = ruleOfRun(tool, caller)
  if (rule === 'ask' || rule === 'deny') return rule
  if (typeof rule !== 'object' || rule === null) return 'allow'
  return ruleWithApproval.safeParse(rule).data?.rule ?? 'deny'
}

function ruleOfRun(tool: RuledTool, { metadata }: Caller): unknown {
  const rules = metadata.tool_policy
  if (typeof rules !== 'object' || rules === null || Array.isArray(rules)) return undefined
  return ruleIn(rules as ToolRules, tool.name)
}

const ofRun: ReadonlySet<string> = new Set(runTools)

/**
 * The rule for the name comes first, then `server.*`, then `*`. That does not cover the tools of the run itself: they
 * show no more than the other tools of the step, and a found tool has a rule of its own.
 */
function ruleIn(rules: ToolRules | undefined, name: string): ToolRules[string] | undefined {
  if (rules === undefined) return undefined
  if (Object.hasOwn(rules, name)) return rules[name]
  const dot = name.indexOf('.')
  const server = `${name.slice(0, dot)}.*`
  if (dot >= 0 && Object.hasOwn(rules, server)) return rules[server]
  return !ofRun.has(name) && Object.hasOwn(rules, '*') ? rules['*'] : undefined
}

const strictness: Readonly<Record<PolicyRule, number>> = { allow: 0, ask: 1, deny: 2 }

const strictest = (one: PolicyRule, other: PolicyRule): PolicyRule =>
  strictness[one] >= strictness[other] ? one : other

const deny = (name: string): PolicyDecision => ({
  rule: 'deny',
  reasonCode: 'denied_by_policy',
  message: `The tool "${name}" is denied by policy.`,
})

function mayLeakData({ tool, input, touched }: PolicyRequest): boolean {
  if (!touched.takesUntrusted) return false
  const { readsPrivate, sendsOut } = exposureOf(tool, input)
  return sendsOut === true && (touched.readsPrivate === true || readsPrivate === true)
}

/** What a call touches; everything, if the tool throws. */
export function exposureOf(tool: Pick<Tool, 'exposureOf'>, input: unknown): Exposure {
  try {
    return tool.exposureOf?.(input) ?? {}
  } catch {
    return { readsPrivate: true, takesUntrusted: true, sendsOut: true }
  }
}
