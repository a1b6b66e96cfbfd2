// Keeps the vectors of the customers that were last asked about. Versioned: before each use it reads what has changed since,
// whichever process changed it. Bounded: whoever was asked about longest ago goes first.
import type { MemoryReader } from '../../store/memory/reader.ts'
import { beginning, readVectorChanges, type VectorPosition, vectorPageSize } from '../../store/memory/vectors.ts'
import { CustomerVectors } from './customer-vectors.ts'

export interface VectorCacheOptions {
  readonly model: string
  readonly maxBytes?: number
  /** A customer with more is not kept. */
  readonly maxBytesPerCustomer?: number
}

export interface WantedVectors {
  readonly customerId: string
  /** Everything that was committed up to here is wanted. */
  readonly version: number
}

interface Entry {
  vectors: CustomerVectors | 'too large'
  /** Everything up to here is in it. */
  version: number
  position: VectorPosition
  refreshing: Promise<void> | undefined
}

const mebibyte = 1024 * 1024
/** What it takes to remember that a customer is too large: these must not pile up either. */
const bytesOfNote = 1024

export class VectorCache {
  readonly #options: Required<VectorCacheOptions>
  readonly #entries = new Map<string, Entry>()

  constructor({ model, maxBytes = 256 * mebibyte, maxBytesPerCustomer = maxBytes / 4 }: VectorCacheOptions) {
    this.#options = { model, maxBytes, maxBytesPerCustomer }
  }

  get bytes(): number {
    return [...this.#entries.values()].reduce((sum, entry) => sum + bytesOf(entry), 0)
  }

  /** Undefined when it is too much to keep. Those who want the same customer's share what one of them reads. */
  async get(wanted: WantedVectors, reader: MemoryReader): Promise<CustomerVectors | undefined> {
    const entry = this.#touch(wanted.customerId)
    while (entry.version < wanted.version) {
      entry.refreshing ??= this.#refresh(entry, wanted, reader).finally(() => {
        entry.refreshing = undefined
      })
      await entry.refreshing
    }
    return keptIn(entry)
  }

  /** The same for a reader that holds the customer's lock: it waits for nobody, since others may be waiting for it. */
  async getUnderLock(wanted: WantedVectors, reader: MemoryReader): Promise<CustomerVectors | undefined> {
    const entry = this.#touch(wanted.customerId)
    if (entry.version < wanted.version) await this.#refresh(entry, wanted, reader)
    return keptIn(entry)
  }

  #touch(customerId: string): Entry {
    const entry = this.#entries.get(customerId) ?? newEntry()
    this.#entries.delete(customerId)
    this.#entries.set(customerId, entry)
    return entry
  }

  /** Two at once do no harm: an item's newest change wins, whoever reads it. */
  async #refresh(entry: Entry, { customerId, version }: WantedVectors, reader: MemoryReader): Promise<void> {
    let position = entry.position
    for (let isMore = true; isMore && keptIn(entry); ) {
      const changes = await readVectorChanges(reader, { customerId, model: this.#options.model, after: position })
      position = changes.at(-1) ?? position
      isMore = changes.length === vectorPageSize
      for (const change of changes) keptIn(entry)?.apply(change)
      if (bytesOf(entry) > this.#options.maxBytesPerCustomer) entry.vectors = 'too large'
    }
    if (isLater(position, entry.position)) entry.position = position
    entry.version = Math.max(entry.version, version, position.version)
    this.#evict()
  }

  #evict(): void {
    let bytes = this.bytes
    for (const [customerId, entry] of this.#entries) {
      if (bytes <= this.#options.maxBytes) return
      bytes -= bytesOf(entry)
      this.#entries.delete(customerId)
    }
  }
}

const newEntry = (): Entry => ({
  vectors: new CustomerVectors(),
  version: -1,
  position: beginning,
  refreshing: undefined,
})

const keptIn = ({ vectors }: Entry): CustomerVectors | undefined => (vectors === 'too large' ? undefined : vectors)

const bytesOf = ({ vectors }: Entry): number => bytesOfNote + (vectors === 'too large' ? 0 : vectors.bytes)

const isLater = (one: VectorPosition, other: VectorPosition): boolean =>
  one.version > other.version || (one.version === other.version && one.id > other.id)
