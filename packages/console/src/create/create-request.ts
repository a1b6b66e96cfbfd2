// Converts the form to the create request, or returns the problems by field.
import type { CreateRunRequest } from '@runwright/client'
import { parseJsonObject } from '../parts/parse-json.ts'

export interface CreateDraft {
  readonly input: string
  /** `metadata.agent`. */
  readonly agent: string
  readonly workspaceId: string
  readonly subjectId: string
  readonly runClass: string
  /** If empty, the service decides. */
  readonly routingHint: string
  /** Other fields of the request, as a JSON object, or empty. */
  readonly further: string
}

export interface DraftProblems {
  readonly input?: string | undefined
  readonly further?: string | undefined
}

type DraftResult = { readonly request: CreateRunRequest } | { readonly problems: DraftProblems }

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const filled = (fields: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, text]) => text !== ''))

export const createRequest = (draft: CreateDraft): DraftResult => {
  const input = parseJsonObject(draft.input)
  const further = draft.further.trim() === '' ? { value: {} } : parseJsonObject(draft.further)
  if ('problem' in input || 'problem' in further) {
    return {
      problems: {
        input: 'problem' in input ? input.problem : undefined,
        further: 'problem' in further ? further.problem : undefined,
      },
    }
  }
  const named = filled({
    workspace_id: draft.workspaceId,
    subject_id: draft.subjectId,
    run_class: draft.runClass,
    routing_hint: draft.routingHint,
  })
  const agent = draft.agent.trim()
  const metadata = isObject(further.value.metadata) ? further.value.metadata : {}
  // The service checks every field and names an invalid one.
  return {
    request: {
      ...further.value,
      ...(agent !== '' && { metadata: { ...metadata, agent } }),
      ...named,
      input: input.value,
    },
  }
}
