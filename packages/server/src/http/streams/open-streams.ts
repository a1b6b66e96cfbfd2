// All open streams of a process: limits them, checks them with one timer, and ends them with their key or the service.
import type { ServerResponse } from 'node:http'
import type { ReasonCode } from '@runwright/contract'
import type { Principal } from '../../domain/principal.ts'
import { customerMoving, ServiceError } from '../../domain/service-error.ts'
import { Counts } from '../../runtime/counts.ts'
import type { StreamTimes } from './sse-response.ts'

export interface OpenStream {
  readonly keyId: string
  readonly customerId: string
  /** The session of the console that opened it, if it was one. */
  readonly sessionId: string | undefined
  /** Sends the error, then closes the stream. */
  fail(error: unknown): void
  tick(times: StreamTimes, now: number): void
}

interface OpenStreamsOptions {
  readonly times: StreamTimes
  readonly maxPerKey: number
  readonly maxPerCustomer: number
  /** Returns, for each key, `ok` or the reason why its streams must end. */
  readonly recheckKeys: (keyIds: readonly string[]) => Promise<ReadonlyMap<string, 'ok' | ReasonCode>>
  /** Returns those of the sessions of the console that are still open. */
  readonly recheckSessions: (sessionIds: readonly string[]) => Promise<ReadonlySet<string>>
}

const tickMs = 100
const recheckMs = 10_000

export class OpenStreams {
  readonly #options: OpenStreamsOptions
  readonly #open = new Set<OpenStream>()
  readonly #perKey = new Counts()
  readonly #perCustomer = new Counts()
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

  refuseOverLimit({ keyId, customerId }: Principal): void {
    const { maxPerKey, maxPerCustomer } = this.#options
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
    this.#perKey.change(stream.keyId, 1)
    this.#perCustomer.change(stream.customerId, 1)
    return () => this.#remove(stream)
  }

  tick(now: number = performance.now()): void {
    for (const stream of this.#open) stream.tick(this.#options.times, now)
  }

  /** Ends the streams of keys that have been revoked or have expired, and of sessions that have ended. */
  async recheckKeys(): Promise<{ ended: number }> {
    if (this.#open.size === 0) return { ended: 0 }
    const checked = [...this.#open]
    const sessionIds = new Set(checked.flatMap(({ sessionId }) => sessionId ?? []))
    const [keys, sessions] = await Promise.all([
      this.#options.recheckKeys(this.#perKey.ids),
      this.#options.recheckSessions([...sessionIds]),
    ])
    let ended = 0
    for (const stream of checked.filter((one) => this.#open.has(one))) {
      const failure = failureOf(stream, { keys, sessions })
      if (!failure) continue
      stream.fail(failure)
      ended += 1
    }
    return { ended }
  }

  #remove(stream: OpenStream): void {
    this.#open.delete(stream)
    this.#perKey.change(stream.keyId, -1)
    this.#perCustomer.change(stream.customerId, -1)
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
  readonly sessions: ReadonlySet<string>
}

function failureOf({ keyId, sessionId }: OpenStream, { keys, sessions }: Verdicts): ServiceError | undefined {
  const verdict = keys.get(keyId) ?? 'API_KEY_INVALID'
  if (verdict === 'CUSTOMER_MOVING') return customerMoving()
  if (verdict !== 'ok') return new ServiceError(verdict, 'The API key of this stream is no longer valid.')
  if (sessionId === undefined || sessions.has(sessionId)) return undefined
  return new ServiceError('SESSION_ENDED', 'The session of this stream has ended. Sign in again.')
}
