// Notifications between processes: one connection listens and notifies. They are hints, never data, and are never sent
// in a transaction that writes: NOTIFY takes a database-wide lock at commit (measured with 15 connections: 2,200
// instead of 5,500 commits/s).
//
// The same connection holds the lock of the process that has the duty: it does what one process of all must do. The lock
// ends with the connection, and the server ends a connection whose process stands still. Two processes may believe for a
// moment that they have the duty, so it only saves work: what is done twice must do no harm.
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
  /** How often the connection is checked. The server ends it after three times this without a check. */
  readonly pingEveryMs?: number
}

/** PostgreSQL refuses payloads of 8,000 bytes and more. */
export const maxPayloadLength = 7_900

const defaultPingEveryMs = 3_000
const pingTimeoutMs = 5_000
/** PostgreSQL 14 and later. A connection without a check for this long belongs to a process that stands still. */
const endWhenSilent = (ms: number): string => `
select set_config('idle_session_timeout', '${ms}', false)
from pg_settings
where name = 'idle_session_timeout'`
/** The class of the locks of Runwright, and the lock of the duty. */
const tryDuty = 'select pg_try_advisory_lock(1383428727, 3) as is_ours'

export class Notifications {
  readonly #options: NotificationOptions
  readonly #stopping = new AbortController()
  #client: pg.Client | undefined
  #running: Promise<void> | undefined
  #hasDuty = false

  constructor(options: NotificationOptions) {
    this.#options = options
  }

  /** Whether this process does what one process of all must do. */
  get hasDuty(): boolean {
    return this.#hasDuty
  }

  get isListening(): boolean {
    return this.#client !== undefined
  }

  get #pingEveryMs(): number {
    return this.#options.pingEveryMs ?? defaultPingEveryMs
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
      await client.query(endWhenSilent(3 * this.#pingEveryMs))
      await client.query(`listen ${this.#options.channel}`)
      this.#client = client
      this.#options.onListening()
      await this.#pingUntil(client, ended.signal)
      return true
    } finally {
      this.#client = undefined
      this.#hasDuty = false
      this.#options.onLost?.()
      signal.removeEventListener('abort', end)
      await client.end().catch(() => undefined)
    }
  }

  /** A process without the duty asks for it with each ping, so that it is never missing for longer than that. */
  async #pingUntil(client: pg.Client, ended: AbortSignal): Promise<void> {
    while (!ended.aborted) {
      if (this.#hasDuty) await client.query('select 1')
      else this.#hasDuty = (await client.query<{ is_ours: boolean }>(tryDuty)).rows[0]?.is_ours === true
      await sleep(this.#pingEveryMs, ended)
    }
  }
}
