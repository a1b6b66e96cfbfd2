// Parses a v2 plan into the form that the engine uses, with every id, dependency and default filled in.
import {
  type AgentStep,
  type ApprovalRules,
  defaultMaxAttempts,
  type GateStep,
  type InputKind,
  type JudgeMode,
  type Plan,
  type PlanProblem,
  type PlanStep,
  type ReadTemplateOptions,
  readPlan,
  showName,
  type ToolStep,
  templateProblems,
} from '@runwright/contract'
import { approvalOf } from './approval-rules.ts'
import { agentProblems } from './check-agents.ts'
import type { KnownAgents } from './known-agents.ts'
import { refuseProblems, refusing } from './refuse-plan.ts'

interface ResolvedStepBase {
  readonly id: string
  /** Without duplicates. */
  readonly dependsOn: readonly string[]
  /** The step as on the wire, with `id` and `depends_on` filled in. */
  readonly wire: PlanStep
}

interface ExecutableStep extends ResolvedStepBase {
  readonly maxAttempts: number
  /** Undefined: the service's default. */
  readonly timeoutSeconds: number | undefined
  readonly approvalRequired: boolean
  /** Who may approve. Absent: everyone who may send signals. */
  readonly approval?: ApprovalRules | undefined
}

export interface ResolvedAgentStep extends ExecutableStep {
  readonly kind: 'agent'
  readonly instruction: string
  /** The name of the agent that does the step. Undefined: that of the run, if it has one. */
  readonly agent?: string | undefined
  /** Undefined: all tools that policy allows. */
  readonly tools: readonly string[] | undefined
  /** JSON Schema of the step's output; undefined: any text. */
  readonly outputSchema: Readonly<Record<string, unknown>> | undefined
  /** Whether the judge is asked after the step. Undefined: as the plan says. */
  readonly judge?: JudgeMode | undefined
}

export interface ResolvedToolStep extends ExecutableStep {
  readonly kind: 'tool'
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
}

export interface ResolvedGateStep extends ResolvedStepBase {
  readonly kind: 'gate'
  readonly inputKind: InputKind | undefined
  readonly reasonCode: string
  readonly prompt: string | undefined
  /** Who may answer. Absent: everyone who may send signals. */
  readonly approval?: ApprovalRules | undefined
}

export type ResolvedStep = ResolvedAgentStep | ResolvedToolStep | ResolvedGateStep

export interface ResolvedPlan {
  readonly goal: string | undefined
  /** When the judge is asked. Undefined: as the agents of the steps say. */
  readonly judge?: JudgeMode | undefined
  /** In the order of the plan; a step may come before its dependencies. */
  readonly steps: readonly ResolvedStep[]
}

/** The tools that a plan may name. Only `has`, because the tools of MCP servers cannot all be listed in advance. */
export type KnownTools = Pick<ReadonlySet<string>, 'has'>

interface ParseOptions extends ReadTemplateOptions {
  /** The agents that steps may name. Undefined: there are none. */
  readonly agents?: KnownAgents | undefined
  /** The longest time that the operator gives a step. Undefined: longer ones are accepted, and shortened later. */
  readonly maxTimeoutSeconds?: number | undefined
}

/**
 * Throws `INPUT_PLAN_INVALID` with a message that names the step. Does not read output schemas: `readPlanSchemas` does,
 * once, when the plan is accepted.
 */
export function parsePlan(value: unknown, knownTools: KnownTools, options: ParseOptions = {}): ResolvedPlan {
  const plan = resolvePlan(value)
  refuseProblems(planProblems(plan, knownTools, options))
  return plan
}

/** The plan, without a look at the tools, agents and results that it names. Throws `INPUT_PLAN_INVALID`. */
export function resolvePlan(value: unknown): ResolvedPlan {
  const { goal, judge, steps, ids, dependencies } = refusing(() => readPlan(value))
  const resolved = steps.map((step, index) => {
    const id = ids[index] as string
    return resolveStep({ ...step, id, depends_on: [...(dependencies.get(id) ?? [])] })
  })
  return { goal, ...(judge !== undefined && { judge }), steps: resolved }
}

