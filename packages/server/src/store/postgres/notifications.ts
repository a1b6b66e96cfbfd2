// Notifications between processes: one connection listens and notifies. They are hints, never data, and are never sent
// in a transaction that writes: NOTIFY takes a database-wide lock at commit (measured with 15 connections: 2,200
// instead of 5,500 commits/s).
import { backoffMs, sleep } from '../../runtime/backoff.ts'
import { Primary } from './primary.ts'
import { ServerClient } from './server-client.ts'
import type { ConnectionOptions, Server } from './server-list.ts'

interface NotificationOptions {
  readonly connection: ConnectionOptions
  readonly channel: string
  readonly onMessage: (payload: string) => void
  /** Called when it starts to listen, for the first time or again: earlier notifications may have been missed. */
  readonly onListening: () => void
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
  hasSeveral ? { everyMs: 2_000, timeoutMs: 2_000 } : { everyMs: 10_000, timeoutMs: 5_000 }

export class Notifications {
  readonly #options: NotificationOptions
  readonly #primary: Primary
  readonly #stopping = new AbortController()
  #client: ServerClient | undefined
  #running: Promise<void> | undefined

  constructor(options: NotificationOptions) {
    this.#options = options
    this.#primary = Primary.of(options.connection)
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
    try {
      this.#client = client
      this.#options.onListening()
      await this.#pingUntil(client, ended.signal)
      return true
    } finally {
      this.#client = undefined
      signal.removeEventListener('abort', end)
      await client.end().catch(() => undefined)
    }
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
    try {
      await client.connect()
      // A hint does not need to survive a crash, so its commit does not wait for the disk.
      const statements = ['set synchronous_commit = off', `listen ${this.#options.channel}`]
      await this.#primary.prepare(client, server, statements)
      return client
    } catch (error) {
      await client.end().catch(() => undefined)
      throw error
    }
  }

  async #pingUntil(client: ServerClient, ended: AbortSignal): Promise<void> {
    const { everyMs } = pingOf(this.#primary)
    while (!ended.aborted) {
      await sleep(everyMs, ended)
      if (ended.aborted) return
      await client.query('select 1').catch((error: unknown) => {
        this.#primary.leave(client.server)
        throw error
      })
    }
  }
}
