// Collects when keys were used, and stores it for all keys in one statement.

import { writeKeyUses } from '../store/keys/uses.ts'
import type { Database } from '../store/postgres/database.ts'

export interface KeyUsesCounts {
  readonly written: number
}

export class KeyUses {
  readonly #database: Database
  readonly #now: () => number
  #marks = new Map<string, number>()
  #flight: Promise<unknown> = Promise.resolve()

  constructor({ database, now }: { readonly database: Database; readonly now: () => number }) {
    this.#database = database
    this.#now = now
  }

  mark(keyId: string): void {
    this.#marks.set(keyId, this.#now())
  }

  /** Resolves when everything marked before the call is stored, including what a concurrent call is writing. */
  runOnce(): Promise<KeyUsesCounts> {
    const flight = Promise.allSettled([this.#flight]).then(() => this.#write())
    this.#flight = flight
    return flight
  }

  async #write(): Promise<KeyUsesCounts> {
    const marks = this.#marks
    if (marks.size === 0) return { written: 0 }
    this.#marks = new Map()
    const now = this.#now()
    try {
      const uses = [...marks].map(([keyId, at]) => ({ keyId, agoMs: now - at }))
      return { written: await writeKeyUses(this.#database, uses) }
    } catch (error) {
      // Kept for the next call; newer marks take precedence.
      this.#marks = new Map([...marks, ...this.#marks])
      throw error
    }
  }
}
