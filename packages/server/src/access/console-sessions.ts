// The sessions of the console: opened with an API key, then authenticated by a token that the browser keeps in a
// cookie. A session grants what its key grants, and ends with the key and with the secret that it was opened with. Only
// a hash of the token is stored.
//
// As in the key directory, a session is cached for a few seconds, and concurrent reads share a statement: callers with
// random tokens can neither overload the database nor evict sessions, because unknown tokens are not cached.
//
// The session of a person who has signed in is good for as long as the groups count that the identity provider told.
// They are read again a few minutes before, so that no request waits. If that fails, the session pauses.
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
  type NewSignIn,
  type SessionRow,
} from '../store/keys/sessions.ts'
import type { Authenticator } from './authenticator.ts'
import { oldSecretHashOf } from './granter.ts'
import { type KeyStore, type SecretHash, secretHash } from './key-secret.ts'
import { ShortLivedCache } from './short-lived-cache.ts'

export interface ConsoleSessionsOptions extends KeyStore {
  readonly authenticator: Pick<Authenticator, 'authenticateHash'>
  /** Left out: no person can sign in. */
  readonly renewals?: GroupRenewals | undefined
  readonly maxAgeMs?: number
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number
}

export interface GroupRenewals {
  /**
   * Reads the groups of the person again. Throws `SIGN_IN_UNAVAILABLE` if that is not possible now. If the person has
   * no access any more, the session is gone afterwards.
   */
  renew(session: { readonly token: string; readonly tokenHash: Buffer; readonly secondsBefore: number }): Promise<void>
}

export interface OpenedSession {
  readonly token: string
  readonly expiresAt: Date
}

interface KnownSession extends SessionRow {
  /** The data is at least as recent as this. */
  readonly since: number
  readonly endsAt: number
  /** Undefined: it was opened with a key. */
  readonly groupsUntil: number | undefined
}

interface PersonSignIn extends Omit<NewSignIn, 'sealedRefresh'> {
  readonly customerId: string
  readonly keyId: string
  readonly secretHash: Buffer
  readonly maxSeconds: number
  /** With the key that the token of the session gives. */
  readonly seal: (token: string) => Buffer | null
}

const maxSeconds = 30 * 24 * 3_600
/** How long before the groups are outdated they are read again. */
const renewalSeconds = 300
/** After a failed attempt. */
const renewalPauseMs = 5_000
const tokenPattern = /^[\w-]{43}$/

export class ConsoleSessions {
  readonly #options: ConsoleSessionsOptions
  readonly #now: () => number
  readonly #hashToken: KeyedHash
  readonly #hashSecret: SecretHash
  readonly #known: ShortLivedCache<KnownSession>
  readonly #reads: GroupCommit<Buffer, SessionRow | 'unknown'>
  readonly #renewals = new Map<string, Promise<void>>()
  readonly #tried: ShortLivedCache<{ readonly since: number }>
  /** Incremented when a session ends: an earlier read is then not cached. */
  #generation = 0

