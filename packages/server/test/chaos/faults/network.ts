// The network between the service and its database: a TCP proxy that cuts, delays and swallows.
import { createConnection, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ConnectionOptions } from '../../../src/store/postgres/database.ts'

type Trouble = 'none' | 'delayed' | 'swallowed'

export class Network {
  readonly #target: ConnectionOptions
  readonly #pairs = new Set<{ readonly client: Socket; readonly server: Socket }>()
  readonly #door = createServer((client) => this.#couple(client))
  #trouble: Trouble = 'none'
  #delayMs = 0
  #port = 0

  constructor(target: ConnectionOptions) {
    this.#target = target
  }

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.#door.listen(0, '127.0.0.1', resolve))
    this.#port = (this.#door.address() as { port: number }).port
    return this
  }

  get connection(): ConnectionOptions {
    return { ...this.#target, host: '127.0.0.1', port: this.#port }
  }

  /** Returns how it ends. */
  trouble(way: number): () => void {
    if (way < 0.25) return this.#cut(1)
    if (way < 0.4) return this.#cut(0.3)
    if (way < 0.5) return this.#loseAnswers()
    this.#trouble = way < 0.75 ? 'delayed' : 'swallowed'
    this.#delayMs = 5 + 40 * way
    return () => {
      // What was swallowed leaves a connection that can only be given up.
      if (this.#trouble === 'swallowed') this.#cut(1)
      this.#trouble = 'none'
    }
  }

  close(): void {
    this.#cut(1)
    this.#door.close()
  }

  #cut(share: number): () => void {
    for (const [n, { client, server }] of [...this.#pairs].entries()) {
      if (n % 10 >= share * 10) continue
      client.resetAndDestroy()
      server.destroy()
    }
    return () => undefined
  }

  /** The server does what it was asked, and no client hears of it. */
  #loseAnswers(): () => void {
    for (const { client, server } of this.#pairs) server.once('data', () => client.resetAndDestroy())
    return () => undefined
  }

  #couple(client: Socket): void {
    const { host = '127.0.0.1', port = 5432 } = this.#target
    const server = host.startsWith('/')
      ? createConnection({ path: join(host, `.s.PGSQL.${port}`) })
      : createConnection({ host, port })
    const pair = { client, server }
    this.#pairs.add(pair)
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      // One after another, also when the delay ends while data waits.
      let last = Promise.resolve()
      from.on('data', (data) => {
        last = last.then(() => this.#pass(data, to))
      })
      from.on('error', () => undefined)
      from.on('close', () => {
        this.#pairs.delete(pair)
        to.destroy()
      })
    }
  }

  async #pass(data: Buffer, to: Socket): Promise<void> {
    if (this.#trouble === 'swallowed') return
    if (this.#trouble === 'delayed') await sleep(this.#delayMs)
    if (to.writable) to.write(data)
  }
}
