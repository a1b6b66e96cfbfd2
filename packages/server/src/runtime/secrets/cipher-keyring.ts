// The unwrapped data keys of a process: the newest one seals values, all of them can open values.
import { SealBroken, seal, unseal } from './cipher.ts'

export interface SealedValue {
  readonly keyId: number
  readonly bytes: Buffer
}

/** The row that a value belongs to. */
export type Owner = { readonly customerId: string } & (
  | { readonly runId: string }
  | { readonly webhookId: string }
  | { readonly scheduleId: string }
)

function placeOf(owner: Owner): string {
  if ('webhookId' in owner) return `runwright webhook\0${owner.webhookId}\0${owner.customerId}`
  if ('scheduleId' in owner) return `runwright schedule\0${owner.scheduleId}\0${owner.customerId}`
  return `runwright run\0${owner.runId}\0${owner.customerId}`
}

export class Keyring {
  readonly #keys = new Map<number, Buffer>()
  #newest = 0

  /** Adds keys. */
  learn(keys: ReadonlyMap<number, Buffer>): void {
    for (const [id, key] of keys) {
      this.#keys.set(id, key)
      this.#newest = Math.max(this.#newest, id)
    }
  }

  get newest(): number {
    return this.#newest
  }

  knows(keyId: number): boolean {
    return this.#keys.has(keyId)
  }

  seal(value: unknown, owner: Owner): SealedValue {
    const bytes = seal(this.#keyOf(this.#newest), Buffer.from(JSON.stringify(value)), placeOf(owner))
    return { keyId: this.#newest, bytes }
  }

  /** Throws SealBroken. */
  open({ keyId, bytes }: SealedValue, owner: Owner): unknown {
    return JSON.parse(unseal(this.#keyOf(keyId), bytes, placeOf(owner)).toString())
  }

  /** Seals the same value with the newest key. */
  reseal(sealed: SealedValue, owner: Owner): SealedValue {
    return this.seal(this.open(sealed, owner), owner)
  }

  #keyOf(id: number): Buffer {
    const key = this.#keys.get(id)
    if (key === undefined)
      throw new SealBroken(`a value is sealed with data key ${id}, which this process does not have`)
    return key
  }
}
