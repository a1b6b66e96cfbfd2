// Does the reads of a customer one after another, so that many streams of one customer cannot take the database from
// others.
export class CustomerTurns {
  /** The last read of each customer that reads. */
  readonly #last = new Map<string, Promise<unknown>>()

  inTurn<Result>(customerId: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(customerId) ?? Promise.resolve()
    const read = before.then(work)
    const settled = read.then(
      () => undefined,
      () => undefined,
    )
    this.#last.set(customerId, settled)
    void settled.then(() => {
      if (this.#last.get(customerId) === settled) this.#last.delete(customerId)
    })
    return read
  }
}
