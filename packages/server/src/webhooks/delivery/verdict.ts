// What follows from an attempt to send a message.
import type { AttemptResult } from '../../store/webhooks/finish-deliveries.ts'
import { nextAttemptInMs, nextMailInMs } from './retry-schedule.ts'

export type Verdict = Pick<AttemptResult, 'outcome' | 'nextInMs' | 'responseStatus' | 'error' | 'wasNotSent'>

/** Nothing was sent, and nothing will be. */
export const skipped: Verdict = {
  outcome: 'skipped',
  nextInMs: null,
  responseStatus: null,
  error: 'Not sent: the run does not wait for this answer any more.',
}

/** The process stops: another one, or the next start, sends the message. */
export const interrupted: Verdict = { outcome: 'interrupted', nextInMs: 0, responseStatus: null, error: null }

/** Nothing was sent yet. */
export const held = (nextInMs: number): Verdict => ({ ...interrupted, outcome: 'held', nextInMs })

interface Failure {
  readonly status?: number
  readonly error: string
  readonly retryAfterMs?: number | undefined
}

export const failure = (attempt: number, { status, error, ...next }: Failure): Verdict => ({
  outcome: 'failed',
  nextInMs: nextAttemptInMs({ attempts: attempt, ...next }),
  responseStatus: status ?? null,
  error,
})

interface MailFailure {
  readonly error: string
  readonly code?: number | null
  /** From 0 to 1. What is tried again together has the same. */
  readonly random: number
}

export const mailFailure = (attempts: number, { error, code = null, random }: MailFailure): Verdict => ({
  outcome: 'failed',
  nextInMs: nextMailInMs({ attempts, random }),
  responseStatus: code,
  error,
})
