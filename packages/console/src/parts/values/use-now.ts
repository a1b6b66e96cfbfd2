// The current time, for countdowns and ages. All users of the same interval share one timer.
import { useSyncExternalStore } from 'react'

interface Clock {
  readonly subscribe: (listener: () => void) => () => void
  readonly now: () => number
}

const createClock = (intervalMs: number): Clock => {
  const listeners = new Set<() => void>()
  let now = Date.now()
  let timer: ReturnType<typeof setInterval> | undefined
  const tick = () => {
    now = Date.now()
    for (const listener of listeners) listener()
  }
  return {
    now: () => now,
    subscribe: (listener) => {
      listeners.add(listener)
      if (timer === undefined) {
        now = Date.now()
        timer = setInterval(tick, intervalMs)
      }
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        clearInterval(timer)
        timer = undefined
      }
    },
  }
}

const clocks = new Map<number, Clock>()

const clockOf = (intervalMs: number): Clock => {
  const clock = clocks.get(intervalMs) ?? createClock(intervalMs)
  clocks.set(intervalMs, clock)
  return clock
}

const noSubscription = () => () => undefined

/** Milliseconds since the epoch, renewed every `intervalMs`. With `null` it stands still. */
export const useNow = (intervalMs: number | null = 1_000): number => {
  const clock = clockOf(intervalMs ?? 1_000)
  return useSyncExternalStore(intervalMs === null ? noSubscription : clock.subscribe, clock.now)
}
