// Notifications between processes: one connection listens and notifies. They are hints, never data, and are never sent
// in a transaction that writes: NOTIFY takes a database-wide lock at commit (measured with 15 connections: 2,200
// instead of 5,500 commits/s).
//
// The same connection holds the lock of the process that has the duty: it does what one process of all must do. The
// lock ends with the connection, and the server ends a connection whose process stands still. Two processes may believe
// for a moment that they have the duty, so it only saves work: what is done twice must do no harm.
import { backoffMs, sleep } from '../../runtime/backoff.ts'
import { isTimeout } from './errors.ts'
import type { Outage } from './outage-watch.ts'
import { Primary } from './primary.ts'
import { ServerClient } from './server-client.ts'
import type { ConnectionOptions, Server } from './server-list.ts'
import { ServerSilence } from './server-silence.ts'

interface NotificationOptions {
  readonly connection: ConnectionOptions
  readonly channel: string
  readonly onMessage: (payload: string) => void
  /** Called when it starts to listen, for the first time or again: earlier notifications may have been missed. */
  readonly onListening: () => void
  /** Called when it no longer listens. */
  readonly onLost?: () => void
  /** How often the connection is checked. The server ends it after three times this without a check. */
  readonly pingEveryMs?: number
}

/** PostgreSQL refuses payloads of 8,000 bytes and more. */
export const maxPayloadLength = 7_900

interface Ping {
  readonly everyMs: number
  readonly timeoutMs: number
}

// The ping is also how a process notices that a server has vanished without closing its connections, so that the
// statements that hang there are sent to another one.
const pingOf = ({ hasSeveral }: Primary): Ping =>
  hasSeveral ? { everyMs: 2_000, timeoutMs: 2_000 } : { everyMs: 3_000, timeoutMs: 5_000 }

/** A connection without a check for this long belongs to a process that stands still. */
const endWhenSilent = (ms: number): string => `set idle_session_timeout = ${ms}`
/** The class of the locks of Runwright, and the lock of the duty. */
const tryDuty = 'select pg_try_advisory_lock(1383428727, 3) as is_ours'

export class Notifications {
  readonly #options: NotificationOptions
  readonly #primary: Primary
  readonly #stopping = new AbortController()
  #client: ServerClient | undefined
  #running: Promise<void> | undefined
  #isLeader = false
  #lostAt: number | undefined
  #lastOutage: Outage | undefined

  constructor(options: NotificationOptions) {
    this.#options = options
    this.#primary = Primary.of(options.connection)
  }

  /** Whether this process does what one process of all must do. */
  get isLeader(): boolean {
    return this.#isLeader
  }

  /** The last time at which this process could not listen; undefined if there was none. */
  get lastOutage(): Outage | undefined {
    return this.#lastOutage
  }

  get isListening(): boolean {
    return this.#client !== undefined
  }

  get #pingEveryMs(): number {
    return this.#options.pingEveryMs ?? pingOf(this.#primary).everyMs
  }

  start(): void {
    this.#running = this.#keepListening()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  /** Best effort: without a connection nothing is sent, and the readers' slow poll finds the change. */
  async send(payload: string): Promise<void> {
    await this.#client
      ?.query({ name: 'notify', text: 'select pg_notify($1, $2)', values: [this.#options.channel, payload] })
      .catch(() => undefined)
  }

  async #keepListening(): Promise<void> {
    const { signal } = this.#stopping
    for (let tries = 0; !signal.aborted; tries += 1) {
      const connected = await this.#listenUntilLost(signal).catch(() => false)
      if (connected) tries = 0
      await sleep(signal.aborted ? 0 : backoffMs(tries, { firstMs: 50, maxMs: 2_000 }), signal)
    }
  }

  /** Returns true when it was connected. */
  async #listenUntilLost(signal: AbortSignal): Promise<boolean> {
    const client = await this.#primary.connect((server) => this.#open(server))
    const ended = new AbortController()
    const end = () => ended.abort()
    client.once('end', end)
    client.on('error', end)
    signal.addEventListener('abort', end)
    // It was stopped while it connected.
    if (signal.aborted) end()
    try {
      this.#client = client
      this.#noteAnswer()
      this.#options.onListening()
      await this.#pingUntil(client, ended.signal)
      return true
    } finally {
      this.#client = undefined
      this.#isLeader = false
      this.#lostAt = performance.now()
      this.#options.onLost?.()
      signal.removeEventListener('abort', end)
      await client.end().catch(() => undefined)
    }
  }

  #noteAnswer(): void {
    const now = performance.now()
    if (this.#lostAt !== undefined) this.#lastOutage = { ms: now - this.#lostAt, endedAt: now }
  }

  async #open(server: Server): Promise<ServerClient> {
    const options = {
      application_name: 'runwright wake-ups',
      connectionTimeoutMillis: this.#primary.connectTimeoutMs,
      query_timeout: pingOf(this.#primary).timeoutMs,
      keepAlive: true,
    }
    const client = new ServerClient(options, server)
    client.on('error', () => undefined)
    client.on('notification', ({ payload }) => this.#options.onMessage(payload ?? ''))
    // A hint does not need to survive a crash, so its commit does not wait for the disk.
    const settings = ['set synchronous_commit = off', endWhenSilent(3 * this.#pingEveryMs)]
    try {
      await client.connect()
      await this.#primary.prepare(client, server, [...settings, `listen ${this.#options.channel}`])
      return client
    } catch (error) {
      await client.end().catch(() => undefined)
      throw error
    }
  }

  async #pingUntil(client: ServerClient, ended: AbortSignal): Promise<void> {
    while (!ended.aborted) {
      if (await this.#isHeard(client)) await sleep(this.#pingEveryMs, ended)
    }
  }

  /** Returns false if this process was too busy to hear the answer. It then asks again at once. */
  async #isHeard(client: ServerClient): Promise<boolean> {
    const silence = new ServerSilence(this.#primary)
    try {
      await this.#ping(client)
      return true
    } catch (error) {
      if (isTimeout(error) && !silence.isCertain) return false
      this.#primary.leave(client.server)
      throw error
    }
  }

  /** A process without the duty asks for it with each ping, so that it is never missing for longer than that. */
  async #ping(client: ServerClient): Promise<void> {
    if (this.#isLeader) await client.query('select 1')
    else this.#isLeader = (await client.query<{ is_ours: boolean }>(tryDuty)).rows[0]?.is_ours === true
    this.#primary.noteAnswer()
  }
}
