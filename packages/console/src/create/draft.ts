// What the form of a new run contains, and its problems by field.
import type { SensitivityTag } from '@runwright/contract'

export interface CreateDraft {
  readonly input: string
  /** `input.output_schema`: a JSON object, or empty. */
  readonly outputSchema: string
  /** `input.rubric`: a text, a JSON object, or empty. */
  readonly rubric: string
  /** `metadata.agent`. */
  readonly agent: string
  readonly workspaceId: string
  readonly subjectId: string
  readonly runClass: string
  /** If empty, the service decides. */
  readonly routingHint: string
  readonly tags: readonly SensitivityTag[]
  /** A JSON object, or empty. */
  readonly plan: string
  /** Other fields of the request, as a JSON object, or empty. */
  readonly further: string
}

export const emptyDraft: CreateDraft = {
  input: '',
  outputSchema: '',
  rubric: '',
  agent: '',
  workspaceId: '',
  subjectId: '',
  runClass: '',
  routingHint: '',
  tags: [],
  plan: '',
  further: '',
}

export type DraftField = keyof CreateDraft
export type DraftProblems = Readonly<Partial<Record<DraftField, string>>>
