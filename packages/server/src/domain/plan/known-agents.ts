// The agents that a run or a plan may name, and how messages list names.
import { showName } from '@runwright/contract'

export interface KnownAgents {
  has(name: string): boolean
  readonly names: readonly string[]
}

const maxListed = 20

/** A clause for the end of a message: which agents there are. Undefined: none are configured. */
export function listAgents(known: Pick<KnownAgents, 'names'> | undefined): string {
  if (!known) return 'no agents are configured'
  return known.names.length === 0 ? 'there are no agents' : `the agents are ${listNames(known.names)}`
}

/** The first names, and how many there are beyond them. */
export function listNames(names: readonly string[]): string {
  const others = names.length - maxListed
  return `${names.slice(0, maxListed).map(showName).join(', ')}${others > 0 ? ` and ${others} more` : ''}`
}
