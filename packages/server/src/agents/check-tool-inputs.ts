// Checks the inputs of a planner's tool steps against the schemas of the tools, as far as they are known before the
// templates in them are filled in.
import { type PlanProblem, placeholderStart, readTemplates } from '@runwright/contract'
import type { ResolvedPlan } from '../domain/plan/plan.ts'
import type { Tools } from '../tools/port/catalogue.ts'
import { describeInputIssues, findInputIssues, type InputChecking } from '../tools/port/check-input.ts'

interface Checking {
  readonly tools: Pick<Tools, 'find'>
  readonly inputs: InputChecking
  /** Steps of the plan before. They cannot be changed. */
  readonly isKept: (stepId: string) => boolean
}

type Issue = Awaited<ReturnType<typeof findInputIssues>>[number]

export async function toolInputProblems({ steps }: ResolvedPlan, checking: Checking): Promise<PlanProblem[]> {
  const stepIds = new Set(steps.map(({ id }) => id))
  const problems: PlanProblem[] = []
  for (const [index, step] of steps.entries()) {
    const tool = step.kind === 'tool' && !checking.isKept(step.id) ? checking.tools.find(step.tool) : undefined
    if (step.kind !== 'tool' || !tool) continue
    const found = await findInputIssues(tool, step.input, checking.inputs)
    const issues = found.filter((issue) => isCertain(issue, step.input, stepIds))
    const position = { index, id: step.id }
    if (issues.length > 0) problems.push({ step: position, problem: describeInputIssues(issues, step.input) })
  }
  return problems
}

/** Whether the issue stays, whatever the templates are filled in with. */
function isCertain(issue: Issue, input: unknown, stepIds: ReadonlySet<string>): boolean {
  let value: unknown = input
  for (const part of issue.path) {
    if (typeof value === 'string') return knowledgeOf(value, stepIds) !== 'nothing'
    value = memberOf(value, part)
  }
  if (typeof value === 'string') {
    const known = knowledgeOf(value, stepIds)
    return known === 'all' || (known === 'is text' && issue.code === 'invalid_type')
  }
  const isAboutContainer = issue.code === 'unrecognized_keys' || issue.code === 'invalid_type'
  return isAboutContainer || !hasTemplate(value, stepIds)
}

const memberOf = (holder: unknown, part: PropertyKey): unknown =>
  typeof holder === 'object' && holder !== null ? (holder as Record<PropertyKey, unknown>)[part] : undefined

/** A text that is one template becomes any value. Where text is around it, it stays text. */
function knowledgeOf(text: string, stepIds: ReadonlySet<string>): 'all' | 'is text' | 'nothing' {
  if (text.includes(placeholderStart)) return 'nothing'
  const read = readTemplates(text, stepIds, { literalBraces: true })
  if (!read.ok || read.parts.every((part) => typeof part === 'string')) return 'all'
  return read.parts.length === 1 ? 'nothing' : 'is text'
}

function hasTemplate(value: unknown, stepIds: ReadonlySet<string>): boolean {
  if (typeof value === 'string') return knowledgeOf(value, stepIds) !== 'all'
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some((member) => hasTemplate(member, stepIds))
}
