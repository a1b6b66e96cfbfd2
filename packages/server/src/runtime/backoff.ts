// Exponential backoff with jitter, a sleep that can be aborted, and a timer that can be cancelled.

interface Backoff {
  readonly firstMs: number
  readonly maxMs: number
}

/** The pause after `tries` failed attempts: doubles each time, with up to 50 % jitter downwards. */
export const backoffMs = (tries: number, { firstMs, maxMs }: Backoff): number =>
  Math.min(maxMs, firstMs * 2 ** Math.min(tries, 30)) * (1 - Math.random() / 2)

// setTimeout fires immediately for a longer delay.
const longestTimeoutMs = 2 ** 31 - 1

/** The reason of an abort that only ends a sleep. An abort without a reason makes an error with a stack. */
export const awake = 'awake'

/** Resolves after `ms`, or earlier if the signal aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, Math.min(ms, longestTimeoutMs))
    signal?.addEventListener('abort', end, { once: true })
  })
}

/** Acts after `ms`, or never if that is longer than a timer supports. Returns what cancels it. */
export function startTimer(ms: number, act: () => void): () => void {
  if (ms > longestTimeoutMs) return () => undefined
  const timer = setTimeout(act, ms)
  return () => clearTimeout(timer)
}
