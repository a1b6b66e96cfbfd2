// Shared by the administration commands: opens the store, runs the work and prints its result.
import type { OpenStore } from './open-store.ts'
import { Refusal } from './output/refusal.ts'

/** Prints the result of the work. A `Refusal` goes to stderr with exit code 1; other errors are rethrown. */
export async function printFromStore<S>(open: OpenStore<S>, work: (store: S) => Promise<string>): Promise<void> {
  try {
    console.log(await open(work))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
}
