// The sessions of the console: opened with an API key, then authenticated by a token that the browser keeps in a
// cookie. A session grants what its key grants, and ends with the key and with the secret that it was opened with. Only
// a hash of the token is stored.
//
// As in the key directory, a session is cached for a few seconds, and concurrent reads share a statement: callers with
// random tokens can neither overload the database nor evict sessions, because unknown tokens are not cached.
import { randomBytes } from 'node:crypto'
import type { Principal } from '../domain/principal.ts'
import { ServiceError } from '../domain/service-error.ts'
import { GroupCommit } from '../runtime/batcher.ts'
import { type KeyedHash, keyedHash } from '../runtime/secrets/keyed-hash.ts'
import { findKeyEnd } from '../store/keys/key-end.ts'
import {
  deleteSession,
  findOpenSessions,
  findSessions,
  insertSession,
  type SessionRow,
} from '../store/keys/sessions.ts'
import type { Authenticator } from './authenticator.ts'
import { oldSecretHashOf } from './granter.ts'
import { type KeyStore, type SecretHash, secretHash } from './key-secret.ts'
import { ShortLivedCache } from './short-lived-cache.ts'

export interface ConsoleSessionsOptions extends KeyStore {
  readonly authenticator: Pick<Authenticator, 'authenticateHash'>
  readonly maxAgeMs?: number
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number
}

export interface OpenedSession {
  readonly token: string
  readonly expiresAt: Date
}

interface KnownSession extends SessionRow {
  /** The data is at least as recent as this. */
  readonly since: number
  readonly endsAt: number
}

const maxDays = 30
const tokenPattern = /^[\w-]{43}$/

export class ConsoleSessions {
  readonly #options: ConsoleSessionsOptions
  readonly #now: () => number
  readonly #hashToken: KeyedHash
  readonly #hashSecret: SecretHash
  readonly #known: ShortLivedCache<KnownSession>
  readonly #reads: GroupCommit<Buffer, SessionRow | 'unknown'>
  /** Incremented when a session ends: an earlier read is then not cached. */
  #generation = 0

  constructor(options: ConsoleSessionsOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
    this.#hashToken = keyedHash(options.keyPepper, 'console session')
    this.#hashSecret = secretHash(options.keyPepper)
    this.#known = new ShortLivedCache({ maxEntries: 10_000, maxAgeMs: options.maxAgeMs ?? 3_000 })
    this.#reads = new GroupCommit({ commit: (hashes) => this.#read(hashes), maxItems: 1_000, nextLaneAbove: 0 })
  }

  /** The caller has authenticated with this secret. */
  async open({ customerId, keyId }: Principal, secret: string): Promise<OpenedSession> {
    const token = randomBytes(32).toString('base64url')
    const expiresAt = await insertSession(this.#options.database, {
      tokenHash: this.#hashToken(token),
      customerId,
      keyId,
      secretHash: this.#hashSecret(keyId, secret),
      maxDays,
    })
    if (!expiresAt) throw new ServiceError('API_KEY_INVALID', 'The API key is invalid.')
    return { token, expiresAt }
  }

  async authenticate(token: string): Promise<Principal> {
    const { id, session } = await this.#getOpen(token)
    try {
      const principal = await this.#options.authenticator.authenticateHash(session.keyId, session.secretHash)
      return { ...principal, sessionId: id }
    } catch (error) {
      // The key exists, so its secret was replaced.
      throw error instanceof ServiceError && error.reason === 'API_KEY_INVALID' ? ended() : error
    }
  }

  /** When this caller can no longer authenticate the same way; null: never. */
  async findEnd(principal: Principal): Promise<Date | null> {
    const { customerId, keyId, sessionId } = principal
    const question = { customerId, keyId, oldSecretHash: oldSecretHashOf(principal) }
    const keyEnd = await findKeyEnd(this.#options.database, question)
    const session = sessionId === undefined ? undefined : await this.#find(Buffer.from(sessionId, 'hex'))
    const ends = [keyEnd?.at, session?.expiresAt].filter((end) => end instanceof Date)
    return ends.length === 0 ? null : new Date(Math.min(...ends.map((end) => end.getTime())))
  }

  /** In force at once on this process, and on others when their caches expire. */
  async end(token: string): Promise<void> {
    if (!tokenPattern.test(token)) return
    const hash = this.#hashToken(token)
    try {
      await deleteSession(this.#options.database, hash)
    } finally {
      this.#generation += 1
      this.#known.delete(hash.toString('hex'))
    }
  }

  /** Rechecks the sessions of open streams, all in one statement, and returns those that are still open. */
  async recheck(sessionIds: readonly string[]): Promise<ReadonlySet<string>> {
    if (sessionIds.length === 0) return new Set()
    const hashes = sessionIds.map((id) => Buffer.from(id, 'hex'))
    const open = await findOpenSessions(this.#options.database, hashes)
    return new Set(open.map((hash) => hash.toString('hex')))
  }

  async #getOpen(token: string): Promise<{ id: string; session: SessionRow }> {
    if (!tokenPattern.test(token)) throw ended()
    const hash = this.#hashToken(token)
    const session = await this.#find(hash)
    if (session === undefined || this.#now() >= session.endsAt) throw ended()
    return { id: hash.toString('hex'), session }
  }

  async #find(hash: Buffer): Promise<KnownSession | undefined> {
    const id = hash.toString('hex')
    const since = this.#now()
    const known = this.#known.get(id, since)
    if (known) return known
    const generation = this.#generation
    const row = await this.#reads.submit(hash)
    if (row === 'unknown') return undefined
    const session = { ...row, since, endsAt: this.#now() + row.expiresInMs }
    if (generation === this.#generation) this.#known.set(id, session)
    return session
  }

  async #read(hashes: readonly Buffer[]): Promise<(SessionRow | 'unknown')[]> {
    const found = await findSessions(this.#options.database, hashes)
    return hashes.map((hash) => found.get(hash.toString('hex')) ?? 'unknown')
  }
}

const ended = () => new ServiceError('SESSION_ENDED', 'The session has ended. Sign in again.')
