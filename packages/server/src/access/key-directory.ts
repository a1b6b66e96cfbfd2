// Finds keys by id for authentication, with a cache of a few seconds in front of the database.
//
// `find` uses the cache, for known and unknown ids alike. `findFresh` does not: a caller whose secret does not match
// the cached key may have received a new secret from another process a moment ago, so only a fresh read can refuse it.
// Unauthenticated callers can neither overload the database nor exhaust memory: concurrent reads share a statement, at
// most two statements run at once, fresh reads are paced, both caches are bounded, and unknown ids cannot evict keys.
//
// The age of an entry counts from before its statement was sent, so no caller is admitted on the basis of data older
// than `maxAgeMs`, however slow the database is.
import { sleep } from '../runtime/backoff.ts'
import { GroupCommit } from '../runtime/batcher.ts'
import { findCredentials } from '../store/keys/credentials.ts'
import type { Database, RetryBudget } from '../store/postgres/database.ts'
import { isKeyId } from './key-id.ts'
import { type KnownKey, toKnownKey, unknownKey } from './known-key.ts'
import { ShortLivedCache } from './short-lived-cache.ts'

export interface KeyDirectoryOptions {
  readonly database: Database
  readonly maxAgeMs?: number
  readonly maxEntries?: number
  /** The pause before each statement of `findFresh`. */
  readonly pauseMs?: number
  readonly retryBudget?: RetryBudget
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number
}

interface Lookup {
  readonly key: KnownKey
  /** The data is at least as recent as this. */
  readonly since: number
}

interface PendingLookup extends Pick<Lookup, 'since'> {
  readonly generation: number
  readonly result: Promise<Lookup>
}

type Reads = GroupCommit<string, KnownKey>

const maxIdsPerRead = 1_000

export class KeyDirectory {
  readonly #options: Required<Omit<KeyDirectoryOptions, 'retryBudget'>> & Pick<KeyDirectoryOptions, 'retryBudget'>
  readonly #known: ShortLivedCache<Lookup>
  readonly #unknown: ShortLivedCache<Lookup>
  readonly #pending = new Map<string, PendingLookup>()
  readonly #reads: Reads
  readonly #pacedReads: Reads
  /** Incremented by `forget`: an earlier read is then neither cached nor shared with new callers. */
  #generation = 0

  constructor(options: KeyDirectoryOptions) {
    const defaults = { maxAgeMs: 3_000, maxEntries: 10_000, pauseMs: 100, now: () => performance.now() }
    this.#options = { ...defaults, ...options }
    this.#known = new ShortLivedCache(this.#options)
    this.#unknown = new ShortLivedCache(this.#options)
    this.#reads = new GroupCommit({
      commit: (keyIds) => this.#read(keyIds),
      maxItems: maxIdsPerRead,
      nextLaneAbove: 0,
    })
    this.#pacedReads = new GroupCommit({
      commit: (keyIds) => sleep(this.#options.pauseMs).then(() => this.#read(keyIds)),
      maxItems: maxIdsPerRead,
      nextLaneAbove: Number.POSITIVE_INFINITY,
    })
  }

  /** The number of cached ids. */
  get size(): number {
    return this.#known.size + this.#unknown.size
  }

  async find(keyId: string): Promise<Lookup> {
    const now = this.#options.now()
    if (!isKeyId(keyId)) return { key: unknownKey, since: now }
    return this.#known.get(keyId, now) ?? this.#unknown.get(keyId, now) ?? this.#joinLookup(keyId, now)
  }

  /** The cached key, if it exists and is recent enough. */
  findCached(keyId: string): KnownKey | undefined {
    return this.#known.get(keyId, this.#options.now())?.key
  }

  async findFresh(keyId: string): Promise<Lookup> {
    return this.#lookUp(this.#pacedReads, keyId)
  }

  /** Call it after a change of the key: nothing older than this moment is used afterwards. */
  forget(keyId: string): void {
    this.#generation += 1
    this.#known.delete(keyId)
    this.#unknown.delete(keyId)
  }

  #joinLookup(keyId: string, now: number): Promise<Lookup> {
    const current = this.#pending.get(keyId)
    if (current && current.generation === this.#generation && now - current.since <= this.#options.maxAgeMs) {
      return current.result
    }
    const lookup = { since: now, generation: this.#generation, result: this.#lookUp(this.#reads, keyId) }
    const end = () => {
      if (this.#pending.get(keyId) === lookup) this.#pending.delete(keyId)
    }
    this.#pending.set(keyId, lookup)
    lookup.result.then(end, end)
    return lookup.result
  }

  async #lookUp(reads: Reads, keyId: string): Promise<Lookup> {
    const since = this.#options.now()
    const generation = this.#generation
    const lookup = { key: await reads.submit(keyId), since }
    const cache = lookup.key === unknownKey ? this.#unknown : this.#known
    if (generation === this.#generation) cache.set(keyId, lookup)
    return lookup
  }

  async #read(keyIds: readonly string[]): Promise<KnownKey[]> {
    const { database, retryBudget, now } = this.#options
    const found = await findCredentials(database, [...new Set(keyIds)], retryBudget)
    const readAt = now()
    const keys = new Map([...found].map(([keyId, credentials]) => [keyId, toKnownKey(credentials, readAt)]))
    return keyIds.map((keyId) => keys.get(keyId) ?? unknownKey)
  }
}