  constructor(options: ConsoleSessionsOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
    this.#hashToken = keyedHash(options.keyPepper, 'console session')
    this.#hashSecret = secretHash(options.keyPepper)
    this.#known = new ShortLivedCache({ maxEntries: 10_000, maxAgeMs: options.maxAgeMs ?? 3_000 })
    this.#tried = new ShortLivedCache({ maxEntries: 10_000, maxAgeMs: renewalPauseMs })
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
      maxSeconds,
    })
    if (!expiresAt) throw new ServiceError('API_KEY_INVALID', 'The API key is invalid.')
    return { token, expiresAt }
  }

  /** For a person whose identity the provider has proved. */
  async openFor({ customerId, keyId, secretHash, maxSeconds, seal, ...signIn }: PersonSignIn): Promise<OpenedSession> {
    const token = randomBytes(32).toString('base64url')
    const tokenHash = this.#hashToken(token)
    const expiresAt = await insertSession(this.#options.database, {
      ...{ tokenHash, customerId, keyId, secretHash, maxSeconds },
      signIn: { ...signIn, sealedRefresh: seal(token) },
    })
    if (!expiresAt) throw ended()
    return { token, expiresAt }
  }

  /** The id of the session that has this token, if there is one. Undefined: there cannot be one. */
  idOf(token: string): string | undefined {
    return tokenPattern.test(token) ? this.#hashToken(token).toString('hex') : undefined
  }

  async authenticate(token: string): Promise<Principal> {
    const { id, session } = await this.#getCurrent(token)
    try {
      const principal = await this.#options.authenticator.authenticateHash(session.keyId, session.secretHash)
      return { ...principal, sessionId: id, ...this.#signInOf(session) }
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
      this.forget(hash.toString('hex'))
    }
  }

  /**
   * Rechecks the sessions of open streams, all in one statement, and returns those that are still open. The next
   * request ends the pause of a session, and a stream that is opened again is one.
   */
  async recheck(sessionIds: readonly string[]): Promise<ReadonlyMap<string, 'open' | 'paused'>> {
    if (sessionIds.length === 0) return new Map()
    const hashes = sessionIds.map((id) => Buffer.from(id, 'hex'))
    const found = await findOpenSessions(this.#options.database, hashes)
    return new Map(found.map(({ tokenHash, isPaused }) => [tokenHash.toString('hex'), isPaused ? 'paused' : 'open']))
  }

  #signInOf({ signIn, since }: KnownSession): Pick<Principal, 'signIn'> {
    if (!signIn) return {}
    const { signedInAgoMs } = signIn
    return { signIn: { agoMs: signedInAgoMs === null ? null : signedInAgoMs + this.#now() - since } }
  }

  /** An open session whose groups count. */
  async #getCurrent(token: string): Promise<{ id: string; session: KnownSession }> {
    const found = await this.#getOpen(token)
    const { session } = found
    const leftMs = (session.groupsUntil ?? Number.POSITIVE_INFINITY) - this.#now()
    if (leftMs > renewalSeconds * 1000) return found
    const canRenew = session.signIn?.sealedRefresh && this.#options.renewals
    if (leftMs > 0) {
      if (canRenew && !this.#tried.get(found.id, this.#now())) this.#renew(token, found.id).catch(() => undefined)
      return found
    }
    if (!canRenew) throw ended()
    await this.#renew(token, found.id)
    const renewed = await this.#getOpen(token)
    if ((renewed.session.groupsUntil ?? 0) <= this.#now()) throw isRenewedElsewhere()
    return renewed
  }

  /** Requests of the same session wait for the same renewal. Other requests do not read what was before it. */
  #renew(token: string, id: string): Promise<void> {
    const running = this.#renewals.get(id)
    if (running) return running
    this.#tried.set(id, { since: this.#now() })
    const session = { token, tokenHash: Buffer.from(id, 'hex'), secondsBefore: renewalSeconds }
    const renewal = (this.#options.renewals?.renew(session) ?? Promise.resolve()).finally(() => {
      this.#renewals.delete(id)
      this.forget(id)
    })
    this.#renewals.set(id, renewal)
    return renewal
  }

  /** Drops the session from the cache after a change, so that the next request sees it. */
  forget(id: string): void {
    this.#generation += 1
    this.#known.delete(id)
  }

  async #getOpen(token: string): Promise<{ id: string; session: KnownSession }> {
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
    const now = this.#now()
    const session = {
      ...row,
      since,
      endsAt: now + row.expiresInMs,
      groupsUntil: row.signIn && now + row.signIn.groupsInMs,
    }
    if (generation === this.#generation) this.#known.set(id, session)
    return session
  }

  async #read(hashes: readonly Buffer[]): Promise<(SessionRow | 'unknown')[]> {
    const found = await findSessions(this.#options.database, hashes)
    return hashes.map((hash) => found.get(hash.toString('hex')) ?? 'unknown')
  }
}

const isRenewedElsewhere = () =>
  new ServiceError('SIGN_IN_UNAVAILABLE', 'Your groups are being read from the identity provider. Try again.', 1)

const ended = () => new ServiceError('SESSION_ENDED', 'The session has ended. Sign in again.')
