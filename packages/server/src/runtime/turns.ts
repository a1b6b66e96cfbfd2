// Long computations, done in parts, so that other requests are served in between.

/** How long a computation may hold the event loop before it waits for its next turn. */
const maxTurnMs = 5

let lastTurn: Promise<void> = Promise.resolve()

/** Resolves in a later turn of the event loop; one caller per turn, in order. */
export function takeTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => new Promise((resolve) => setImmediate(resolve)))
  return lastTurn
}

/** Runs a computation that yields wherever it can be interrupted. A short one runs without interruption. */
export async function inTurns<Result>(computation: Generator<void, Result>): Promise<Result> {
  let startedAt = performance.now()
  for (;;) {
    const part = computation.next()
    if (part.done) return part.value
    if (performance.now() - startedAt < maxTurnMs) continue
    await takeTurn()
    startedAt = performance.now()
  }
}