/** What is wrong with the tools, agents and templates that a plan names. */
export function* planProblems(
  { steps }: ResolvedPlan,
  knownTools: KnownTools,
  options: ParseOptions = {},
): Generator<PlanProblem, void> {
  for (const [index, step] of steps.entries()) yield* toolProblems(step, index, knownTools)
  yield* agentProblems(steps, options.agents)
  yield* timeoutProblems(steps, options)
  const templated = steps.map((step) => ({ ...step, templated: templatedPart(step) }))
  yield* templateProblems(templated, options)
}

/** The part of a step that may contain templates: its instruction, its input, or a gate's prompt. */
export function templatedPart(step: ResolvedStep): unknown {
  if (step.kind === 'agent') return step.instruction
  return step.kind === 'tool' ? step.input : step.prompt
}

/** The plan as v2 JSON with ids and dependencies filled in; `parsePlan` parses it into the same plan. */
export const toWire = ({ goal, judge, steps }: ResolvedPlan): Plan => ({
  version: 'v2',
  ...(goal === undefined ? {} : { goal }),
  ...(judge === undefined ? {} : { judge }),
  steps: steps.map((step) => step.wire),
})

type NamedStep = PlanStep & { id: string; depends_on: string[] }

function resolveStep(step: NamedStep): ResolvedStep {
  if ('instruction' in step) return resolveAgentStep(step)
  return 'tool' in step ? resolveToolStep(step) : resolveGateStep(step)
}

const resolveAgentStep = (step: AgentStep & NamedStep): ResolvedAgentStep => ({
  kind: 'agent',
  ...resolveExecutable(step),
  instruction: step.instruction,
  ...(step.agent !== undefined && { agent: step.agent }),
  tools: step.tools === undefined ? undefined : [...new Set(step.tools)],
  outputSchema: step.output_schema,
  ...(step.judge !== undefined && { judge: step.judge }),
})

const resolveToolStep = (step: ToolStep & NamedStep): ResolvedToolStep => ({
  kind: 'tool',
  ...resolveExecutable(step),
  tool: step.tool,
  input: step.input ?? {},
})

const resolveExecutable = (step: (AgentStep | ToolStep) & NamedStep): ExecutableStep => ({
  id: step.id,
  dependsOn: step.depends_on,
  wire: step,
  maxAttempts: step.max_attempts ?? defaultMaxAttempts,
  timeoutSeconds: step.timeout_seconds,
  approvalRequired: step.approval !== undefined,
  ...(typeof step.approval === 'object' && approvalOf(step.approval)),
})

const resolveGateStep = ({ await_input, ...step }: GateStep & NamedStep): ResolvedGateStep => ({
  kind: 'gate',
  id: step.id,
  dependsOn: step.depends_on,
  wire: { ...step, await_input },
  inputKind: await_input.input_kind,
  reasonCode: await_input.reason_code ?? 'input_required',
  prompt: await_input.prompt,
  ...approvalOf(await_input),
})

function* toolProblems(step: ResolvedStep, index: number, knownTools: KnownTools): Generator<PlanProblem, void> {
  const named = step.kind === 'agent' ? (step.tools ?? []) : step.kind === 'tool' ? [step.tool] : []
  for (const tool of named.filter((name) => !knownTools.has(name)))
    yield { step: { index, id: step.id }, problem: `names an unknown tool: ${showName(tool)}` }
}

/** Without a refusal, a step that asks for an hour would be stopped after the minutes of the operator. */
function* timeoutProblems(
  steps: readonly ResolvedStep[],
  { maxTimeoutSeconds = Number.POSITIVE_INFINITY }: ParseOptions,
): Generator<PlanProblem, void> {
  for (const [index, step] of steps.entries()) {
    const seconds = step.kind === 'gate' ? 0 : (step.timeoutSeconds ?? 0)
    if (seconds <= maxTimeoutSeconds) continue
    const problem = `timeout_seconds is ${seconds}, but this service gives a step at most ${maxTimeoutSeconds} seconds`
    yield { step: { index, id: step.id }, problem }
  }
}
