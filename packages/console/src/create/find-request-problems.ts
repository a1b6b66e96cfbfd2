// What the service would refuse in a request, by field of the form, with the schemas and the words of the service.
import {
  classifications,
  createRunSchema,
  describeIssue,
  findPlace,
  placesOfRun,
  rubricSchema,
  type SensitivityTag,
  tagPathStart,
} from '@runwright/contract'
import type { DraftField, DraftProblems } from './draft.ts'

/** Other fields of the request are additional fields of the form. */
const fields: Readonly<Record<string, DraftField>> = {
  input: 'input',
  workspace_id: 'workspaceId',
  subject_id: 'subjectId',
  run_class: 'runClass',
  routing_hint: 'routingHint',
  sensitivity_tags: 'tags',
  plan: 'plan',
}

interface Request {
  readonly input: Readonly<Record<string, unknown>>
  readonly sensitivity_tags?: unknown
}

export const findRequestProblems = (request: Request): DraftProblems | undefined => {
  const value = { metadata: {}, ...request }
  const { error } = createRunSchema.safeParse(value)
  if (error) {
    const [first] = error.issues
    const field = fields[String(first?.path[0])] ?? 'further'
    const placeOf = (name: string) => findPlace(placesOfRun, name)
    return { [field]: `${describeIssue({ error, value, placeOf })}.` }
  }
  const rubric = problemOfRubric(request.input.rubric)
  if (rubric !== undefined) return { rubric }
  const tags = Array.isArray(request.sensitivity_tags) ? problemOfTags(request.sensitivity_tags) : undefined
  return tags === undefined ? undefined : { tags }
}

const problemOfRubric = (rubric: unknown): string | undefined => {
  if (rubric === undefined || typeof rubric === 'string') return undefined
  const { error } = rubricSchema.safeParse(rubric)
  return error && `${describeIssue({ error, value: rubric, at: ['input', 'rubric'] })}.`
}

/** Each has a reason code of its own, so that the schema lets it pass. */
const problemOfTags = (tags: readonly SensitivityTag[]): string | undefined => {
  const paths = new Set<string>()
  for (const [index, { path, classification }] of tags.entries()) {
    const tag = `Tag ${index + 1}`
    if (!tagPathStart.test(path)) return `${tag}: the path must begin with $.input or $.metadata.`
    if (paths.has(path)) return `${tag}: another tag has the same path.`
    if (!classifications.some((one) => one === classification)) return `${tag}: choose a classification.`
    paths.add(path)
  }
  return undefined
}
