// What a decision link contains: who decides about which wait, who made it and until when, signed. As with tokens, all
// processes can check it, and nothing is stored.
import { timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { type KeyedHash, keyedHash } from '../../runtime/secrets/keyed-hash.ts'

export type LinkDecider =
  /** `keyId`: the key of the person, whose roles count. */
  | { readonly kind: 'person'; readonly person: string; readonly keyId: string }
  /** Any of those who read the messages to the role: the answer names no person. */
  | { readonly kind: 'role'; readonly role: string }

export interface LinkClaims {
  readonly customerId: string
  readonly runId: string
  readonly awaitSeq: number
  readonly decider: LinkDecider
  readonly makerKeyId: string
  /** Of the secret of that key. */
  readonly makerMark: string
  /** By the clock of the database. */
  readonly expiresAtMs: number
}

const form = /^([\w-]{1,4096})\.([\w-]{43})$/

const deciderSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('person'), person: z.string(), keyId: z.string() }),
  z.object({ kind: z.literal('role'), role: z.string() }),
])

const claimsSchema = z
  .tuple([z.string(), z.string(), z.int(), deciderSchema, z.string(), z.string(), z.int()])
  .transform(([customerId, runId, awaitSeq, decider, makerKeyId, makerMark, expiresAtMs]) => {
    return { customerId, runId, awaitSeq, decider, makerKeyId, makerMark, expiresAtMs }
  })

export class LinkForm {
  readonly #sign: KeyedHash
  readonly #mark: KeyedHash

  constructor(keyPepper: Buffer) {
    this.#sign = keyedHash(keyPepper, 'decision link')
    this.#mark = keyedHash(keyPepper, 'secret that made a decision link')
  }

  /** Tells a secret of a key from its others, without revealing anything about it. */
  markOf(secretHash: Buffer): string {
    return this.#mark(secretHash.toString('base64')).subarray(0, 16).toString('base64url')
  }

  write(claims: LinkClaims): string {
    const { customerId, runId, awaitSeq, decider, makerKeyId, makerMark, expiresAtMs } = claims
    const fields = [customerId, runId, awaitSeq, decider, makerKeyId, makerMark, expiresAtMs]
    const payload = Buffer.from(JSON.stringify(fields)).toString('base64url')
    return `${payload}.${this.#sign(payload).toString('base64url')}`
  }

  /** Undefined if it is not a link of this installation. Nothing is read before the signature is checked. */
  read(link: string): LinkClaims | undefined {
    const [, payload, signature] = form.exec(link) ?? []
    if (payload === undefined || signature === undefined) return undefined
    // As text, so that a signature has one form only.
    const expected = Buffer.from(this.#sign(payload).toString('base64url'))
    if (!timingSafeEqual(Buffer.from(signature), expected)) return undefined
    return claimsSchema.safeParse(JSON.parse(Buffer.from(payload, 'base64url').toString())).data
  }
}
