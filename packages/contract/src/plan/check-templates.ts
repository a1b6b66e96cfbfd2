// Checks the templates of a plan: each must be well-formed and refer only to steps that finish before its own step.
import { showName } from '../checks/show-text.ts'
import { findAncestors } from './dependencies.ts'
import type { PlanProblem } from './plan-problem.ts'
import { type ReadTemplateOptions, type ReadTemplates, readTemplates } from './read-templates.ts'

interface TemplatedStep {
  readonly id: string
  readonly dependsOn: readonly string[]
  /** JSON whose strings may contain templates. */
  readonly templated: unknown
}

export function* templateProblems(
  steps: readonly TemplatedStep[],
  options: ReadTemplateOptions = {},
): Generator<PlanProblem, void> {
  const stepIds = new Set(steps.map((step) => step.id))
  const ancestors = findAncestors(new Map(steps.map((step) => [step.id, new Set(step.dependsOn)])))
  for (const [index, { id, templated }] of steps.entries()) {
    for (const text of stringsIn(templated)) {
      const problem = findTemplateProblem(readTemplates(text, stepIds, options), ancestors.get(id) ?? new Set())
      if (problem !== undefined) yield { step: { index, id }, problem }
    }
  }
}

export function stringsIn(value: unknown, found: string[] = []): readonly string[] {
  if (typeof value === 'string') found.push(value)
  else if (Array.isArray(value)) for (const item of value) stringsIn(item, found)
  else if (typeof value === 'object' && value !== null)
    for (const member of Object.values(value)) stringsIn(member, found)
  return found
}

function findTemplateProblem(read: ReadTemplates, ancestors: ReadonlySet<string>): string | undefined {
  if (!read.ok) return read.problem
  for (const part of read.parts) {
    if (typeof part === 'string' || part.source.kind !== 'step' || ancestors.has(part.source.stepId)) continue
    return `${part.text} refers to ${showName(part.source.stepId)}, which this step does not depend on`
  }
  return undefined
}
