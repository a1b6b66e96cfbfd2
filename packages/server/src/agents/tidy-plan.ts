// Converts a plan as models write it to plan v2. It removes a wrapping object and unknown fields, and accepts steps as
// plain sentences. The result is validated like a client's plan.
import { parseModelJson } from '../domain/json/model-json.ts'

const stepFields = ['id', 'depends_on', 'max_attempts', 'timeout_seconds', 'approval', 'output_schema'] as const
const gateFields = ['id', 'depends_on'] as const
const questionFields = ['input_kind', 'reason_code', 'prompt'] as const
/** Field names that models use for an instruction. */
const instructionNames = ['instruction', 'instructions', 'task', 'description', 'action', 'step', 'prompt'] as const

interface Tidying {
  /** False: `agent` is dropped like any unknown field, because there are no agents. */
  readonly keepsAgents?: boolean
}

export function tidyPlan(value: unknown, tidying: Tidying = {}): unknown {
  const tidy = (step: unknown) => tidyStep(step, tidying)
  const plan = unwrap(value)
  if (Array.isArray(plan)) return { steps: plan.map(tidy) }
  if (!isObject(plan)) return plan
  const { goal, steps } = plan
  return {
    ...(typeof goal === 'string' && { goal }),
    steps: Array.isArray(steps) ? steps.map(tidy) : steps,
  }
}

/** Not by recursion: a model decides how often a plan is wrapped. */
function unwrap(value: unknown): unknown {
  let plan = value
  while (isObject(plan) && plan.steps === undefined) {
    const inner = plan.plan ?? plan.result ?? plan.output
    if (inner === undefined) return plan
    plan = inner
  }
  return plan
}

function tidyStep(step: unknown, { keepsAgents }: Tidying): unknown {
  if (typeof step === 'string') return { instruction: step }
  if (!isObject(step)) return step
  if (step.await_input) return tidyGate(step)
  const instruction = instructionNames.map((name) => step[name]).find(isText)
  if (isText(step.tool) && !isText(step.instruction)) {
    const input = readObject(step.input)
    return { ...pick(step, stepFields), tool: step.tool, ...(isObject(input) && { input }) }
  }
  // An instruction together with a tool becomes an agent step with that tool.
  const tools = Array.isArray(step.tools) ? step.tools : isText(step.tool) ? [step.tool] : undefined
  const agent = keepsAgents && isText(step.agent) ? { agent: step.agent } : {}
  return { ...pick(step, stepFields), ...agent, ...(tools && { tools }), ...(instruction ? { instruction } : {}) }
}

/** Models write `true`, a question, or an object for a gate. */
function tidyGate(step: Record<string, unknown>): unknown {
  const { await_input: asked } = step
  const question = isObject(asked) ? pick(asked, questionFields) : {}
  const prompt = [question.prompt, asked, step.prompt, step.instruction].find(isText)
  return { ...pick(step, gateFields), await_input: { ...question, ...(prompt !== undefined && { prompt }) } }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** Keeps the known fields. A null field counts as absent. */
function pick(step: Record<string, unknown>, fields: readonly string[]): Record<string, unknown> {
  const tidied = fields.map((field) => [field, tidyField(field, step[field])] as const)
  return Object.fromEntries(tidied.filter(([, value]) => value !== undefined && value !== null))
}

function tidyField(field: string, value: unknown): unknown {
  if (field === 'id' && typeof value === 'number') return String(value)
  if (field === 'output_schema') return readObject(value)
  if (field === 'approval') return value === true || value === 'required' ? 'required' : undefined
  if (field === 'depends_on' && value !== null && value !== undefined) return [value].flat().map(String)
  return value
}

/** A provider may enforce only objects whose properties are all known. Then others come as JSON in a text. */
function readObject(value: unknown): unknown {
  if (typeof value !== 'string') return value
  return value.trim() === '' ? undefined : (parseModelJson(value)?.value ?? value)
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
