// The agents that a run or a plan may name, and how messages list them.
import { showName } from '../text.ts'

export interface KnownAgents {
  has(name: string): boolean
  readonly names: readonly string[]
}

const maxListed = 20

/** A clause for the end of a message: which agents there are. */
export function listAgents({ names }: Pick<KnownAgents, 'names'>): string {
  if (names.length === 0) return 'there are no agents'
  const listed = names.slice(0, maxListed).map(showName).join(', ')
  const others = names.length - maxListed
  return `the agents are ${listed}${others > 0 ? ` and ${others} more` : ''}`
}
