// Who may decide about a question, as plans, the policy and the sandbox say it.
import type { ApprovalRules } from '@runwright/contract'
import { canonicalJson } from '../json/canonical-json.ts'

const names = [
  'approvers',
  'approvals',
  'not_requester',
  'reauth',
  'escalate_after_seconds',
  'escalate_to',
  'approval_schema',
] as const satisfies readonly (keyof ApprovalRules)[]

/** The rules among the fields of something. No `approval`: there are none. */
export function approvalOf(holder: ApprovalRules): { readonly approval?: ApprovalRules } {
  const given = names.filter((name) => holder[name] !== undefined)
  return given.length === 0 ? {} : { approval: Object.fromEntries(given.map((name) => [name, holder[name]])) }
}

/**
 * Whether an answer under the one also answers under the other. The schema of the answer does not count: it says what
 * an answer contains, not who gives it.
 */
export const areDecidedAlike = (one: ApprovalRules | undefined, other: ApprovalRules | undefined): boolean =>
  canonicalJson(deciders(one)) === canonicalJson(deciders(other))

const deciders = ({ approval_schema: _, ...rules }: ApprovalRules = {}) => rules

/** Whether a question that waits so long has ended before the escalation of its rules. A client's may be no rules. */
export const escalatesTooLate = (rules: ApprovalRules | undefined, waitSeconds: number): boolean =>
  typeof rules?.escalate_after_seconds === 'number' && rules.escalate_after_seconds >= waitSeconds
