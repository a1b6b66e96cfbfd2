// Finds keys by id for authentication, with a cache of a few seconds in front of the database.
//
// A key is looked for twice. The first look uses the cache, for known and unknown ids alike. A caller whose secret does
// not match may have received a new secret from another process a moment ago, so only a read that is newer than its
// request can refuse it: the second look. It is paced, and every caller takes its place in the next paced read when it
// arrives. So all refusals wait for the same read, and their time does not tell whether an id exists or is in use.
// Unauthenticated callers can neither overload the database nor exhaust memory: concurrent reads share a statement, at
// most two unpaced statements run at once and one paced one, both caches are bounded, and unknown ids cannot evict
// keys. A place in a paced read that is not needed costs no statement.
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
  /** The pause before each paced read. */
  readonly pauseMs?: number
  /** Tests replace it. */
  readonly pause?: (ms: number) => Promise<void>
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

/** A place in a paced read. */
interface Place {
  readonly keyId: string
  /** Whether the first look has not found what the caller needs. Never rejects. */
  readonly isNeeded: Promise<boolean>
}

const maxIdsPerRead = 1_000

export class KeyDirectory {
  readonly #options: Required<Omit<KeyDirectoryOptions, 'retryBudget'>> & Pick<KeyDirectoryOptions, 'retryBudget'>
  readonly #known: ShortLivedCache<Lookup>
  readonly #unknown: ShortLivedCache<Lookup>
  readonly #pending = new Map<string, PendingLookup>()
  readonly #reads: GroupCommit<string, KnownKey>
  readonly #pacedReads: GroupCommit<Place, KnownKey | 'not read'>
  /** Incremented by `forget`: an earlier read is then neither cached nor shared with new callers. */
  #generation = 0

  constructor(options: KeyDirectoryOptions) {
    const defaults = { maxAgeMs: 3_000, maxEntries: 10_000, pauseMs: 100, pause: sleep, now: () => performance.now() }
    this.#options = { ...defaults, ...options }
    this.#known = new ShortLivedCache(this.#options)
    this.#unknown = new ShortLivedCache(this.#options)
    this.#reads = new GroupCommit({
      commit: (keyIds) => this.#read(keyIds),
      maxItems: maxIdsPerRead,
      nextLaneAbove: 0,
    })
    this.#pacedReads = new GroupCommit({
      commit: (places) => this.#readPaced(places),
      maxItems: maxIdsPerRead,
      nextLaneAbove: Number.POSITIVE_INFINITY,
    })
  }

  /** The number of cached ids. */
  get size(): number {
    return this.#known.size + this.#unknown.size
  }

  /** The key if it matches, else undefined. */
  async findMatching(keyId: string, matches: (key: KnownKey) => boolean): Promise<KnownKey | undefined> {
    const cached = this.findCached(keyId) ?? unknownKey
    if (matches(cached)) return cached
    const first = this.#find(keyId)
    const isNeeded = first.then(
      ({ key }) => !matches(key),
      () => false,
    )
    const second = this.#lookAgain({ keyId, isNeeded })
    // If the first look is enough or fails, no caller waits for the second one.
    second.catch(() => undefined)
    const { key } = await first
    if (matches(key)) return key
    const fresh = await second
    return matches(fresh) ? fresh : undefined
  }

  /** The cached key, if it exists and is recent enough. */
  findCached(keyId: string): KnownKey | undefined {
    return this.#known.get(keyId, this.#options.now())?.key
  }

  /** Call it after a change of the key: nothing older than this moment is used afterwards. */
  forget(keyId: string): void {
    this.#generation += 1
    this.#known.delete(keyId)
    this.#unknown.delete(keyId)
  }

  async #find(keyId: string): Promise<Lookup> {
    const now = this.#options.now()
    if (!isKeyId(keyId)) return { key: unknownKey, since: now }
    return this.#known.get(keyId, now) ?? this.#unknown.get(keyId, now) ?? this.#joinLookup(keyId, now)
  }

  #joinLookup(keyId: string, now: number): Promise<Lookup> {
    const current = this.#pending.get(keyId)
    if (current && current.generation === this.#generation && now - current.since <= this.#options.maxAgeMs) {
      return current.result
    }
    const lookup = { since: now, generation: this.#generation, result: this.#lookUp(keyId) }
    const end = () => {
      if (this.#pending.get(keyId) === lookup) this.#pending.delete(keyId)
    }
    this.#pending.set(keyId, lookup)
    lookup.result.then(end, end)
    return lookup.result
  }

  async #lookUp(keyId: string): Promise<Lookup> {
    const keep = this.#keeper(keyId)
    return keep(await this.#reads.submit(keyId))
  }

  async #lookAgain(place: Place): Promise<KnownKey> {
    const keep = this.#keeper(place.keyId)
    const key = await this.#pacedReads.submit(place)
    return key === 'not read' ? unknownKey : keep(key).key
  }

  /** Call it before the read. What it returns caches the outcome. */
  #keeper(keyId: string): (key: KnownKey) => Lookup {
    const since = this.#options.now()
    const generation = this.#generation
    return (key) => {
      const lookup = { key, since }
      const cache = key === unknownKey ? this.#unknown : this.#known
      if (generation === this.#generation) cache.set(keyId, lookup)
      return lookup
    }
  }

  /** Also without a statement, it takes the pause: a malformed id is refused like any other. */
  async #readPaced(places: readonly Place[]): Promise<(KnownKey | 'not read')[]> {
    const { pause, pauseMs } = this.#options
    const [needed] = await Promise.all([Promise.all(places.map(({ isNeeded }) => isNeeded)), pause(pauseMs)])
    const read = places.filter(({ keyId }, at) => needed[at] && isKeyId(keyId)).map(({ keyId }) => keyId)
    const found = read.length === 0 ? [] : await this.#read(read)
    const keys = new Map(read.map((keyId, at) => [keyId, found[at]]))
    return places.map(({ keyId }) => keys.get(keyId) ?? 'not read')
  }

  async #read(keyIds: readonly string[]): Promise<KnownKey[]> {
    const { database, retryBudget, now } = this.#options
    const found = await findCredentials(database, [...new Set(keyIds)], retryBudget)
    const readAt = now()
    const keys = new Map([...found].map(([keyId, credentials]) => [keyId, toKnownKey(credentials, readAt)]))
    return keyIds.map((keyId) => keys.get(keyId) ?? unknownKey)
  }
}
