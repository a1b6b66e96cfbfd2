// The text of a plan, and the changes that the cards make to it. The text is the only source: whatever it has that no
// card shows stays as it is.
import {
  agentStepSchema,
  findPlanProblems,
  gateStepSchema,
  type PlanProblem,
  toolStepSchema,
} from '@runwright/contract'
import { parseJsonObject } from '../../parts/parse-json.ts'

/** A step as it is written, right or wrong. */
export type StepDraft = Readonly<Record<string, unknown>>

export interface PlanDraft extends Readonly<Record<string, unknown>> {
  readonly steps: readonly StepDraft[]
}

export const isRecord = (value: unknown): value is StepDraft =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isPlan = (value: StepDraft): value is PlanDraft => Array.isArray(value.steps) && value.steps.every(isRecord)

type ReadText =
  | { readonly plan: PlanDraft; readonly problems: readonly PlanProblem[] }
  /** Cards cannot show it. */
  | { readonly problem: string }

/** Undefined: there is no plan. */
export const readPlanText = (text: string): ReadText | undefined => {
  if (text.trim() === '') return undefined
  const parsed = parseJsonObject(text)
  if ('problem' in parsed) return parsed
  const { value } = parsed
  if (!isPlan(value)) return { problem: 'A plan needs "steps": a list of objects.' }
  return { plan: value, problems: findPlanProblems(value) }
}

export const writePlan = (plan: PlanDraft): string => JSON.stringify(plan, undefined, 2)

export type StepKind = 'agent' | 'tool' | 'gate'

/** Undefined: none of the three, or several at once. */
export const kindOf = (step: StepDraft): StepKind | undefined => {
  const kinds = (Object.keys(kindFields) as StepKind[]).filter((kind) => Object.hasOwn(step, kindFields[kind]))
  return kinds.length === 1 ? kinds[0] : undefined
}

const kindFields = { agent: 'instruction', tool: 'tool', gate: 'await_input' } as const
const firstFields: Readonly<Record<StepKind, StepDraft>> = {
  agent: { instruction: '' },
  tool: { tool: '' },
  gate: { await_input: { input_kind: 'approval', prompt: '' } },
}

/** The id that the step has, or gets. */
export const idOf = (step: StepDraft, index: number): string =>
  typeof step.id === 'string' ? step.id : `step_${index + 1}`

const freeId = (steps: readonly StepDraft[]): string => {
  const taken = new Set(steps.map(idOf))
  let number = steps.length + 1
  while (taken.has(`step_${number}`)) number += 1
  return `step_${number}`
}

export const emptyPlan: PlanDraft = { version: 'v2', steps: [] }

export const addStep = (plan: PlanDraft, kind: StepKind): PlanDraft => ({
  ...plan,
  steps: [...plan.steps, { id: freeId(plan.steps), ...firstFields[kind] }],
})

const schemas = { agent: agentStepSchema, tool: toolStepSchema, gate: gateStepSchema } as const

/** What a step of the new kind can have stays, such as the dependencies. */
export const changeKind = (step: StepDraft, kind: StepKind): StepDraft => {
  const { shape } = schemas[kind]
  const kept = Object.fromEntries(Object.entries(step).filter(([field]) => Object.hasOwn(shape, field)))
  return { ...kept, ...firstFields[kind], ...kept }
}

const withDependencies = (step: StepDraft, change: (ids: readonly unknown[]) => readonly unknown[]): StepDraft =>
  Array.isArray(step.depends_on) ? { ...step, depends_on: change(step.depends_on) } : step

export const changeStep = (plan: PlanDraft, index: number, changed: StepDraft): PlanDraft => ({
  ...plan,
  steps: plan.steps.map((step, at) => (at === index ? changed : step)),
})

interface Rename {
  /** Where the step stood when `from` was its name: it may have moved since. */
  readonly index: number
  readonly from: string
  /** Empty: no name of its own. */
  readonly to: string
}

/** Steps that depend on it follow. Undefined: another step has the name. */
export const renameStep = (plan: PlanDraft, { index, from, to }: Rename): PlanDraft | undefined => {
  const ids = plan.steps.map(idOf)
  const at = ids[index] === from ? index : ids.indexOf(from)
  const step = plan.steps[at]
  if (!step) return undefined
  const renamed = setField(step, 'id', to === '' ? undefined : to)
  const after = idOf(renamed, at)
  const others = ids.filter((_, other) => other !== at)
  if (others.includes(after)) return undefined
  const steps = changeStep(plan, at, renamed).steps
  // Of two steps with one name, the other still has it.
  if (others.includes(from)) return { ...plan, steps }
  const follow = (named: readonly unknown[]) => named.map((id) => (id === from ? after : id))
  return { ...plan, steps: steps.map((one) => withDependencies(one, follow)) }
}

/** Steps that depend on it depend on it no longer. */
export const removeStep = (plan: PlanDraft, index: number): PlanDraft => {
  const gone = plan.steps[index]?.id
  const left = plan.steps.filter((_, at) => at !== index)
  return { ...plan, steps: left.map((step) => withDependencies(step, (ids) => ids.filter((id) => id !== gone))) }
}

/** `by` is -1 for up, 1 for down. */
export const moveStep = (plan: PlanDraft, index: number, by: -1 | 1): PlanDraft => {
  const steps = [...plan.steps]
  const [moved] = steps.splice(index, 1)
  if (moved) steps.splice(index + by, 0, moved)
  return { ...plan, steps }
}

/** Sets a field of the step, or leaves it out. */
export const setField = (step: StepDraft, field: string, value: unknown): StepDraft => {
  const { [field]: _, ...others } = step
  // A new field comes last, a changed one keeps its place.
  if (value === undefined) return others
  return { ...step, [field]: value }
}
