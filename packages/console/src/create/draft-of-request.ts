// Fills the form from a request: that of a course, or of a run that is to run again.
import type { CreateRunRequest } from '@runwright/client'
import type { CreateDraft } from './draft.ts'

const asText = (value: object): string => JSON.stringify(value, undefined, 2)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isEmpty = (value: unknown): boolean =>
  value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)

const rubricText = (rubric: unknown): string => {
  if (isObject(rubric)) return asText(rubric)
  return typeof rubric === 'string' ? rubric : ''
}

/** What the fields of the form cannot show stays in the input. */
const splitInput = ({ output_schema, rubric, ...input }: Readonly<Record<string, unknown>>) => {
  const text = rubricText(rubric)
  const isShown = text === text.trim() && (isObject(rubric) || (text !== '' && !text.startsWith('{')))
  return {
    input: {
      ...input,
      ...(output_schema !== undefined && !isObject(output_schema) && { output_schema }),
      ...(rubric !== undefined && !isShown && { rubric }),
    },
    outputSchema: isObject(output_schema) ? asText(output_schema) : '',
    rubric: isShown ? text : '',
  }
}

export const draftOf = (request: CreateRunRequest): CreateDraft => {
  const { input, workspace_id, subject_id, run_class, routing_hint, metadata, sensitivity_tags, plan, ...rest } =
    request
  const { agent, ...data } = metadata ?? {}
  const isNamed = typeof agent === 'string'
  const further = { ...rest, metadata: isNamed ? data : metadata }
  const others = Object.fromEntries(Object.entries(further).filter(([, value]) => !isEmpty(value)))
  const split = splitInput(input)
  return {
    ...split,
    input: asText(split.input),
    agent: isNamed ? agent : '',
    workspaceId: workspace_id ?? '',
    subjectId: subject_id ?? '',
    runClass: run_class ?? 'default',
    routingHint: routing_hint ?? '',
    tags: sensitivity_tags ?? [],
    plan: plan === undefined ? '' : asText(plan),
    further: isEmpty(others) ? '' : asText(others),
  }
}
