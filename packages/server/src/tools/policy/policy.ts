// What may be done with which tool, decided in code: the model is not trusted with it, and its words play no part.
//
// The operator's rule for the customer comes first, then the operator's for everyone, then the tool's own. A run can only
// narrow what it gets. And whatever the rules allow: who has read private data and taken in a stranger's text does not
// send anything out without a person's word.
import type { Exposure, PolicyRule, Tool } from '../port/tool.ts'

/** Rules by name of a tool, `server.*` for all of an MCP server, `*` for all. */
export type ToolRules = Readonly<Record<string, PolicyRule>>

export interface PolicyRules {
  readonly tools: ToolRules
  readonly customers: Readonly<Record<string, ToolRules>>
}

/** Whose call it is. */
export interface Caller {
  readonly customerId: string
  /** What the client said of the run; rules of its own stand in `tool_policy`. */
  readonly metadata: Readonly<Record<string, unknown>>
}

export interface AskedCall extends Caller {
  readonly tool: Tool
  /** As the tool will get it. */
  readonly input: unknown
  /** What earlier calls of the run have touched, and whether this one carries a sensitive value. */
  readonly touched: Pick<Exposure, 'readsPrivate' | 'takesUntrusted'>
}

export type PolicyDecision =
  | { readonly rule: 'allow' }
  | { readonly rule: 'ask'; readonly reason: string }
  | { readonly rule: 'deny'; readonly reasonCode: string; readonly message: string }

export const defaultPolicy: PolicyRules = { tools: {}, customers: {} }

/** What the rules say of a tool, whatever it is called with. */
export const ruleFor = (book: PolicyRules, tool: Tool, caller: Caller): PolicyRule =>
  strictest(operatorsRule(book, tool, caller), runsRule(tool, caller))

export function decidePolicy(book: PolicyRules, call: AskedCall): PolicyDecision {
  const rule = ruleFor(book, call.tool, call)
  if (rule === 'deny') return deny(call.tool.name)
  if (rule === 'ask') return { rule, reason: 'policy asks for a person’s word' }
  if (!wouldCarryOut(call)) return { rule: 'allow' }
  return { rule: 'ask', reason: 'the run has read private data and taken in text from outside' }
}

function operatorsRule({ tools, customers }: PolicyRules, tool: Tool, { customerId }: Caller): PolicyRule {
  const own = Object.hasOwn(customers, customerId) ? customers[customerId] : undefined
  return ruleIn(own, tool.name) ?? ruleIn(tools, tool.name) ?? tool.policy ?? 'allow'
}

/** What is no rule is none: metadata is the client's, and may hold anything under this name. */
function runsRule(tool: Tool, { metadata }: Caller): PolicyRule {
  const rules = metadata.tool_policy
  if (typeof rules !== 'object' || rules === null || Array.isArray(rules)) return 'allow'
  const rule = ruleIn(rules as ToolRules, tool.name)
  return rule === 'ask' || rule === 'deny' ? rule : 'allow'
}

/** The name itself, then all of its server, then all. */
function ruleIn(rules: ToolRules | undefined, name: string): PolicyRule | undefined {
  if (rules === undefined) return undefined
  const server = name.includes('.') ? [`${name.slice(0, name.indexOf('.'))}.*`] : []
  const key = [name, ...server, '*'].find((candidate) => Object.hasOwn(rules, candidate))
  return key === undefined ? undefined : rules[key]
}

const strictness: Readonly<Record<PolicyRule, number>> = { allow: 0, ask: 1, deny: 2 }

const strictest = (one: PolicyRule, other: PolicyRule): PolicyRule =>
  strictness[one] >= strictness[other] ? one : other

const deny = (name: string): PolicyDecision => ({
  rule: 'deny',
  reasonCode: 'denied_by_policy',
  message: `The tool "${name}" is denied by policy.`,
})

function wouldCarryOut({ tool, input, touched }: AskedCall): boolean {
  if (!touched.takesUntrusted) return false
  const { readsPrivate, sendsOut } = exposureOf(tool, input)
  return sendsOut === true && (touched.readsPrivate === true || readsPrivate === true)
}

/** What a call touches. A tool that cannot tell is taken for one that does it all. */
export function exposureOf(tool: Tool, input: unknown): Exposure {
  try {
    return tool.exposureOf?.(input) ?? {}
  } catch {
    return { readsPrivate: true, takesUntrusted: true, sendsOut: true }
  }
}
