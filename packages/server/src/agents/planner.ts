// The planner: turns the run's task into a plan.
import { listProblems, type Plan } from '@runwright/contract'
import type { SchemaToCompile } from '../domain/json/schema-to-compile.ts'
import { type Givers, referenceProblems } from '../domain/plan/check-references.ts'
import type { KnownAgents } from '../domain/plan/known-agents.ts'
import { type KnownTools, planProblems, type ResolvedPlan, resolvePlan, toWire } from '../domain/plan/plan.ts'
import { type KeptSteps, planAgain } from '../domain/plan/plan-again.ts'
import { readPlanSchemas } from '../domain/plan/plan-schemas.ts'
import { ServiceError } from '../domain/service-error.ts'
import { charactersPerToken } from '../models/port/estimate-tokens.ts'
import { jsonTextKeyword, type Message, type ModelReply, type OfferedTool } from '../models/port/model.ts'
import type { Agent } from './definitions/agent-set.ts'
import { describeAttachments, type ReadAttachment, userMessage } from './describe-attachments.ts'
import type { Shown } from './finished-steps.ts'
import { prompts } from './load-prompt.ts'
import { describeRun, type PromptContext } from './prompt.ts'
import { readJson } from './read-output.ts'
import { tidyPlan } from './tidy-plan.ts'
import { maxOfferedTokens } from './tool-search/search-limits.ts'
import { toolSignature } from './tool-search/tool-signature.ts'
import { shorten } from './value-text.ts'

/** `tidyPlan` also takes it as JSON in a text. */
const freeForm = { type: 'object', [jsonTextKeyword]: true }

const stepProperties = {
  id: { type: 'string' },
  instruction: { type: 'string' },
  output_schema: freeForm,
  tools: { type: 'array', items: { type: 'string' } },
  tool: { type: 'string' },
  input: freeForm,
  await_input: {
    type: 'object',
    properties: {
      input_kind: { type: 'string', enum: ['approval', 'rejection', 'payload'] },
      reason_code: { type: 'string' },
      prompt: { type: 'string' },
    },
  },
  depends_on: { type: 'array', items: { type: 'string' } },
  approval: { type: 'string', enum: ['required'] },
} as const

/** `agents` are the names that a step may have. */
export const planOutputSchema = (agents: readonly string[] = []) => ({
  type: 'object',
  required: ['steps'],
  properties: {
    goal: { type: 'string' },
    steps: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        properties: { ...stepProperties, ...(agents.length > 0 && { agent: { type: 'string', enum: agents } }) },
      },
    },
  },
})

interface PlanningContext {
  readonly context: PromptContext
  readonly tools: readonly PlannableTool[]
  /** Those that steps can be given to. Empty: the planner is not told about agents. */
  readonly agents?: readonly Described[]
  /** The agent that does the steps which name no other one. */
  readonly runAgent?: Described | undefined
  /** Rendered notes. Empty if there are none. */
  readonly memory: string
  readonly attachments?: readonly ReadAttachment[] | undefined
  /** Why the run is replanned. Undefined for the first plan. */
  readonly replan: Replan | undefined
  /** Given if the prompt was too long. */
  readonly shown?: Shown | undefined
}

interface Replan {
  readonly reason: string | undefined
  /** The plans so far, oldest first. */
  readonly past?: readonly TriedPlan[]
  /** What the planner cannot change. */
  readonly staying?: readonly ListedStep[]
  /** What it can only plan again under the same id. */
  readonly needed?: readonly ListedStep[]
  /** What could not be executed as it was planned, and can be planned again only under the same id. */
  readonly broken?: readonly ListedStep[]
}

interface TriedPlan {
  readonly steps: readonly (ListedStep & { readonly isDone: boolean })[]
  readonly reason: string | undefined
}

interface ListedStep {
  readonly id: string
  readonly what: string
}

type Described = Pick<Agent, 'name' | 'description'>

export interface PlannableTool extends OfferedTool {
  /** Policy asks a person before each call. */
  readonly asksPerson?: boolean
}

const maxDescription = 160
const maxStep = 1_000

/** The prompt of the planner. Without agents it does not mention them. */
export function plannerPrompt(hasAgents: boolean): { readonly version: string; readonly text: string } {
  const { planner, 'planner-agents': withAgents } = prompts
  if (!hasAgents) return planner
  return { version: `${planner.version}+${withAgents.version}`, text: `${planner.text}\n\n${withAgents.text}` }
}

export function plannerMessages(planning: PlanningContext): Message[] {
  const { context, tools, agents = [], runAgent, memory, attachments = [], replan, shown } = planning
  const parts = [
    ...describeAttachments(attachments, shown?.resultLength),
    ...(memory === '' ? [] : [memory]),
    ...describeRun(context, shown),
    describeTools(tools),
    ...(agents.length === 0 ? [] : [`Agents:\n${listed(agents)}`]),
    ...(runAgent ? [`A step that names no agent is done by ${runAgent.name}: ${firstLine(runAgent.description)}`] : []),
    ...(replan ? describeReplan(replan, shown?.resultLength) : []),
  ]
  return [{ from: 'system', text: plannerPrompt(agents.length > 0).text }, userMessage(parts, attachments)]
}

/** As much as a worker is offered at once. */
const maxToolsLength = maxOfferedTokens * charactersPerToken
/** Of the names that follow, if not all tools fit. */
const maxNamesLength = 8_000

/** Steps can use every tool, so those that do not fit are named at least. */
function describeTools(tools: readonly PlannableTool[]): string {
  if (tools.length === 0) return 'There are no tools.'
  const shown = fitting(tools.map(showTool), maxToolsLength)
  const names = fitting(
    tools.slice(shown.length).map((tool) => `- ${tool.name}${asked(tool)}`),
    maxNamesLength,
  )
  const left = tools.length - shown.length - names.length
  return [
    ...['Tools:', ...shown],
    ...(names.length === 0 ? [] : [undescribed, ...names]),
    ...(left === 0
      ? []
      : [`${left} more tools are not listed. An agent step that names no tools can search for them.`]),
  ].join('\n')
}

