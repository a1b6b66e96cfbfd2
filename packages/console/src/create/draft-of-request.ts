// Fills the form from a request: that of a course, or of a run that is to run again.
import type { CreateRunRequest } from '@runwright/client'
import type { CreateDraft } from './create-request.ts'

const asText = (value: object): string => JSON.stringify(value, undefined, 2)

const isEmpty = (value: unknown): boolean =>
  value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)

export const draftOf = (request: CreateRunRequest): CreateDraft => {
  const { input, workspace_id, subject_id, run_class, routing_hint, metadata, ...rest } = request
  const { agent, ...data } = metadata ?? {}
  const isNamed = typeof agent === 'string'
  const further = { ...rest, metadata: isNamed ? data : metadata }
  const others = Object.fromEntries(Object.entries(further).filter(([, value]) => !isEmpty(value)))
  return {
    input: asText(input),
    agent: isNamed ? agent : '',
    workspaceId: workspace_id ?? '',
    subjectId: subject_id ?? '',
    runClass: run_class ?? 'default',
    routingHint: routing_hint ?? '',
    further: isEmpty(others) ? '' : asText(others),
  }
}
