// The request that creates the same run again.
import type { CreateRunRequest } from '@runwright/client'
import type { EventPayload, RunClass, RunDetail, RunInput } from '@runwright/contract'
import { hasMask } from '../parts/mask.ts'
import { tagsOfMasked } from './masked-tags.ts'

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

interface AgainSources {
  readonly run: Pick<RunDetail, 'workspace_id' | 'subject_id' | 'run_class' | 'plan'>
  readonly sent: RunInput
  /** The payload of `run.created`. */
  readonly created: EventPayload<'run.created'> | undefined
  readonly runClass?: RunClass
}

export interface AgainRequest {
  readonly request: CreateRunRequest
  /** Some values are masked and must be entered again. */
  readonly isMasked: boolean
}

export const againRequest = ({ run, sent, created, runClass }: AgainSources): AgainRequest => {
  const { routing_hint, streaming, routing } = created ?? {}
  const tags = tagsOfMasked(sent)
  return {
    isMasked: hasMask(sent.input) || hasMask(sent.metadata) || !isObject(sent.input),
    request: {
      input: isObject(sent.input) ? sent.input : {},
      metadata: isObject(sent.metadata) ? sent.metadata : {},
      run_class: runClass ?? run.run_class,
      ...(run.workspace_id !== null && { workspace_id: run.workspace_id }),
      ...(run.subject_id !== null && { subject_id: run.subject_id }),
      ...(sent.attachment_refs.length > 0 && { attachment_refs: sent.attachment_refs }),
      ...(routing_hint && { routing_hint }),
      ...(streaming !== undefined && { streaming }),
      ...(tags.length > 0 && { sensitivity_tags: tags }),
      // A plan that the planner made is made again.
      ...(routing?.decided_by === 'plan' && run.plan && { plan: run.plan }),
    },
  }
}
