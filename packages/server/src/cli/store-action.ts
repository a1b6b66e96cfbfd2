// What the commands about keys and customers have in common: they open the store, print what came of it, or say why not.
import type { OpenStore } from './open-store.ts'

/** What the operator asked for can't be done; the message is one sentence. */
export class Refusal extends Error {}

/** Prints what the work returns; a refusal goes to stderr with exit code 1, anything else to the command line's entry. */
export async function printFromStore<S>(open: OpenStore<S>, work: (store: S) => Promise<string>): Promise<void> {
  try {
    console.log(await open(work))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
}

export const toJson = (value: object): string => JSON.stringify(value, null, 2)
