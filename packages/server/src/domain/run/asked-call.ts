// A tool call that a person decides about, with everything that they are shown to decide.
import type { ReadKind } from '@runwright/contract'

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
}
