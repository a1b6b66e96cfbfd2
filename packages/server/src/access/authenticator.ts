// Authenticates the API keys of requests, and rechecks those of open streams.
// An unknown id and a wrong secret take the same code path, wait for the same read and get the same error. Only a
// caller with the right secret learns that a key is revoked or expired.
import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { ReasonCode } from '@runwright/contract'
import type { Principal, TokenClaims } from '../domain/principal.ts'
import { customerMoving } from '../domain/service-error.ts'
import { findCredentials } from '../store/keys/credentials.ts'
import { KeyDirectory, type KeyDirectoryOptions } from './key-directory.ts'
import { keyRefusal } from './key-refusal.ts'
import { type SecretHash, secretHash } from './key-secret.ts'
import { KeyUses, type KeyUsesCounts } from './key-uses.ts'
import { invalidReason, type KnownKey, matchesSecret, toKnownKey, unknownKey } from './known-key.ts'
import { parseAuthorization, readAuthorization } from './parse-authorization.ts'
import { TokenAuthenticator } from './token-authenticator.ts'
import { TokenForm, tokenIn } from './token-form.ts'

export interface AuthenticatorOptions extends KeyDirectoryOptions {
  readonly keyPepper: Buffer
}

type KeyStatus = 'ok' | ReasonCode

export class Authenticator {
  /** The form of the tokens that it accepts. */
  readonly tokenForm: TokenForm
  readonly #options: AuthenticatorOptions
  readonly #directory: KeyDirectory
  readonly #uses: KeyUses
  readonly #tokens: TokenAuthenticator
  readonly #hash: SecretHash
  readonly #now: () => number
  /** The verified secrets of cached keys: hashing is the most expensive part of a check. */
  readonly #verified = new WeakMap<KnownKey, Buffer>()

  constructor(options: AuthenticatorOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
    this.#directory = new KeyDirectory(options)
    this.#uses = new KeyUses({ database: options.database, now: this.#now })
    this.#hash = secretHash(options.keyPepper)
    this.tokenForm = new TokenForm(options.keyPepper, this.#now)
    this.#tokens = new TokenAuthenticator({
      form: this.tokenForm,
      directory: this.#directory,
      onUse: (keyId) => this.#uses.mark(keyId),
      now: this.#now,
    })
  }

  /** The number of cached key ids. */
  get size(): number {
    return this.#directory.size
  }

  /** The principal, if this key or token was verified a moment ago. If undefined, call `authenticate`. */
  findVerified(authorization: string | undefined): Principal | undefined {
    if (authorization === undefined) return undefined
    const token = tokenIn(authorization)
    if (token !== undefined) return this.#tokens.findVerified(token)
    const presented = readAuthorization(authorization)
    if (presented === undefined) return undefined
    const key = this.#directory.findCached(presented.keyId) ?? unknownKey
    const isVerified = isSame(this.#verified.get(key) ?? unmatched, presented.secret)
    if (!isVerified || key.moved || invalidReason(key, this.#now())) return undefined
    this.#uses.mark(presented.keyId)
    return key.principal
  }

  async authenticate(authorization: string | undefined): Promise<Principal> {
    const token = authorization === undefined ? undefined : tokenIn(authorization)
    if (token !== undefined) return this.#tokens.authenticate(token)
    const { keyId, secret } = parseAuthorization(authorization)
    const hash = this.#hash(keyId, secret)
    const key = await this.#findMatching(keyId, hash)
    if (timingSafeEqual(key.secretHash, hash)) this.#verified.set(key, Buffer.from(secret))
    return this.#accept(key, hash)
  }

  /** For a caller that has proved before that it knows the secret with this hash. */
  async authenticateHash(keyId: string, hash: Buffer): Promise<Principal> {
    return this.#accept(await this.#findMatching(keyId, hash), hash)
  }

  /** Drops the key from the cache after a change, so that the next request sees it. */
  forget(keyId: string): void {
    this.#directory.forget(keyId)
  }

  /** Stores when keys were last used. Call it every second or so, before keys are listed, and at shutdown. */
  runOnce(): Promise<KeyUsesCounts> {
    return this.#uses.runOnce()
  }

  /** Rechecks the keys of open streams, all in one statement. */
  async recheck(keyIds: readonly string[]): Promise<Map<string, KeyStatus>> {
    const found = await findCredentials(this.#options.database, [...new Set(keyIds)], this.#options.retryBudget)
    const readAt = this.#now()
    const statusOf = (keyId: string): KeyStatus => {
      const credentials = found.get(keyId)
      if (!credentials) return 'API_KEY_INVALID'
      if (credentials.moved) return 'CUSTOMER_MOVING'
      return (
        invalidReason(toKnownKey(credentials, readAt), readAt) ?? (credentials.suspended ? 'CUSTOMER_SUSPENDED' : 'ok')
      )
    }
    return new Map(keyIds.map((keyId) => [keyId, statusOf(keyId)]))
  }

  /** Rechecks the tokens of open streams, all in one statement, and returns those that are still valid. */
  async recheckTokens(tokens: readonly TokenClaims[]): Promise<ReadonlySet<TokenClaims>> {
    if (tokens.length === 0) return new Set()
    const keyIds = [...new Set(tokens.map(({ keyId }) => keyId))]
    return this.#tokens.stillValid(tokens, await findCredentials(this.#options.database, keyIds))
  }

  #accept(key: KnownKey, hash: Buffer): Principal {
    const reason = invalidReason(key, this.#now())
    if (reason) throw keyRefusal(reason)
    // Another request after a moment goes to the cell that has the customer.
    if (key.moved) throw customerMoving()
    this.#uses.mark(key.principal.keyId)
    const hasOldSecret = !timingSafeEqual(key.secretHash, hash)
    return hasOldSecret ? { ...key.principal, hasOldSecret, secretHash: hash } : key.principal
  }

  async #findMatching(keyId: string, hash: Buffer): Promise<KnownKey> {
    const key = await this.#directory.findMatching(keyId, (found) => matchesSecret(found, hash, this.#now()))
    if (!key) throw keyRefusal('API_KEY_INVALID')
    return key
  }
}

/** Compared when there is no verified secret, so that the time is the same. As long as a generated secret. */
const unmatched = Buffer.from(randomBytes(32).toString('base64url'))

/** The length of what was presented makes no difference either. */
function isSame(verified: Buffer, secret: string): boolean {
  const presented = Buffer.from(secret)
  const padded = Buffer.alloc(verified.length)
  presented.copy(padded)
  const isEqual = timingSafeEqual(padded, verified)
  return isEqual && presented.length === verified.length
}
