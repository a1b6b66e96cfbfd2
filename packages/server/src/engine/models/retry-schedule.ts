// When a failed call to a model is made again, by which model, and when it is given up. Pure.
import type { ModelFailure } from '../../models/port/model.ts'
import { backoffMs } from '../../runtime/backoff.ts'
import type { ProviderRetry } from '../context/agent-limits.ts'

/** A call that has failed and is repeated. Times are milliseconds since the run was created. */
export interface CallTrouble {
  readonly tries: number
  /** When the first of the failed tries began. */
  readonly firstAtMs: number
  readonly dueAtMs: number
  /** Models of the list that were given up. */
  readonly skipped: number
}

interface Situation {
  /** Undefined: this is the first failure. */
  readonly trouble: CallTrouble | undefined
  readonly failed: { readonly failure: ModelFailure; readonly startedAtMs: number }
  readonly nowMs: number
  /** How many models the list has. */
  readonly models: number
}

type NextTry =
  | { readonly give: 'up'; readonly failure: ModelFailure }
  | { readonly give: 'another try'; readonly trouble: CallTrouble; readonly hasNewModel: boolean }

export function nextTry({ trouble, failed, nowMs, models }: Situation, retry: ProviderRetry): NextTry {
  const { failure, startedAtMs } = failed
  const firstAtMs = trouble?.firstAtMs ?? startedAtMs
  const tries = (trouble?.tries ?? 0) + 1
  const skipped = trouble?.skipped ?? 0
  const hasAnother = skipped + 1 < models
  if (hasAnother && mayMoveOn(failure, nowMs - firstAtMs, retry)) {
    return {
      give: 'another try',
      trouble: { tries, firstAtMs: nowMs, dueAtMs: nowMs, skipped: skipped + 1 },
      hasNewModel: true,
    }
  }
  if (failure.retry !== 'call') return { give: 'up', failure }
  const waitMs = Math.max(backoffMs(tries - 1, retry), failure.retryAfterMs ?? 0)
  const dueAtMs = nowMs + waitMs
  if (dueAtMs - firstAtMs > retry.giveUpMs) return { give: 'up', failure: givenUp(failure, nowMs - firstAtMs) }
  return { give: 'another try', trouble: { tries, firstAtMs, dueAtMs, skipped }, hasNewModel: false }
}

/** The next model takes over when this one is away for a while, or refuses its key or its quota. */
function mayMoveOn({ retry, reasonCode }: ModelFailure, failingMs: number, { fallbackMs }: ProviderRetry): boolean {
  if (retry === 'call') return failingMs >= fallbackMs
  return reasonCode === 'provider_auth' || reasonCode === 'provider_quota'
}

const givenUp = (failure: ModelFailure, triedMs: number): ModelFailure => ({
  ...failure,
  message: `Given up after ${Math.round(triedMs / 1000)} s. ${failure.message}`,
})
