// A tool call that a person decides about, with everything that they are shown to decide.
import type { ApprovalRules, ReadKind } from '@runwright/contract'

/** What a person was asked and has answered. */
export interface AnsweredQuestion {
  /** The beginning of it, as the person saw it. */
  readonly prompt: string | null
  /** The call that the answer decides about; null if it decides about something else. */
  readonly call: Pick<AskedCall, 'tool' | 'argumentsHash' | 'why' | 'callId'> | null
  /** Who might decide. Absent: everyone. */
  readonly rules?: ApprovalRules | null
  /** Further calls that the answer could decide about, each with its own wait. As they are stored. */
  readonly others?: readonly OtherQuestion[] | null
}

interface OtherQuestion {
  readonly key: string
  readonly call_id: string
  readonly tool: string
  readonly arguments_hash: string | null
  readonly why: string
  /** The beginning of it. Absent in a wait that an earlier version has begun. */
  readonly prompt?: string | null
}

export interface AskedCall {
  readonly tool: string
  readonly arguments: unknown
  /** The answer is valid only for a call with this hash. Null if the answer can change the arguments. */
  readonly argumentsHash: string | null
  /** Why a person is asked, as a sentence. */
  readonly why: string
  /** What the run has read so far. */
  readonly hasRead: readonly ReadKind[]
  /** As in the events, and as the other side sees it. */
  readonly callId: string
  readonly idempotencyKey: string
  /** JSON Schema of the arguments, if the tool is known. */
  readonly schema?: Readonly<Record<string, unknown>> | undefined
}

/** A further call of the same turn that the answer can decide about, with its own wait. */
export interface OtherCall {
  readonly key: string
  readonly prompt: string | null
  readonly call: AskedCall
}
