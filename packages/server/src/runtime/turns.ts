// Long computations, done in parts, so that other requests are served in between.

/** How long a computation may hold the event loop before it waits for its next turn. */
const maxTurnMs = 5

let lastTurn: Promise<void> = Promise.resolve()

/** Resolves in a later turn of the event loop; one caller per turn, in order. */
export function takeTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => new Promise((resolve) => setImmediate(resolve)))
  return lastTurn
}

/** The time that a computation has used of its turn. */
export class Turn {
  #startedAt = performance.now()

  get isOver(): boolean {
    return performance.now() - this.#startedAt >= maxTurnMs
  }

  async next(): Promise<void> {
    await takeTurn()
    this.#startedAt = performance.now()
  }
}

/** Runs a computation that yields wherever it can be interrupted. A short one runs without interruption. */
export async function inTurns<Result>(computation: Generator<void, Result>): Promise<Result> {
  const turn = new Turn()
  for (;;) {
    const part = computation.next()
    if (part.done) return part.value
    if (turn.isOver) await turn.next()
  }
}
