// All open streams of a process: limits them, checks them with one timer, and ends them with their key or the service.
import type { ServerResponse } from 'node:http'
import type { ReasonCode } from '@runwright/contract'
import type { Principal, TokenClaims } from '../../domain/principal.ts'
import { customerMoving, ServiceError } from '../../domain/service-error.ts'
import { Counts } from '../../runtime/counts.ts'
import type { StreamTimes } from './sse-response.ts'

export interface OpenStream {
  readonly keyId: string
  readonly customerId: string
  /** The session of the console that opened it, if it was one. */
  readonly sessionId: string | undefined
  /** The token that opened it, if it was one. */
  readonly token: TokenClaims | undefined
  /** Sends the error, then closes the stream. */
  fail(error: unknown): void
  tick(times: StreamTimes, now: number): void
}

interface OpenStreamsOptions {
  readonly times: StreamTimes
  readonly maxPerKey: number
  readonly maxPerCustomer: number
  /** Of all tokens of a key with the same limits. */
  readonly maxPerLimits: number
  /** Returns, for each key, `ok` or the reason why its streams must end. */
  readonly recheckKeys: (keyIds: readonly string[]) => Promise<ReadonlyMap<string, 'ok' | ReasonCode>>
  /** Returns those of the sessions of the console that are still open, or wait for the identity provider. */
  readonly recheckSessions: (sessionIds: readonly string[]) => Promise<ReadonlyMap<string, 'open' | 'paused'>>
  /** Returns those of the tokens that are still valid. */
  readonly recheckTokens: (tokens: readonly TokenClaims[]) => Promise<ReadonlySet<TokenClaims>>
}

const tickMs = 100
const recheckMs = 10_000

export class OpenStreams {
  readonly #options: OpenStreamsOptions
  readonly #open = new Set<OpenStream>()
  readonly #perKey = new Counts()
  readonly #perCustomer = new Counts()
  readonly #perLimits = new Counts()
  #timers: NodeJS.Timeout[] = []

  constructor(options: OpenStreamsOptions) {
    this.#options = options
  }

  start(): void {
    this.#timers = [
      setInterval(() => this.tick(), tickMs),
      // A failed read says nothing about the keys: the next check tries again.
      setInterval(() => void this.recheckKeys().catch(() => undefined), recheckMs),
    ]
    for (const timer of this.#timers) timer.unref()
  }

  stop(reason: ServiceError): void {
    for (const timer of this.#timers) clearInterval(timer)
    for (const stream of this.#open) stream.fail(reason)
  }

  /** How many are open. */
  get count(): number {
    return this.#open.size
  }

  refuseOverLimit({ keyId, customerId, token }: Principal): void {
    const { maxPerKey, maxPerCustomer, maxPerLimits } = this.#options
    if (token?.limitsId !== undefined && this.#perLimits.of(token.limitsId) >= maxPerLimits)
      throw limitReached('holder of the token', maxPerLimits)
    if (this.#perKey.of(keyId) >= maxPerKey) throw limitReached('API key', maxPerKey)
    if (this.#perCustomer.of(customerId) >= maxPerCustomer) throw limitReached('customer', maxPerCustomer)
  }

  /** Until the response is closed. */
  add(stream: OpenStream, response: Pick<ServerResponse, 'once'>): void {
    const remove = this.keep(stream)
    response.once('close', remove)
  }

  /** Returns what ends it. */
  keep(stream: OpenStream): () => void {
    this.#open.add(stream)
    this.#count(stream, 1)
    return () => this.#remove(stream)
  }

  tick(now: number = performance.now()): void {
    for (const stream of this.#open) stream.tick(this.#options.times, now)
  }

  /** Ends the streams of keys that have been revoked or have expired, and of sessions and tokens that have ended. */
  async recheckKeys(): Promise<{ ended: number }> {
    if (this.#open.size === 0) return { ended: 0 }
    const checked = [...this.#open]
    const sessionIds = new Set(checked.flatMap(({ sessionId }) => sessionId ?? []))
    const open = new Set(checked.flatMap(({ token }) => token ?? []))
    const [keys, sessions, tokens] = await Promise.all([
      this.#options.recheckKeys(this.#perKey.ids),
      this.#options.recheckSessions([...sessionIds]),
      this.#options.recheckTokens([...open]),
    ])
    let ended = 0
    for (const stream of checked.filter((one) => this.#open.has(one))) {
      const failure = failureOf(stream, { keys, sessions, tokens })
      if (!failure) continue
      stream.fail(failure)
      ended += 1
    }
    return { ended }
  }

  #remove(stream: OpenStream): void {
    this.#open.delete(stream)
    this.#count(stream, -1)
  }

  #count({ keyId, customerId, token }: OpenStream, change: 1 | -1): void {
    this.#perKey.change(keyId, change)
    this.#perCustomer.change(customerId, change)
    if (token?.limitsId !== undefined) this.#perLimits.change(token.limitsId, change)
  }
}

const limitReached = (owner: string, limit: number) =>
  new ServiceError(
    'STREAM_LIMIT_REACHED',
    `The ${owner} already has ${limit} open event streams and waiting polls. Close one, or poll without waiting.`,
    5,
  )

interface Verdicts {
  readonly keys: ReadonlyMap<string, 'ok' | ReasonCode>
  readonly sessions: ReadonlyMap<string, 'open' | 'paused'>
  readonly tokens: ReadonlySet<TokenClaims>
}

function failureOf(
  { keyId, sessionId, token }: OpenStream,
  { keys, sessions, tokens }: Verdicts,
): ServiceError | undefined {
  const verdict = keys.get(keyId) ?? 'API_KEY_INVALID'
  if (verdict === 'CUSTOMER_MOVING') return customerMoving()
  if (verdict !== 'ok') return new ServiceError(verdict, 'The API key of this stream is no longer valid.')
  if (token && !tokens.has(token)) return new ServiceError('TOKEN_EXPIRED', 'The token of this stream has ended.')
  const session = sessionId === undefined ? 'open' : sessions.get(sessionId)
  if (session === 'open') return undefined
  if (session === 'paused')
    return new ServiceError('SIGN_IN_UNAVAILABLE', 'The groups of this person have to be read again. Connect again.', 1)
  return new ServiceError('SESSION_ENDED', 'The session of this stream has ended. Sign in again.')
}
