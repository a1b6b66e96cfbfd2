// One-time codes of sign-in links. A code signs in with the local key of this machine, once, within five minutes.
// They are kept in memory and only as hashes: a restart ends them all.
import { createHash, randomBytes } from 'node:crypto'
import { ServiceError } from '../domain/service-error.ts'

interface SignInCodesOptions {
  /** `key_…:secret`; read when a code is used, because the key may have been replaced meanwhile. */
  readonly readApiKey: () => string | undefined
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number
}

const validMs = 5 * 60_000

export class SignInCodes {
  readonly readApiKey: () => string | undefined
  readonly #now: () => number
  readonly #validUntil = new Map<string, number>()

  constructor({ readApiKey, now = () => performance.now() }: SignInCodesOptions) {
    this.readApiKey = readApiKey
    this.#now = now
  }

  issue(): string {
    for (const [hash, until] of this.#validUntil) if (until <= this.#now()) this.#validUntil.delete(hash)
    const code = randomBytes(32).toString('base64url')
    this.#validUntil.set(hashOf(code), this.#now() + validMs)
    return code
  }

  /** Returns the API key to sign in with. The code is used up. */
  take(code: string): string {
    const hash = hashOf(code)
    const validUntil = this.#validUntil.get(hash)
    this.#validUntil.delete(hash)
    const apiKey = validUntil !== undefined && this.#now() < validUntil ? this.readApiKey() : undefined
    if (apiKey === undefined) throw invalidCode()
    return apiKey
  }
}

export const invalidCode = (
  message = 'This sign-in link was used or has expired. Get a new one with `runwright open`, or restart the service.',
): ServiceError => new ServiceError('SIGN_IN_CODE_INVALID', message)

const hashOf = (code: string): string => createHash('sha256').update(code).digest('hex')
