// Caches the vectors of the customers used most recently. Before each use it reads what has changed since, in this
// process or another. When it is full, it evicts the customer used least recently.
import type { MemoryReader } from '../../store/memory/reader.ts'
import { beginning, readVectorChanges, type VectorPosition, vectorPageSize } from '../../store/memory/vectors.ts'
import { readDeletedVersion } from '../../store/memory/version.ts'
import { CustomerVectors } from './customer-vectors.ts'

interface VectorCacheOptions {
  readonly model: string
  readonly maxBytes?: number
  /** A customer with more than this is not cached. */
  readonly maxBytesPerCustomer?: number
}

interface WantedVectors {
  readonly customerId: string
  /** Everything committed up to this version is wanted. */
  readonly version: number
}

interface Entry {
  vectors: CustomerVectors | 'too large'
  /** Everything up to this version is included. */
  version: number
  position: VectorPosition
  /** The last deletion that is included. */
  deletedVersion: number
  refreshing: Promise<void> | undefined
}

const mebibyte = 1024 * 1024
/** The size of an entry without vectors: entries of customers that are too large count, too. */
const entryBytes = 1024

export class VectorCache {
  readonly #options: Required<VectorCacheOptions>
  readonly #entries = new Map<string, Entry>()

  constructor({ model, maxBytes = 256 * mebibyte, maxBytesPerCustomer = maxBytes / 4 }: VectorCacheOptions) {
    this.#options = { model, maxBytes, maxBytesPerCustomer }
  }

  get bytes(): number {
    return [...this.#entries.values()].reduce((sum, entry) => sum + bytesOf(entry), 0)
  }

  /** Undefined when the customer is too large to cache. Concurrent callers for the same customer share one refresh. */
  async get(wanted: WantedVectors, reader: MemoryReader): Promise<CustomerVectors | undefined> {
    const entry = this.#touch(wanted.customerId)
    while (entry.version < wanted.version) {
      entry.refreshing ??= this.#refresh(entry, wanted, reader).finally(() => {
        entry.refreshing = undefined
      })
      await entry.refreshing
    }
    return vectorsOf(entry)
  }

  /**
   * For a reader that holds the customer's lock. It does not wait for another refresh, which may wait for this lock.
   */
  async getUnderLock(wanted: WantedVectors, reader: MemoryReader): Promise<CustomerVectors | undefined> {
    const entry = this.#touch(wanted.customerId)
    if (entry.version < wanted.version) await this.#refresh(entry, wanted, reader)
    return vectorsOf(entry)
  }

  #touch(customerId: string): Entry {
    const entry = this.#entries.get(customerId) ?? newEntry()
    this.#entries.delete(customerId)
    this.#entries.set(customerId, entry)
    return entry
  }

  /** Reads what has changed. After a deletion it reads everything again: nothing is left of a deleted item to read. */
  async #refresh(entry: Entry, wanted: WantedVectors, reader: MemoryReader): Promise<void> {
    if (entry.version < 0) entry.deletedVersion = await readDeletedVersion(reader, wanted.customerId)
    await this.#readChanges(entry, wanted, reader)
    const deletedVersion = await readDeletedVersion(reader, wanted.customerId)
    if (deletedVersion !== entry.deletedVersion && vectorsOf(entry)) {
      const { vectors, version, position } = await this.#readChanges(newEntry(), wanted, reader)
      Object.assign(entry, { vectors, version, position, deletedVersion })
    }
    this.#evict()
  }

  /** Two at the same time are harmless: the newest change of an item wins. */
  async #readChanges(entry: Entry, { customerId, version }: WantedVectors, reader: MemoryReader): Promise<Entry> {
    let position = entry.position
    for (let isMore = true; isMore && vectorsOf(entry); ) {
      const changes = await readVectorChanges(reader, { customerId, model: this.#options.model, after: position })
      position = changes.at(-1) ?? position
      isMore = changes.length === vectorPageSize
      for (const change of changes) vectorsOf(entry)?.apply(change)
      if (bytesOf(entry) > this.#options.maxBytesPerCustomer) entry.vectors = 'too large'
    }
    if (isLater(position, entry.position)) entry.position = position
    entry.version = Math.max(entry.version, version, position.version)
    return entry
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
  deletedVersion: 0,
  refreshing: undefined,
})

const vectorsOf = ({ vectors }: Entry): CustomerVectors | undefined => (vectors === 'too large' ? undefined : vectors)

const bytesOf = ({ vectors }: Entry): number => entryBytes + (vectors === 'too large' ? 0 : vectors.bytes)

const isLater = (one: VectorPosition, other: VectorPosition): boolean =>
  one.version > other.version || (one.version === other.version && one.id > other.id)
