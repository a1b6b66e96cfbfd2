// The secrets of all runs that this process is executing, so that they can be removed from its log.
import type { SecretKeeper } from './secret-keeper.ts'

export class LiveSecrets {
  readonly #keepers = new Set<SecretKeeper>()

  add(keeper: SecretKeeper | undefined): void {
    if (keeper) this.#keepers.add(keeper)
  }

  delete(keeper: SecretKeeper | undefined): void {
    if (keeper) this.#keepers.delete(keeper)
  }

  readonly scrub = (text: string): string => {
    let scrubbed = text
    for (const keeper of this.#keepers) scrubbed = keeper.scrubText(scrubbed)
    return scrubbed
  }
}
