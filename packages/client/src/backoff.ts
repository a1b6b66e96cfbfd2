// How long to wait before the next attempt, and the waiting.

export interface RetryPolicy {
  /** How many attempts may follow a failed one. */
  readonly maxRetries: number
  readonly initialDelayMs: number
  readonly maxDelayMs: number
}

/** A service that asks for more patience than this gets its error passed on instead. */
const longestRetryAfterSeconds = 60

/** Doubles with each attempt up to the cap; the random half keeps many clients from coming back at once. */
export const backoffMs = (policy: RetryPolicy, attempt: number): number => {
  const delay = Math.min(policy.maxDelayMs, policy.initialDelayMs * 2 ** attempt)
  return delay * (0.5 + Math.random() / 2)
}

/** The wait before attempt `attempt` + 1, or undefined to give up. */
export const retryDelayMs = (policy: RetryPolicy, attempt: number, retryAfter = 0): number | undefined => {
  if (attempt >= policy.maxRetries || retryAfter > longestRetryAfterSeconds) return undefined
  return Math.max(backoffMs(policy, attempt), retryAfter * 1000)
}

/** Resolves after the time, or rejects with the signal's reason as soon as it aborts. */
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
