// What a run can do next: plan, work on tasks, wait for a person, or finish.
import type { ApprovalRules, InputKind } from '@runwright/contract'
import type { ResolvedAgentStep, ResolvedToolStep } from '../plan/plan.ts'
import type { AskedCall, OtherCall } from './asked-call.ts'
import type { TaskKey } from './journal.ts'

export interface Wait {
  readonly key: string
  readonly reasonCode: string
  readonly inputKind: InputKind | null
  readonly prompt: string | null
  /** The call that the answer decides about. */
  readonly call?: AskedCall
  /** Further calls of the turn that the answer can decide about. */
  readonly others?: readonly OtherCall[] | undefined
  /** Who may decide. Left out: everyone who may send signals. */
  readonly rules?: ApprovalRules | undefined
  /** The step that starts after an approval. */
  readonly before?: Task
}

/** A step that can be executed, with everything that its generation defines for it. */
export interface Task {
  readonly key: TaskKey
  readonly stepId: string
  readonly step: ResolvedAgentStep | ResolvedToolStep
  /** The index of the agent step within the run: 0, 1, 2 … For a tool step, the index of the next agent step. */
  readonly agentStep: number
  readonly planned: boolean
}

export type NextMove =
  | { readonly kind: 'plan'; readonly generation: number; readonly key: TaskKey; readonly agentStep: number }
  /** Tasks to start now. If there are none, the wait to begin once nothing is executing. */
  | { readonly kind: 'work'; readonly tasks: readonly Task[]; readonly wait: Wait | undefined }
  | { readonly kind: 'finish' }
