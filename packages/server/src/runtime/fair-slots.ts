// A limited number of slots for expensive work. Work waits in one queue per owner, and the owners take turns: an owner
// with much work delays each of the others by one piece of it only.

export class FairSlots {
  #free: number
  /** By owner; the first one's turn is next. */
  readonly #queues = new Map<string, (() => void)[]>()

  constructor(slots: number) {
    this.#free = slots
  }

  async run<Result>(owner: string, work: () => Promise<Result>): Promise<Result> {
    await this.#take(owner)
    try {
      return await work()
    } finally {
      this.#release()
    }
  }

  #take(owner: string): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1
      return Promise.resolve()
    }
    return new Promise((start) => {
      this.#queues.set(owner, [...(this.#queues.get(owner) ?? []), start])
    })
  }

  #release(): void {
    const start = this.#takeNext()
    if (start) start()
    else this.#free += 1
  }

  /** The first of the owner whose turn it is. Moves that owner to the end. */
  #takeNext(): (() => void) | undefined {
    for (const [owner, [next, ...others]] of this.#queues) {
      this.#queues.delete(owner)
      if (others.length > 0) this.#queues.set(owner, others)
      return next
    }
    return undefined
  }
}
