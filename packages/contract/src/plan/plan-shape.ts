// Checks the fields and types of a plan, and that each step has exactly one kind. Steps are parsed one by one rather
// than with the published union, which would only report that a step matches none of its three members.
import { z } from 'zod'
import { describeIssue } from '../checks/describe-issue.ts'
import { findPlace, placesOfStep } from '../checks/misplaced-fields.ts'
import { agentStepSchema, gateStepSchema, type PlanStep, planSchema, toolStepSchema } from '../schemas/plan.ts'
import { maxPlanSteps } from '../vocabulary/limits.ts'
import type { JudgeMode } from '../vocabulary/vocabulary.ts'
import { type PlanProblem, PlanRefusal, refusePlan } from './plan-problem.ts'

export interface PlanShape {
  readonly goal: string | undefined
  readonly judge: JudgeMode | undefined
  readonly steps: readonly PlanStep[]
}

const frameSchema = planSchema.extend({ steps: z.array(z.unknown()).min(1).max(maxPlanSteps) })

export function readPlanShape(value: unknown): PlanShape {
  if (!isObject(value)) return refusePlan(undefined, 'must be an object with at least one step')
  const frame = frameSchema.safeParse(value)
  if (!frame.success) return refusePlan(undefined, describeIssue({ error: frame.error, value }))
  const { goal, judge, steps } = frame.data
  const read = steps.map(readStep)
  const problems = read.flatMap((step) => ('problem' in step ? [step] : []))
  if (problems.length > 0) throw new PlanRefusal(problems)
  return { goal, judge, steps: read.flatMap((step) => ('problem' in step ? [] : [step.step])) }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const kinds = { instruction: agentStepSchema, tool: toolStepSchema, await_input: gateStepSchema } as const
type KindField = keyof typeof kinds
const kindFields = Object.keys(kinds) as KindField[]

function readStep(value: unknown, index: number): PlanProblem | { readonly step: PlanStep } {
  if (!isObject(value)) return { step: { index }, problem: 'must be an object' }
  const position = { index, id: typeof value.id === 'string' ? value.id : undefined }
  const [kind, ...others] = kindFields.filter((field) => Object.hasOwn(value, field))
  if (kind === undefined || others.length > 0)
    return { step: position, problem: `must have exactly one of ${kindFields.join(', ')}${hintFor(value, kind)}` }
  const step = kinds[kind].safeParse(value)
  if (step.success) return { step: step.data }
  const [field] = step.error.issues[0]?.path ?? []
  return { step: position, field: field?.toString(), problem: describeIssue({ error: step.error, value, placeOf }) }
}

const placeOf = (field: string): string | undefined => findPlace(placesOfStep, field)

/** A step without any of the fields may have one of them under another name. */
function hintFor(step: Readonly<Record<string, unknown>>, kind: unknown): string {
  const field = kind === undefined ? Object.keys(placesOfStep).find((name) => Object.hasOwn(step, name)) : undefined
  return field === undefined ? '' : `; ${field} is not a known field: ${placeOf(field)}`
}
