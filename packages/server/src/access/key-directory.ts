// Finds keys by id for authentication: from memory for a few seconds, else from the database.
//
// `find` may answer from memory, known and unknown ids alike. `findAfresh` never does: a caller whose secret does not match
// what memory holds may have been given a new one through another node a moment ago, so a refusal needs a look of its own.
// Neither lets strangers hammer the database or fill the memory. Looks of one moment share a statement, at most two of them
// are under way, and looks for the sake of refusals are paced; both caches are bounded, and made-up ids can't push out keys.
//
// An entry's age counts from before its statement was sent, so however slow the database is, nobody is let in on the
// word of something older than `maxAgeMs`.
import { sleep } from '../runtime/backoff.ts'
import { GroupCommit } from '../runtime/batcher.ts'
import { findCredentials } from '../store/keys/credentials.ts'
import type { Database, RetryBudget } from '../store/postgres/database.ts'
import { isKeyId } from './key-id.ts'
import { type KnownKey, nobody, toKnownKey } from './known-key.ts'
import { ShortLivedCache } from './short-lived-cache.ts'

export interface KeyDirectoryOptions {
  readonly database: Database
  readonly maxAgeMs?: number
  readonly maxEntries?: number
  /** Looks for the sake of refusals: one statement each so often. */
  readonly pauseMs?: number
  readonly retryBudget?: RetryBudget
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number
}

export interface Sighting {
  readonly key: KnownKey
  /** The key was at least as recent as this. */
  readonly since: number
}

interface Look extends Pick<Sighting, 'since'> {
  readonly generation: number
  readonly sighting: Promise<Sighting>
}

type Looks = GroupCommit<string, KnownKey>

const maxIdsPerLook = 1_000

export class KeyDirectory {
  readonly #options: Required<Omit<KeyDirectoryOptions, 'retryBudget'>> & Pick<KeyDirectoryOptions, 'retryBudget'>
  readonly #known: ShortLivedCache<Sighting>
  readonly #unknown: ShortLivedCache<Sighting>
  readonly #looking = new Map<string, Look>()
  readonly #looks: Looks
  readonly #pacedLooks: Looks
  /** Rises whenever a key is forgotten: what was read before is then not kept, nor waited for by newcomers. */
  #generation = 0

  constructor(options: KeyDirectoryOptions) {
    const defaults = { maxAgeMs: 3_000, maxEntries: 10_000, pauseMs: 100, now: () => performance.now() }
    this.#options = { ...defaults, ...options }
    this.#known = new ShortLivedCache(this.#options)
    this.#unknown = new ShortLivedCache(this.#options)
    this.#looks = new GroupCommit({
      commit: (keyIds) => this.#read(keyIds),
      maxItems: maxIdsPerLook,
      nextLaneAbove: 0,
    })
    this.#pacedLooks = new GroupCommit({
      commit: (keyIds) => sleep(this.#options.pauseMs).then(() => this.#read(keyIds)),
      maxItems: maxIdsPerLook,
      nextLaneAbove: Number.POSITIVE_INFINITY,
    })
  }

  /** How many ids are held in memory. */
  get size(): number {
    return this.#known.size + this.#unknown.size
  }

  async find(keyId: string): Promise<Sighting> {
    const now = this.#options.now()
    if (!isKeyId(keyId)) return { key: nobody, since: now }
    return this.#known.get(keyId, now) ?? this.#unknown.get(keyId, now) ?? this.#joinLook(keyId, now)
  }

  /** What memory holds of a key that exists, if it is recent enough. */
  recall(keyId: string): KnownKey | undefined {
    return this.#known.get(keyId, this.#options.now())?.key
  }

  async findAfresh(keyId: string): Promise<Sighting> {
    return this.#look(this.#pacedLooks, keyId)
  }

  /** After a change of the key: memory holds nothing older than this moment. */
  forget(keyId: string): void {
    this.#generation += 1
    this.#known.delete(keyId)
    this.#unknown.delete(keyId)
  }

  #joinLook(keyId: string, now: number): Promise<Sighting> {
    const current = this.#looking.get(keyId)
    if (current && current.generation === this.#generation && now - current.since <= this.#options.maxAgeMs) {
      return current.sighting
    }
    const look = { since: now, generation: this.#generation, sighting: this.#look(this.#looks, keyId) }
    const end = () => {
      if (this.#looking.get(keyId) === look) this.#looking.delete(keyId)
    }
    this.#looking.set(keyId, look)
    look.sighting.then(end, end)
    return look.sighting
  }

  async #look(looks: Looks, keyId: string): Promise<Sighting> {
    const since = this.#options.now()
    const generation = this.#generation
    const sighting = { key: await looks.submit(keyId), since }
    const cache = sighting.key === nobody ? this.#unknown : this.#known
    if (generation === this.#generation) cache.set(keyId, sighting)
    return sighting
  }

  async #read(keyIds: readonly string[]): Promise<KnownKey[]> {
    const { database, retryBudget, now } = this.#options
    const found = await findCredentials(database, [...new Set(keyIds)], retryBudget)
    const readAt = now()
    const keys = new Map([...found].map(([keyId, credentials]) => [keyId, toKnownKey(credentials, readAt)]))
    return keyIds.map((keyId) => keys.get(keyId) ?? nobody)
  }
}
