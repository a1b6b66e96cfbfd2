// What became of a decision whose page was closed before the service had confirmed it.
import type { AwaitingInput, RunSignal } from '@runwright/contract'
import type { UnsentNote } from './unsent-notes.ts'

export type Fate = 'unknown' | 'waits' | 'arrived'

interface AnsweredRun {
  readonly awaiting_input?: AwaitingInput | null | undefined
  readonly signals?: readonly RunSignal[] | undefined
}

/** `keyId` is that of who is signed in. Undefined: not known yet, so the answer of anyone counts as theirs. */
export function fateOf({ awaitSeq, action, wasSending }: UnsentNote, run: AnsweredRun, keyId?: string): Fate {
  const wait = run.awaiting_input?.seq === awaitSeq ? run.awaiting_input : undefined
  // Answers that were counted while others decide have the number of the one that ended the wait.
  const given = wait ? wait.decisions : (run.signals ?? []).filter(({ seq }) => seq === awaitSeq + 1)
  const isGiven = given.some((one) => one.action === action && (keyId === undefined || one.key_id === keyId))
  if (wasSending && isGiven) return 'arrived'
  return wait ? 'waits' : 'unknown'
}
