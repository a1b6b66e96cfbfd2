// Checks the agents that the steps of a plan name.
import { type PlanProblem, showName } from '@runwright/contract'
import { type KnownAgents, listAgents } from './known-agents.ts'

interface NamingStep {
  readonly id: string
  readonly agent?: string | undefined
}

export function* agentProblems(
  steps: readonly NamingStep[],
  known: KnownAgents | undefined,
): Generator<PlanProblem, void> {
  for (const [index, { id, agent }] of steps.entries()) {
    if (agent === undefined || known?.has(agent)) continue
    const problem = `names an unknown agent: ${showName(agent)}; ${listAgents(known)}`
    yield { step: { index, id }, problem }
  }
}
