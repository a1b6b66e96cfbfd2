// Remembers for a few seconds which customers have no notes at all, so that their runs cost memory nothing: no query
// and no embedding. A note that another process saves meanwhile is found a few seconds later.

import { readMemoryVersion } from '../store/memory/version.ts'
import type { Database } from '../store/postgres/database.ts'

interface Answer {
  readonly at: number
  readonly hasNotes: Promise<boolean>
}

const freshMs = 5_000
const maxCustomers = 10_000

export class NotePresence {
  readonly #database: Database
  readonly #answers = new Map<string, Answer>()

  constructor(database: Database) {
    this.#database = database
  }

  /** Runs that ask at the same time share one query. */
  hasNotes(customerId: string): Promise<boolean> {
    const known = this.#answers.get(customerId)
    if (known && performance.now() - known.at < freshMs) return known.hasNotes
    const hasNotes = readMemoryVersion(this.#database, customerId).then((version) => version > 0)
    if (this.#answers.size >= maxCustomers) this.#answers.clear()
    this.#answers.set(customerId, { at: performance.now(), hasNotes })
    hasNotes.catch(() => this.#answers.delete(customerId))
    return hasNotes
  }

  /** This process has saved a note. */
  forget(customerId: string): void {
    this.#answers.delete(customerId)
  }
}
