// Computes the delay before a retry, and sleeps.

export interface RetryPolicy {
  /** The maximum number of retries after a failed attempt. */
  readonly maxRetries: number
  readonly initialDelayMs: number
  readonly maxDelayMs: number
  /** Whether the service has ever answered. Until then, few retries are made: the address may be wrong. */
  readonly hasAnswered?: (() => boolean) | undefined
}

/** With the delays of the default, the error comes after 3 to 4 seconds. */
const retriesBeforeFirstAnswer = 2

/** If `Retry-After` is longer, the client throws the error instead of waiting. */
const longestRetryAfterSeconds = 60

/**
 * Doubles with each attempt. The jitter, up to a quarter on top, keeps many clients from retrying at the same time. The
 * whole is never more than the maximum.
 */
export const backoffMs = (policy: RetryPolicy, attempt: number): number => {
  const delay = policy.initialDelayMs * 2 ** attempt
  return Math.min(policy.maxDelayMs, delay * (1 + Math.random() / 4))
}

const retriesOf = ({ maxRetries, hasAnswered }: RetryPolicy): number =>
  hasAnswered?.() === false ? Math.min(maxRetries, retriesBeforeFirstAnswer) : maxRetries

/** The delay after `attempt` retries, or undefined to give up. */
export const retryDelayMs = (policy: RetryPolicy, attempt: number, retryAfter = 0): number | undefined => {
  if (attempt >= retriesOf(policy) || retryAfter > longestRetryAfterSeconds) return undefined
  return Math.max(backoffMs(policy, attempt), retryAfter * 1000)
}

/** Resolves after the time, or rejects with the reason of the signal when it aborts. */
export const sleep = (milliseconds: number, signal?: AbortSignal | null): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    signal?.addEventListener('abort', stop, { once: true })
  })
