// The form of a token: `tok_1.<claims>.<signature>`. The claims are JSON that anyone can read; the signature is an HMAC
// with a key that is derived from the pepper of the installation. The number is the version of the form: a process that
// does not know it refuses the token. Only what carries a right signature is parsed.
import { timingSafeEqual } from 'node:crypto'
import { scopes } from '@runwright/contract'
import { z } from 'zod'
import type { ActorLimits } from '../domain/actor.ts'
import { limitsId } from '../domain/actor-limits.ts'
import type { TokenClaims } from '../domain/principal.ts'
import { type KeyedHash, keyedHash } from '../runtime/secrets/keyed-hash.ts'
import { ShortLivedCache } from './short-lived-cache.ts'

/** Two labels of 255 characters fit, however they are escaped. */
const maxLength = 8_192
const pattern = /^bearer +(tok_[^\s:]*)$/i
const form = /^(tok_1\.([\w-]+))\.([\w-]+)$/

/** The token in the header, well-formed or not. Undefined if it is something else, such as a key. */
export function tokenIn(authorization: string): string | undefined {
  if (authorization.length > maxLength) return undefined
  return pattern.exec(authorization)?.[1]
}

const claimsSchema = z.strictObject({
  /** The id of the key. */
  k: z.string(),
  /** Of the secret of the key. */
  m: z.string(),
  s: z.array(z.enum(scopes)),
  w: z.string().optional(),
  u: z.string().optional(),
  r: z.string().optional(),
  o: z.string().optional(),
  /** When it ends, in milliseconds. */
  e: z.int(),
})

interface ReadToken {
  readonly since: number
  readonly signature: Buffer
  readonly claims: TokenClaims
}

export class TokenForm {
  readonly #sign: KeyedHash
  readonly #mark: KeyedHash
  /** Reading the claims is the most expensive part of a check. */
  readonly #read = new ShortLivedCache<ReadToken>({ maxEntries: 10_000, maxAgeMs: 3_600_000 })
  readonly #now: () => number

  constructor(keyPepper: Buffer, now: () => number = () => performance.now()) {
    this.#sign = keyedHash(keyPepper, 'token')
    this.#mark = keyedHash(keyPepper, 'secret that made a token')
    this.#now = now
  }

  /** Tells a secret of a key from its others, without revealing anything about it. */
  markOf(secretHash: Buffer): string {
    return this.#mark(secretHash.toString('base64')).subarray(0, 16).toString('base64url')
  }

  write({ keyId, secretMark, scopes, limits = {}, origin, expiresAtMs }: Omit<TokenClaims, 'limitsId'>): string {
    const claims: z.input<typeof claimsSchema> = {
      k: keyId,
      m: secretMark,
      s: [...scopes],
      w: limits.workspaceId,
      u: limits.subjectId,
      r: limits.runId,
      o: origin,
      e: expiresAtMs,
    }
    const body = `tok_1.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`
    return `${body}.${this.#signatureOf(body).toString('latin1')}`
  }

  /** Undefined if it is not a token of this installation. */
  read(token: string): TokenClaims | undefined {
    const [, body, payload, signature] = form.exec(token) ?? []
    if (body === undefined || payload === undefined || signature === undefined) return undefined
    const known = this.#read.get(body, this.#now())
    const expected = known?.signature ?? this.#signatureOf(body)
    if (!isSame(Buffer.from(signature, 'latin1'), expected)) return undefined
    return known?.claims ?? this.#keep(body, { signature: expected, claims: parse(payload) })
  }

  #keep(body: string, { signature, claims }: { signature: Buffer; claims: TokenClaims | undefined }) {
    if (claims) this.#read.set(body, { since: this.#now(), signature, claims })
    return claims
  }

  /** As text, so that a signature has one form only. */
  #signatureOf(body: string): Buffer {
    return Buffer.from(this.#sign(body).toString('base64url'), 'latin1')
  }
}

const isSame = (one: Buffer, other: Buffer): boolean => one.length === other.length && timingSafeEqual(one, other)

function parse(payload: string): TokenClaims | undefined {
  const { data } = claimsSchema.safeParse(JSON.parse(Buffer.from(payload, 'base64url').toString()))
  if (!data) return undefined
  const limits: ActorLimits = {
    ...(data.w !== undefined && { workspaceId: data.w }),
    ...(data.u !== undefined && { subjectId: data.u }),
    ...(data.r !== undefined && { runId: data.r }),
  }
  return {
    keyId: data.k,
    secretMark: data.m,
    scopes: data.s,
    ...(Object.keys(limits).length > 0 && { limits, limitsId: `${data.k} ${limitsId(limits)}` }),
    ...(data.o !== undefined && { origin: data.o }),
    expiresAtMs: data.e,
  }
}

const claimedSchema = z.looseObject({ k: z.string() })

/** The id of the key that a token names, verified or not. */
export function claimedKeyId(token: string): string | undefined {
  const [, , payload] = form.exec(token) ?? []
  if (payload === undefined) return undefined
  try {
    return claimedSchema.parse(JSON.parse(Buffer.from(payload, 'base64url').toString())).k
  } catch {
    return undefined
  }
}
