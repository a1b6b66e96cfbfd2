// An attempt to sign in, as the browser keeps it in a cookie: sealed, so that others can neither read nor make one.
// The service stores nothing before the provider has answered.
import { z } from 'zod'
import { seal, unseal } from '../../runtime/secrets/cipher.ts'
import { keyedHash } from '../../runtime/secrets/keyed-hash.ts'
import type { AttemptSecrets } from './identity-provider.ts'

export interface Attempt extends AttemptSecrets {
  /** The person must prove again who they are. */
  readonly isFresh: boolean
  /** The page of the console to go back to. */
  readonly page: string
  readonly customerId: string | undefined
  /** The session that the new one replaces, if this browser had one. */
  readonly sessionId: string | undefined
}

export const attemptSeconds = 600
const maxLength = 3_500
const place = 'runwright sign-in attempt'

const attemptSchema = z.strictObject({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  isFresh: z.boolean(),
  page: z.string(),
  customerId: z.string().optional(),
  sessionId: z.string().optional(),
  until: z.number(),
})

export class AttemptForm {
  readonly #key: Buffer

  constructor(keyPepper: Buffer) {
    this.#key = keyedHash(keyPepper, 'sign-in attempt')('')
  }

  write(attempt: Attempt): string {
    const plain = JSON.stringify({ ...attempt, until: Date.now() + attemptSeconds * 1000 })
    return seal(this.#key, Buffer.from(plain), place).toString('base64url')
  }

  /** Undefined if it is not one of this installation, or is too old. */
  read(text: string): Attempt | undefined {
    if (text.length > maxLength || !/^[\w-]+$/.test(text)) return undefined
    try {
      const plain = unseal(this.#key, Buffer.from(text, 'base64url'), place)
      const { until, customerId, sessionId, ...attempt } = attemptSchema.parse(JSON.parse(plain.toString()))
      return Date.now() < until ? { ...attempt, customerId, sessionId } : undefined
    } catch {
      return undefined
    }
  }
}
