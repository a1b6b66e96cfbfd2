// Notifications between processes: one connection listens and notifies. They are hints, never data, and are never sent
// in a transaction that writes: NOTIFY takes a database-wide lock at commit (measured with 15 connections: 2,200
// instead of 5,500 commits/s).
import pg from 'pg'
import { backoffMs, sleep } from '../../runtime/backoff.ts'
import type { ConnectionOptions } from './database.ts'

interface NotificationOptions {
  readonly connection: ConnectionOptions
  readonly channel: string
  readonly onMessage: (payload: string) => void
  /** Called when it starts to listen, for the first time or again: earlier notifications may have been missed. */
  readonly onListening: () => void
  /** Called when it no longer listens. */
  readonly onLost?: () => void
}

/** PostgreSQL refuses payloads of 8,000 bytes and more. */
export const maxPayloadLength = 7_900

const pingEveryMs = 10_000
const pingTimeoutMs = 5_000

export class Notifications {
  readonly #options: NotificationOptions
  readonly #stopping = new AbortController()
  #client: pg.Client | undefined
  #running: Promise<void> | undefined

  constructor(options: NotificationOptions) {
    this.#options = options
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
    const client = new pg.Client({
      ...this.#options.connection,
      application_name: 'runwright wake-ups',
      connectionTimeoutMillis: pingTimeoutMs,
      query_timeout: pingTimeoutMs,
      keepAlive: true,
    })
    const ended = new AbortController()
    const end = () => ended.abort()
    client.once('end', end)
    client.on('error', end)
    signal.addEventListener('abort', end)
    client.on('notification', ({ payload }) => this.#options.onMessage(payload ?? ''))
    try {
      await client.connect()
      // A hint does not need to survive a crash, so its commit does not wait for the disk.
      await client.query('set synchronous_commit = off')
      await client.query(`listen ${this.#options.channel}`)
      this.#client = client
      this.#options.onListening()
      await pingUntil(client, ended.signal)
      return true
    } finally {
      this.#client = undefined
      this.#options.onLost?.()
      signal.removeEventListener('abort', end)
      await client.end().catch(() => undefined)
    }
  }
}

async function pingUntil(client: pg.Client, ended: AbortSignal): Promise<void> {
  while (!ended.aborted) {
    await sleep(pingEveryMs, ended)
    if (!ended.aborted) await client.query('select 1')
  }
}
