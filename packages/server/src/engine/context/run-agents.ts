// The agents of a run: the set that was current when the run first needed one, to the end of the run.
//
//   the journal names a set      use that set, from memory or from the table
//   nothing needs an agent       none, unless the set has skills and the run has not begun its first step
//   an agent is missing          none; the steps fail, and a retry looks again. Also if this worker has no agents
//   otherwise                    the current set; its hash is journaled before anything that the agents do
import { showName } from '@runwright/contract'
import type { Agent, AgentSet } from '../../agents/definitions/agent-set.ts'
import { journalEntry } from '../../domain/run/journal.ts'
import type { RunLedger } from '../ledger/run-ledger.ts'

export interface AgentSource {
  /** The agents of runs that begin now. Undefined: no agents are configured. */
  readonly current: AgentSet | undefined
  /** The agents that a run began with. */
  find(hash: string): Promise<AgentSet | undefined>
}

export interface RunAgents {
  /** Undefined: the run has no agents, or they are missing. */
  readonly set: AgentSet | undefined
  /** The agent of the run. */
  readonly own: Agent | undefined
  /** Why no agent step can be executed. */
  readonly problem?: string | undefined
}

export const noAgents: RunAgents = { set: undefined, own: undefined }

interface Opening {
  readonly ledger: RunLedger
  readonly source: AgentSource | undefined
  /** A model is about to plan, and any agent may get a step. */
  readonly plans: boolean
  /** A model that reads prompts is about to work, and may load skills. */
  readonly works: boolean
}

export async function openAgents({ ledger, source, plans, works }: Opening): Promise<RunAgents> {
  const { agents } = ledger.progress
  if (agents) return findAgain(ledger, await source?.find(agents.set))
  const set = source?.current
  const named = namedAgents(ledger)
  const missing = named.find((name) => !set?.has(name))
  if (missing !== undefined) return { ...noAgents, problem: `This worker has no agent named ${showName(missing)}.` }
  const mayPlan = plans && set !== undefined && set.agents.length > 0
  const mayLoad = works && set !== undefined && set.skills.length > 0 && !hasBegun(ledger)
  return set && (named.length > 0 || mayPlan || mayLoad) ? begin(ledger, set) : noAgents
}

/** What a model was told stays the same: a run that began without skills does not get them later. */
const hasBegun = ({ progress: { turns, done } }: RunLedger): boolean => done.size > 0 || [...turns.replies].length > 0

/** Without waiting for the commit: whatever follows is written after it or not at all. */
async function begin(ledger: RunLedger, set: AgentSet): Promise<RunAgents> {
  const own = ownAgent(ledger, set)
  const agent = own && { name: own.name, hash: own.hash }
  await ledger.record({ journal: [journalEntry('agents', 'run', { set: set.hash, ...(agent && { agent }) })] })
  return { set, own }
}

function findAgain(ledger: RunLedger, set: AgentSet | undefined): RunAgents {
  const { agents } = ledger.progress
  if (set) return { set, own: agents?.agent && ownAgent(ledger, set) }
  return { ...noAgents, problem: `The agents that the run began with are not stored: set ${agents?.set}.` }
}

const ownName = ({ run: { metadata } }: RunLedger): string | undefined =>
  typeof metadata.agent === 'string' ? metadata.agent : undefined

function ownAgent(ledger: RunLedger, set: AgentSet): Agent | undefined {
  const name = ownName(ledger)
  return name === undefined ? undefined : set.find(name)
}

/** The agents that the run and its plan name. */
function namedAgents(ledger: RunLedger): string[] {
  const own = ownName(ledger)
  const steps = ledger.progress.plan?.steps ?? []
  const ofSteps = steps.flatMap((step) => (step.kind === 'agent' && step.agent !== undefined ? [step.agent] : []))
  return own === undefined ? ofSteps : [own, ...ofSteps]
}
