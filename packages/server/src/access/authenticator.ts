// Says who is calling: checks the key of a request, and from time to time those of the streams that stay open.
// An unknown id and a wrong secret take the same way through here and get the same answer; that a key was revoked or has
// expired is told only to a caller with the right secret.
import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { ReasonCode } from '@runwright/contract'
import type { Principal } from '../domain/principal.ts'
import { ServiceError } from '../domain/service-error.ts'
import { findCredentials } from '../store/keys/credentials.ts'
import { KeyDirectory, type KeyDirectoryOptions } from './key-directory.ts'
import { type SecretHash, secretHash } from './key-secret.ts'
import { KeyUses, type KeyUsesCounts } from './key-uses.ts'
import { endOf, type KnownKey, nobody, opens, toKnownKey } from './known-key.ts'
import { parseAuthorization, readAuthorization } from './parse-authorization.ts'

export interface AuthenticatorOptions extends KeyDirectoryOptions {
  readonly keyPepper: Buffer
}

export type KeyStanding = 'ok' | ReasonCode

const messages = {
  API_KEY_INVALID: 'The API key is not valid.',
  API_KEY_REVOKED: 'The API key was revoked.',
  API_KEY_EXPIRED: 'The API key has expired.',
} as const satisfies Partial<Record<ReasonCode, string>>

const refusal = (reason: keyof typeof messages) => new ServiceError(reason, messages[reason])

export class Authenticator {
  readonly #options: AuthenticatorOptions
  readonly #directory: KeyDirectory
  readonly #uses: KeyUses
  readonly #hash: SecretHash
  readonly #now: () => number
  /** The secrets that opened the keys in memory, as long as these are there: hashing is most of what a check costs. */
  readonly #proven = new WeakMap<KnownKey, Buffer>()

  constructor(options: AuthenticatorOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
    this.#directory = new KeyDirectory(options)
    this.#uses = new KeyUses({ database: options.database, now: this.#now })
    this.#hash = secretHash(options.keyPepper)
  }

  /** How many key ids are held in memory. */
  get size(): number {
    return this.#directory.size
  }

  /** Whoever has shown this very key a moment ago. Undefined: it has to be looked at, for whatever reason. */
  recognize(authorization: string | undefined): Principal | undefined {
    const shown = authorization === undefined ? undefined : readAuthorization(authorization)
    if (shown === undefined) return undefined
    const key = this.#directory.recall(shown.keyId) ?? nobody
    const isProven = isSame(this.#proven.get(key) ?? unmatched, shown.secret)
    if (!isProven || endOf(key, this.#now())) return undefined
    this.#uses.mark(shown.keyId)
    return key.principal
  }

  async authenticate(authorization: string | undefined): Promise<Principal> {
    const { keyId, secret } = parseAuthorization(authorization)
    const hash = this.#hash(keyId, secret)
    const key = await this.#open(keyId, hash)
    if (timingSafeEqual(key.secretHash, hash)) this.#proven.set(key, Buffer.from(secret))
    const end = endOf(key, this.#now())
    if (end) throw refusal(end)
    this.#uses.mark(keyId)
    return key.principal
  }

  /** A key was changed in this process: from now on requests see the change. */
  forget(keyId: string): void {
    this.#directory.forget(keyId)
  }

  /** Writes down when keys were last used: to be called every second or so, before keys are listed, and at the end. */
  runOnce(): Promise<KeyUsesCounts> {
    return this.#uses.runOnce()
  }

  /** How keys stand that were let in earlier: for open streams, many at a time, in one statement. */
  async recheck(keyIds: readonly string[]): Promise<Map<string, KeyStanding>> {
    const found = await findCredentials(this.#options.database, [...new Set(keyIds)], this.#options.retryBudget)
    const readAt = this.#now()
    const standingOf = (keyId: string): KeyStanding => {
      const credentials = found.get(keyId)
      if (!credentials) return 'API_KEY_INVALID'
      return endOf(toKnownKey(credentials, readAt), readAt) ?? (credentials.suspended ? 'CUSTOMER_SUSPENDED' : 'ok')
    }
    return new Map(keyIds.map((keyId) => [keyId, standingOf(keyId)]))
  }

  async #open(keyId: string, hash: Buffer): Promise<KnownKey> {
    const arrivedAt = this.#now()
    const { key, since } = await this.#directory.find(keyId)
    if (opens(key, hash, this.#now())) return key
    if (since >= arrivedAt) throw refusal('API_KEY_INVALID')
    const { key: afresh } = await this.#directory.findAfresh(keyId)
    if (opens(afresh, hash, this.#now())) return afresh
    throw refusal('API_KEY_INVALID')
  }
}

/** Always there to be compared, as long as the secrets that are made here. */
const unmatched = Buffer.from(randomBytes(32).toString('base64url'))

function isSame(proven: Buffer, secret: string): boolean {
  const shown = Buffer.from(secret)
  return shown.length === proven.length && timingSafeEqual(shown, proven)
}
