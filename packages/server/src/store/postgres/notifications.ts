// Wake-ups between processes: one connection that listens and notifies. Hints only, never data; never inside a writing
// transaction (a NOTIFY takes a database-wide lock at commit: measured 5,500 → 2,200 commits/s with 15 connections).
import pg from 'pg'
import { backoffMs, sleep } from '../../runtime/backoff.ts'
import type { ConnectionOptions } from './database.ts'

export interface NotificationOptions {
  readonly connection: ConnectionOptions
  readonly channel: string
  readonly onMessage: (payload: string) => void
  /** Listening, for the first time or again: what was sent before may have been missed. */
  readonly onListening: () => void
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

  /** Best effort: without a connection nobody is told, and the readers' slow poll finds it. */
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

  /** True when it had been connected. */
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
      // A hint need not survive a crash, so its commit waits for no disk.
      await client.query('set synchronous_commit = off')
      await client.query(`listen ${this.#options.channel}`)
      this.#client = client
      this.#options.onListening()
      await pingUntil(client, ended.signal)
      return true
    } finally {
      this.#client = undefined
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
