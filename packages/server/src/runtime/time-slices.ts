// Long computations, done in parts, so that other requests are served in between.
import { setImmediate } from 'node:timers'

/** How long computations may hold the event loop before they wait for its next turn. */
const maxTurnMs = 5

const waiting: (() => void)[] = []
let isScheduled = false

/**
 * Resolves in a later turn of the event loop, in order. Callers that need little time share a turn; one that needs long
 * is the last of its turn.
 */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (isScheduled) return
    isScheduled = true
    setImmediate(beginTurn)
  })
}

function beginTurn(): void {
  const startedAt = performance.now()
  const goOn = () => {
    if (performance.now() - startedAt < maxTurnMs) letNextIn(goOn)
    else setImmediate(beginTurn)
  }
  letNextIn(goOn)
}

function letNextIn(goOn: () => void): void {
  const resolve = waiting.shift()
  isScheduled = resolve !== undefined
  if (!resolve) return
  resolve()
  // Ticks that a microtask asks for come after all microtasks: then the caller has done its part.
  queueMicrotask(() => process.nextTick(goOn))
}

/** The time that a computation may hold the event loop, and what it has used of it. */
export class TimeSlice {
  #startedAt = performance.now()

  get isOver(): boolean {
    return performance.now() - this.#startedAt >= maxTurnMs
  }

  async next(): Promise<void> {
    await yieldToEventLoop()
    this.#startedAt = performance.now()
  }
}

/** Runs a computation that yields wherever it can be interrupted. A short one runs without interruption. */
export async function runSliced<Result>(computation: Generator<void, Result>): Promise<Result> {
  const slice = new TimeSlice()
  for (;;) {
    const part = computation.next()
    if (part.done) return part.value
    if (slice.isOver) await slice.next()
  }
}
