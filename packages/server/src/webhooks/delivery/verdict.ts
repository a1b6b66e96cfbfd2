// What follows from an attempt to send a message.
import type { AttemptResult } from '../../store/webhooks/finish-deliveries.ts'
import { nextAttemptInMs } from './retry-schedule.ts'

export type Verdict = Pick<AttemptResult, 'outcome' | 'nextInMs' | 'responseStatus' | 'error'>

/** Nothing was sent, and nothing will be. */
export const skipped: Verdict = {
  outcome: 'skipped',
  nextInMs: null,
  responseStatus: null,
  error: 'Not sent: the run does not wait for this answer any more.',
}

/** The attempt does not count. */
export const later = (nextInMs: number): Verdict => ({
  outcome: 'interrupted',
  nextInMs,
  responseStatus: null,
  error: null,
})

interface Failure {
  readonly status?: number
  readonly error: string
  readonly retryAfterMs?: number | undefined
}

export const failure = (attempt: number, { status, error, retryAfterMs }: Failure): Verdict => ({
  outcome: 'failed',
  nextInMs: nextAttemptInMs({ attempts: attempt, retryAfterMs }),
  responseStatus: status ?? null,
  error,
})
