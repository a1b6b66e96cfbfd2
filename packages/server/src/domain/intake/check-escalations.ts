// Refuses an escalation that can never come: the question of a run is over before. The rules of an operator's policy
// and of a script are not checked here: the question says that they do not escalate.
import { type ApprovalRules, type RunClass, showName } from '@runwright/contract'
import { escalatesTooLate } from '../plan/approval-rules.ts'
import type { ResolvedPlan } from '../plan/plan.ts'
import { planError } from '../plan/refuse-plan.ts'
import { ServiceError } from '../service-error.ts'

interface Asking {
  readonly metadata: Readonly<Record<string, unknown>>
  readonly plan: ResolvedPlan | undefined
}

interface Patience {
  readonly runClass: RunClass
  /** How long a question of such a run waits for an answer. */
  readonly waitSeconds: number
}

export function checkEscalations({ metadata, plan }: Asking, { runClass, waitSeconds }: Patience): void {
  const problemOf = (rules: ApprovalRules | undefined) =>
    escalatesTooLate(rules, waitSeconds) &&
    `escalate_after_seconds is ${rules?.escalate_after_seconds}, but a run of class ${runClass} waits ${waitSeconds} seconds for an answer`
  for (const [index, { id, approval }] of (plan?.steps ?? []).entries()) {
    const problem = problemOf(approval)
    if (problem) throw planError({ index, id }, problem)
  }
  const { tool_policy: rules } = metadata
  if (typeof rules !== 'object' || rules === null) return
  for (const [name, rule] of Object.entries(rules)) {
    const problem = problemOf(Object(rule))
    if (problem) throw new ServiceError('INPUT_PAYLOAD_INVALID', `metadata.tool_policy, ${showName(name)}: ${problem}.`)
  }
}
