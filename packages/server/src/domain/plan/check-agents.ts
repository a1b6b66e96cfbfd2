// Checks the agents that the steps of a plan name.
import { showName } from '../text.ts'
import { type KnownAgents, listAgents } from './known-agents.ts'
import { refusePlan } from './refuse-plan.ts'

interface NamingStep {
  readonly id: string
  readonly agent?: string | undefined
}

export function checkAgents(steps: readonly NamingStep[], known: KnownAgents | undefined): void {
  for (const [index, { id, agent }] of steps.entries()) {
    if (agent === undefined || known?.has(agent)) continue
    refusePlan({ index, id }, `names an unknown agent: ${showName(agent)}; ${listAgents(known)}`)
  }
}
