// Converts the form to the create request, or returns the problems by field.
import type { CreateRunRequest } from '@runwright/client'
import type { Plan } from '@runwright/contract'
import { unmasked } from '../parts/mask.ts'
import { parseJsonObject } from '../parts/parse-json.ts'
import type { CreateDraft, DraftProblems } from './draft.ts'
import { findRequestProblems } from './find-request-problems.ts'
import { readPlanText } from './plan/plan-text.ts'
import { hasInputProblems, type KnownTool } from './plan/tool-input.ts'

type DraftResult = { readonly request: CreateRunRequest } | { readonly problems: DraftProblems }

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const filled = (fields: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, text]) => text !== ''))

const objectOf = (text: string) => (text.trim() === '' ? { value: undefined } : parseJsonObject(text))

/** A rubric that begins as an object is one: a text with such a beginning is a mistake. */
const rubricOf = (text: string) => (text.trim().startsWith('{') ? parseJsonObject(text) : { value: text.trim() })

/** The plan editor shows the problems of steps: here it is enough that there are some. */
const planOf = (
  text: string,
  tools: readonly KnownTool[],
): { readonly value: Plan | undefined } | { readonly problem: string } => {
  const read = readPlanText(text)
  if (read === undefined) return { value: undefined }
  if ('problem' in read) return read
  const isRefused = read.problems.length > 0 || read.plan.steps.some((step) => hasInputProblems(step, tools))
  return isRefused ? { problem: 'The plan has problems.' } : { value: read.plan as unknown as Plan }
}

interface DraftSurroundings {
  /** Those whose arguments the plan editor checks. */
  readonly tools?: readonly KnownTool[] | undefined
  /** The form was filled with a request in which values are masked. */
  readonly isMasked?: boolean
}

export const createRequest = (
  draft: CreateDraft,
  { tools = [], isMasked = false }: DraftSurroundings = {},
): DraftResult => {
  const input = unmasked(parseJsonObject(draft.input), isMasked)
  const outputSchema = unmasked(objectOf(draft.outputSchema), isMasked)
  const rubric = unmasked(rubricOf(draft.rubric), isMasked)
  const plan = planOf(draft.plan, tools)
  const further = unmasked(objectOf(draft.further), isMasked)
  if (
    'problem' in input ||
    'problem' in outputSchema ||
    'problem' in rubric ||
    'problem' in plan ||
    'problem' in further
  ) {
    const problems = Object.entries({ input, outputSchema, rubric, plan, further }).flatMap(([field, read]) =>
      'problem' in read ? [[field, read.problem]] : [],
    )
    return { problems: Object.fromEntries(problems) }
  }
  const named = filled({
    workspace_id: draft.workspaceId,
    subject_id: draft.subjectId,
    run_class: draft.runClass,
    routing_hint: draft.routingHint,
  })
  const agent = draft.agent.trim()
  const others = further.value ?? {}
  const metadata = isObject(others.metadata) ? others.metadata : {}
  const request = {
    ...others,
    ...(agent !== '' && { metadata: { ...metadata, agent } }),
    ...named,
    ...(draft.tags.length > 0 && { sensitivity_tags: [...draft.tags] }),
    ...(plan.value !== undefined && { plan: plan.value }),
    input: {
      ...input.value,
      ...(outputSchema.value !== undefined && { output_schema: outputSchema.value }),
      ...(rubric.value !== '' && { rubric: rubric.value }),
    },
  }
  const problems = findRequestProblems(request)
  return problems === undefined ? { request } : { problems }
}
