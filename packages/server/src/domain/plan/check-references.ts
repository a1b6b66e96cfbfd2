// Checks what the templates of a planner's plan refer to: values that the run has, and results that the steps can give.
// A client's plan is not checked in this way: it may rely on what a step gives without a schema.
import { type PlanProblem, readTemplates, stringsIn, type Template } from '@runwright/contract'
import { hasValue, type TemplateScope } from './fill-templates.ts'
import { type ResolvedAgentStep, type ResolvedPlan, type ResolvedStep, templatedPart } from './plan.ts'

type Schema = Readonly<Record<string, unknown>>

export interface Givers {
  /** What the run knows before the plan begins. */
  readonly scope: TemplateScope
  /** Steps of the plan before. They were checked with it, and cannot be changed. */
  readonly isKept: (stepId: string) => boolean
  /** Whether the scope has the result of the step. */
  readonly isDone: (stepId: string) => boolean
  /** The schema of what a step gives. Undefined: it gives text. */
  readonly schemaOf: (step: ResolvedAgentStep) => Schema | undefined
}

export function* referenceProblems({ steps }: ResolvedPlan, givers: Givers): Generator<PlanProblem, void> {
  const byId = new Map(steps.map((step) => [step.id, step]))
  const stepIds = new Set(byId.keys())
  for (const [index, step] of steps.entries()) {
    if (givers.isKept(step.id)) continue
    for (const text of stringsIn(templatedPart(step))) {
      const read = readTemplates(text, stepIds, { literalBraces: true })
      for (const part of read.ok ? read.parts : []) {
        const problem = typeof part === 'string' ? undefined : problemOf(part, byId, givers)
        if (problem !== undefined) yield { step: { index, id: step.id }, problem }
      }
    }
  }
}

type StepsById = ReadonlyMap<string, ResolvedStep>

function problemOf(template: Template, steps: StepsById, givers: Givers): string | undefined {
  const { source, text } = template
  // The payload of an answer is known only when it comes.
  if (source.kind === 'signal') return undefined
  if (source.kind !== 'step' || givers.isDone(source.stepId))
    return hasValue(template, givers.scope) ? undefined : `${text} has no value`
  const giver = steps.get(source.stepId)
  if (giver?.kind === 'gate' && source.field === 'content')
    return `${text}: a gate has no content; use {{steps.${giver.id}.output}}`
  if (giver?.kind !== 'agent' || source.field === 'content') return undefined
  return outputProblem(template, giver, givers)
}

/** A step without a schema gives text, whatever its instruction asks for. */
function outputProblem({ text, path }: Template, giver: ResolvedAgentStep, givers: Givers): string | undefined {
  const schema = givers.schemaOf(giver)
  const content = `use {{steps.${giver.id}.content}}`
  if (schema === undefined) {
    const missing = `${text}: the step has no output_schema, so it gives only text`
    return givers.isKept(giver.id)
      ? `${missing}; ${content}`
      : `${missing}; add output_schema to step ${giver.id}, or ${content}`
  }
  const unknown = firstUnknown(schema, path)
  return unknown === undefined ? undefined : `${text}: output_schema of step ${giver.id} has no property "${unknown}"`
}

/** Keywords with which a schema can allow more than its properties. Then nothing is known. */
const openKeywords = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'patternProperties', 'additionalProperties'] as const

/** The first part of a path that the properties of a schema do not have. Undefined: it may have all of them. */
function firstUnknown(schema: Schema, path: readonly string[]): string | undefined {
  let current: unknown = schema
  for (const part of path) {
    if (!isSchema(current) || openKeywords.some((keyword) => allowsMore(current as Schema, keyword))) return undefined
    if (isSchema(current.properties)) {
      if (!Object.hasOwn(current.properties, part)) return part
      current = current.properties[part]
    } else if (current.type === 'array') current = current.items
    else return undefined
  }
  return undefined
}

const allowsMore = (schema: Schema, keyword: (typeof openKeywords)[number]): boolean =>
  schema[keyword] !== undefined && schema[keyword] !== false

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
