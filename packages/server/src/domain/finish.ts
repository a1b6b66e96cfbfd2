/** Runs a computation to its end that could also be done in parts, with other work in between. */
export function finish<Result>(computation: Generator<void, Result>): Result {
  for (;;) {
    const part = computation.next()
    if (part.done) return part.value
  }
}
