// Brings a plan as models write it into the form of plan v2: wrapped in another object, steps as plain sentences, fields that
// do not exist. What is left is checked like a client's plan.

const stepFields = ['id', 'depends_on', 'max_attempts', 'timeout_seconds', 'approval', 'output_schema'] as const
const gateFields = ['id', 'depends_on'] as const
const questionFields = ['input_kind', 'reason_code', 'prompt'] as const
/** Other words that models use for an instruction. */
const instructionNames = ['instruction', 'instructions', 'task', 'description', 'action', 'step', 'prompt'] as const

export function tidyPlan(value: unknown): unknown {
  if (Array.isArray(value)) return { steps: value.map(tidyStep) }
  if (!isObject(value)) return value
  const inner = value.steps === undefined ? (value.plan ?? value.result ?? value.output) : undefined
  if (inner !== undefined) return tidyPlan(inner)
  const { goal, steps } = value
  return {
    ...(typeof goal === 'string' && { goal }),
    steps: Array.isArray(steps) ? steps.map(tidyStep) : steps,
  }
}

function tidyStep(step: unknown): unknown {
  if (typeof step === 'string') return { instruction: step }
  if (!isObject(step)) return step
  if (isObject(step.await_input)) {
    return { ...pick(step, gateFields), await_input: pick(step.await_input, questionFields) }
  }
  if (typeof step.tool === 'string' && step.instruction === undefined) {
    return { ...pick(step, stepFields), tool: step.tool, ...(isObject(step.input) && { input: step.input }) }
  }
  const instruction = instructionNames.map((name) => step[name]).find((text) => typeof text === 'string' && text !== '')
  const { tools } = step
  return { ...pick(step, stepFields), ...(Array.isArray(tools) && { tools }), ...(instruction ? { instruction } : {}) }
}

/** The fields that are there; null stands for a field that was left out. */
function pick(step: Record<string, unknown>, fields: readonly string[]): Record<string, unknown> {
  const tidied = fields.map((field) => [field, tidyField(field, step[field])] as const)
  return Object.fromEntries(tidied.filter(([, value]) => value !== undefined && value !== null))
}

function tidyField(field: string, value: unknown): unknown {
  if (field === 'id' && typeof value === 'number') return String(value)
  if (field === 'approval') return value === true || value === 'required' ? 'required' : undefined
  if (field === 'depends_on' && value !== null && value !== undefined) return [value].flat().map(String)
  return value
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
