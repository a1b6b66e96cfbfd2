// The workers of the fleet as this process knows them: which of them have room for more runs, and whose turn it is.

interface KnownWorker {
  hasRoom: boolean
  /** It did not answer a wake-up. It is not woken again until it is heard. */
  isSilent: boolean
}

export class FleetWorkers {
  /** In the order of their turns. */
  readonly #workers = new Map<string, KnownWorker>()

  /** How many workers there are, without silent ones. */
  get count(): number {
    return [...this.#workers.values()].filter(({ isSilent }) => !isSilent).length
  }

  /** A worker says whether it has room. */
  tell(id: string, hasRoom: boolean): void {
    this.#workers.set(id, { hasRoom, isSilent: false })
  }

  /** A process was heard, whatever it said. */
  heard(id: string): void {
    const worker = this.#workers.get(id)
    if (worker) worker.isSilent = false
  }

  missed(id: string): void {
    const worker = this.#workers.get(id)
    if (worker) worker.isSilent = true
  }

  forget(id: string): void {
    this.#workers.delete(id)
  }

  forgetAllBut(id: string): void {
    for (const other of [...this.#workers.keys()]) if (other !== id) this.#workers.delete(other)
  }

  /** The next worker with room. Undefined if none is known. */
  next(): string | undefined {
    for (const [id, worker] of this.#workers) {
      if (!worker.hasRoom || worker.isSilent) continue
      this.#workers.delete(id)
      this.#workers.set(id, worker)
      return id
    }
    return undefined
  }
}
