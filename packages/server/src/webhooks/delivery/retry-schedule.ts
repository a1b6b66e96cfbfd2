// When a message that failed is sent again. The times for webhooks are those that Standard Webhooks suggests. A mail
// asks a question that ends, so it is tried soon, and as long as the question is open.

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** The pause before each attempt. */
const pausesMs = [
  0,
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
]

const mailPausesMs = [5 * second, minute, minute, 2 * minute] as const
const longestMailPauseMs = 5 * minute

export const maxDeliveryAttempts = pausesMs.length
/** A receiver cannot hold up a message for longer than this. */
const longestRetryAfterMs = 24 * hour

interface Failure {
  /** How many attempts have failed. */
  readonly attempts: number
  /** What the response has asked for. */
  readonly retryAfterMs?: number | undefined
  /** From 0 to 1. */
  readonly random?: number
}

/** The pause before the next attempt, with up to 20 % jitter upwards; null if that was the last one. */
export function nextAttemptInMs({ attempts, retryAfterMs = 0, random = Math.random() }: Failure): number | null {
  const pauseMs = pausesMs[attempts]
  if (pauseMs === undefined) return null
  return Math.max(Math.round(pauseMs * (1 + random / 5)), Math.min(retryAfterMs, longestRetryAfterMs))
}

/** The same for a mail. There is always a next one. */
export const nextMailInMs = ({ attempts, random = Math.random() }: Pick<Failure, 'attempts' | 'random'>): number =>
  Math.round((mailPausesMs[attempts - 1] ?? longestMailPauseMs) * (1 + random / 5))

/** `Retry-After` in ms: a number of seconds or a date. Undefined if it is missing or malformed. */
export function readRetryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,9}$/.test(header)) return Number(header) * second
  const date = header.endsWith(' GMT') ? Date.parse(header) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
