// What an agent step uses: the definition of its agent, and the service's defaults for what that leaves out.
import type { JudgeMode } from '@runwright/contract'
import type { Agent } from '../../agents/definitions/agent-set.ts'
import type { ResolvedAgentStep } from '../../domain/plan/plan.ts'
import { showName } from '../../domain/text.ts'
import type { Model } from '../../models/port/model.ts'
import type { ExecutionContext } from './execution-context.ts'

export interface StepAgent {
  /** The agent that the step names, else that of the run. */
  readonly agent: Agent | undefined
  /** Undefined: all tools that the policy allows. */
  readonly tools: readonly string[] | undefined
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
  return {
    agent,
    tools: boundTools(context, step),
    models: models ?? [],
    maxTurns: agent?.maxTurns ?? context.parts.limits.maxTurns,
    problem: findModelProblem(context) ?? findAgentProblem(context, step, models !== undefined),
  }
}

function findModelProblem({ models: { problem } }: ExecutionContext): StepProblem | undefined {
  return problem === undefined ? undefined : { reasonCode: 'model_unavailable', message: problem }
}

/** What the step says, else the plan, else the agent. */
export const judgeModeOf = (context: ExecutionContext, step: ResolvedAgentStep): JudgeMode =>
  step.judge ?? context.ledger.progress.plan?.judge ?? agentOf(context, step)?.judge ?? 'each_step'

const agentOf = ({ agents: { set, own } }: ExecutionContext, { agent }: ResolvedAgentStep): Agent | undefined =>
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
