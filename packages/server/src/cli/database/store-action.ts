// Shared by the administration commands: opens the store, runs the work and prints its result.

import { Refusal } from '../output/refusal.ts'
import type { OpenStore } from './open-store.ts'

/** What a command prints. */
export interface Printed {
  /** On stdout: what another program wants. Left out: the work has written it. */
  readonly result?: string
  /** On stderr, before it: what a person wants to know about it. */
  readonly notes: string
}

/** Prints the result of the work. A `Refusal` goes to stderr with exit code 1; other errors are rethrown. */
export async function printFromStore<S>(
  open: OpenStore<S>,
  work: (store: S) => Promise<string | Printed>,
): Promise<void> {
  try {
    const printed = await open<string | Printed>(work)
    if (typeof printed === 'string') return console.log(printed)
    console.error(printed.notes)
    if (printed.result !== undefined) console.log(printed.result)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
}