const undescribed =
  'There is no room for the arguments of the following tools. Use them in agent steps: the model that does the step sees them.'

/** The first lines that fit together. */
function fitting(lines: readonly string[], maxLength: number): string[] {
  let length = 0
  const past = lines.findIndex((line) => {
    length += line.length + 1
    return length > maxLength
  })
  return past === -1 ? [...lines] : lines.slice(0, past)
}

/** Of all plans together. The oldest are left out first. */
const maxPlansLength = 16_000

function describePlans(past: readonly TriedPlan[], maxLength: number): string[] {
  const shown: string[] = []
  let left = maxLength
  for (const [index, { steps, reason }] of [...past.entries()].reverse()) {
    const listed = steps.map(
      ({ id, what, isDone }) => `- [${isDone ? 'done' : 'not done'}] ${id}: ${shorten(what, maxStep)}`,
    )
    const why = `It was replaced${reason ? ` because: ${shorten(reason, maxStep)}` : '.'}`
    const text = shorten([`Plan ${index + 1}:`, ...listed, why].join('\n'), Math.max(left, 0))
    left -= text.length
    if (left < 0 && shown.length > 0) break
    shown.push(text)
  }
  return shown.length === 0
    ? []
    : [`The plans so far. Do not repeat what did not work.\n\n${shown.reverse().join('\n\n')}`]
}

const describeReplan = (
  { reason, past = [], staying = [], needed = [], broken = [] }: Replan,
  maxLength = maxPlansLength,
): string[] => [
  ...describePlans(past, maxLength),
  `Plan again. ${reason ? `Why: ${reason}` : 'The plan before did not work.'}`,
  ...(staying.length === 0 ? [] : [`These steps stay as they are, and wait for your steps:\n${listedSteps(staying)}`]),
  ...(needed.length === 0
    ? []
    : [
        `They use the results of these steps, which are not done. Each one stays too, unless you plan a step with its id:\n${listedSteps(needed)}`,
      ]),
  ...(broken.length === 0
    ? []
    : [
        `This step could not be executed as it was planned. People rely on it: plan it again, with the same id:\n${listedSteps(broken)}`,
      ]),
]

const listedSteps = (steps: readonly ListedStep[]): string =>
  steps.map(({ id, what }) => `- ${id}: ${shorten(what, maxStep)}`).join('\n')

const listed = (named: readonly Described[]): string =>
  named.map(({ name, description }) => `- ${name}: ${firstLine(description)}`).join('\n')

const showTool = (tool: PlannableTool): string =>
  `- ${toolSignature(tool)}${asked(tool)}: ${firstLine(tool.description)}`

const asked = ({ asksPerson }: PlannableTool): string => (asksPerson ? ' [asks a person]' : '')

const firstLine = (text: string): string => shorten(text.split('\n')[0] ?? '', maxDescription).split('\n')[0] ?? ''

export interface MadePlan {
  readonly wire: Plan
  readonly resolved: ResolvedPlan
  /** The steps that are those of the plan before. */
  readonly kept: readonly string[]
  /** What is wrong with it. It can be used only if this is empty. */
  readonly problems: readonly string[]
  /** The plan can be followed once these have compiled. */
  readonly schemas: readonly SchemaToCompile[]
}

interface ReadOptions {
  readonly knownTools: KnownTools
  readonly agents?: KnownAgents | undefined
  /** What stays of the plan before. Undefined for the first plan. */
  readonly kept?: KeptSteps | undefined
  /** What templates can be filled in with. */
  readonly givers: Pick<Givers, 'scope' | 'schemaOf'>
}
/**
 * Returns the plan with its problems, or a clause that says why the reply is no plan. Yields where the work can be
 * interrupted.
 */
export function* readPlan(
  said: Pick<ModelReply, 'text' | 'output'>,
  { knownTools, agents, kept, givers }: ReadOptions,
): Generator<void, MadePlan | string> {
  const json = readJson(said)
  if (!json.ok) return json.problem
  try {
    const made = tidyPlan(json.value, { keepsAgents: agents !== undefined })
    const joined = kept ? planAgain(kept, made) : { wire: made, kept: [] as string[] }
    const resolved = resolvePlan(joined.wire)
    yield
    const keptIds = new Set(joined.kept)
    const isKept = (id: string) => keptIds.has(id)
    const isDone = (id: string) => isKept(id) && kept?.before.isDone(id) === true
    const known = kept ? withToolsOf(kept, knownTools) : knownTools
    const problems = [
      ...listProblems(planProblems(resolved, known, { literalBraces: true, agents })),
      ...listProblems(referenceProblems(resolved, { ...givers, isKept, isDone })),
    ]
    yield
    const schemas = yield* readPlanSchemas(resolved)
    return { wire: toWire(resolved), resolved, kept: joined.kept, problems, schemas }
  } catch (error) {
    if (error instanceof ServiceError) return planProblem(error)
    throw error
  }
}

/** The tools that the plan before names were checked when it was made. */
function withToolsOf({ before: { steps } }: KeptSteps, knownTools: KnownTools): KnownTools {
  const named = steps.flatMap((step) =>
    step.kind === 'tool' ? [step.tool] : step.kind === 'agent' ? (step.tools ?? []) : [],
  )
  const known = new Set(named)
  return { has: (name) => known.has(name) || knownTools.has(name) }
}

export const planProblem = ({ message }: ServiceError): string => message.replace(/\.$/, '')
