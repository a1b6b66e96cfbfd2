// What an agent step uses: the definition of its agent, and the service's defaults for what that leaves out.
import { showName } from '@runwright/contract'
import type { Agent, Skill } from '../../agents/definitions/agent-set.ts'
import type { ResolvedAgentStep } from '../../domain/plan/plan.ts'
import type { Model } from '../../models/port/model.ts'
import type { ExecutionContext } from './execution-context.ts'

export interface StepAgent {
  /** The agent that the step names, else that of the run. */
  readonly agent: Agent | undefined
  /** Undefined: all tools that the policy allows. */
  readonly tools: readonly string[] | undefined
  /** Those that the model may load. */
  readonly skills: readonly Skill[]
  readonly models: readonly Model[]
  readonly maxTurns: number
  /** Why the step cannot be executed. */
  readonly problem?: StepProblem | undefined
}

interface StepProblem {
  readonly reasonCode: 'agent_unavailable' | 'model_unavailable'
  readonly message: string
}

export function stepAgent(context: ExecutionContext, step: ResolvedAgentStep): StepAgent {
  const agent = agentOf(context, step)
  const models = context.models.of(agent)
  const tools = boundTools(context, step)
  return {
    agent,
    tools,
    skills: skillsOf(context, agent, tools),
    models: models ?? [],
    maxTurns: agent?.maxTurns ?? context.parts.limits.maxTurns,
    problem: findModelProblem(context) ?? findAgentProblem(context, step, models !== undefined),
  }
}

/** A step without tools can load nothing, unless its agent names skills. */
function skillsOf({ agents: { set } }: ExecutionContext, agent: Agent | undefined, tools: StepAgent['tools']) {
  const all = set?.skills ?? []
  if (agent?.skills) return all.filter(({ name }) => agent.skills?.includes(name))
  return tools?.length === 0 ? [] : all
}

function findModelProblem({ models: { problem } }: ExecutionContext): StepProblem | undefined {
  return problem === undefined ? undefined : { reasonCode: 'model_unavailable', message: problem }
}

/** The agent that the step names, else that of the run. */
export const agentOf = ({ agents: { set, own } }: ExecutionContext, { agent }: ResolvedAgentStep): Agent | undefined =>
  agent === undefined ? own : set?.find(agent)

/** The run's agent bounds every step, the step's agent and the step itself can only narrow that. */
export function boundTools({ agents: { set, own } }: ExecutionContext, step: ResolvedAgentStep) {
  const named = step.agent === undefined ? undefined : set?.find(step.agent)
  const lists = [step.tools, named?.tools, own?.tools].filter((tools) => tools !== undefined)
  return lists.length === 0 ? undefined : lists.reduce((some, others) => some.filter((name) => others.includes(name)))
}

function findAgentProblem(context: ExecutionContext, step: ResolvedAgentStep, hasModels: boolean) {
  const message = describeAgentProblem(context, step, hasModels)
  return message === undefined ? undefined : ({ reasonCode: 'agent_unavailable', message } as const)
}

function describeAgentProblem(context: ExecutionContext, step: ResolvedAgentStep, hasModels: boolean) {
  if (context.agents.problem !== undefined) return context.agents.problem
  const agent = agentOf(context, step)
  if (step.agent !== undefined && !agent) return `This worker has no agent named ${showName(step.agent)}.`
  return hasModels ? undefined : `This worker cannot open the model of the agent ${agent?.name}: ${agent?.model}.`
}
