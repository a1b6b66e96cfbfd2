// Decides when a failed model call is retried, with which model, and when it is given up. Pure.
import type { ModelFailure } from '../../models/port/model.ts'
import { backoffMs } from '../../runtime/backoff.ts'
import type { ProviderRetry } from './agent-limits.ts'

/** A failed call that is being retried. Times are milliseconds since the run was created. */
export interface CallTrouble {
  readonly tries: number
  /** When the first failed try started. */
  readonly firstAtMs: number
  readonly dueAtMs: number
  /** How many models of the list were given up. */
  readonly skipped: number
}

interface Situation {
  /** Undefined at the first failure. */
  readonly trouble: CallTrouble | undefined
  readonly failed: { readonly failure: ModelFailure; readonly startedAtMs: number }
  readonly nowMs: number
  /** The length of the list of models. */
  readonly models: number
}

type NextTry =
  | { readonly kind: 'give_up'; readonly failure: ModelFailure }
  | { readonly kind: 'try_again'; readonly trouble: CallTrouble; readonly hasNewModel: boolean }

export function nextTry({ trouble, failed, nowMs, models }: Situation, retry: ProviderRetry): NextTry {
  const { failure, startedAtMs } = failed
  const firstAtMs = trouble?.firstAtMs ?? startedAtMs
  const tries = (trouble?.tries ?? 0) + 1
  const skipped = trouble?.skipped ?? 0
  const hasAnother = skipped + 1 < models
  if (hasAnother && mayMoveOn(failure, nowMs - firstAtMs, retry)) {
    return {
      kind: 'try_again',
      trouble: { tries, firstAtMs: nowMs, dueAtMs: nowMs, skipped: skipped + 1 },
      hasNewModel: true,
    }
  }
  if (failure.retry !== 'call') return { kind: 'give_up', failure }
  const waitMs = Math.max(backoffMs(tries - 1, retry), failure.retryAfterMs ?? 0)
  const dueAtMs = nowMs + waitMs
  if (dueAtMs - firstAtMs > retry.giveUpMs) return { kind: 'give_up', failure: givenUp(failure, nowMs - firstAtMs) }
  return { kind: 'try_again', trouble: { tries, firstAtMs, dueAtMs, skipped }, hasNewModel: false }
}

/** The next model is used when this one has failed for a while, or refused its key or quota. */
function mayMoveOn({ retry, reasonCode }: ModelFailure, failingMs: number, { fallbackMs }: ProviderRetry): boolean {
  if (retry === 'call') return failingMs >= fallbackMs
  return reasonCode === 'provider_auth' || reasonCode === 'provider_quota'
}

const givenUp = (failure: ModelFailure, triedMs: number): ModelFailure => ({
  ...failure,
  message: `Given up after ${Math.round(triedMs / 1000)} s. ${failure.message}`,
})
