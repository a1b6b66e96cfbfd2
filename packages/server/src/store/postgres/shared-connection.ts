// One connection for concurrent users: the first takes it from the pool, the last gives it back.
import type pg from 'pg'
import { breaksConnection } from './errors.ts'

interface Lease {
  readonly client: Promise<pg.PoolClient>
  users: number
  isBroken: boolean
}

export class SharedConnection {
  readonly #connect: () => Promise<pg.PoolClient>
  #lease: Lease | undefined

  constructor(connect: () => Promise<pg.PoolClient>) {
    this.#connect = connect
  }

  async use<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    this.#lease ??= { client: this.#connect(), users: 0, isBroken: false }
    const lease = this.#lease
    lease.users += 1
    try {
      return await work(await lease.client)
    } catch (error) {
      if (breaksConnection(error)) this.#forget(lease)
      throw error
    } finally {
      lease.users -= 1
      if (lease.users === 0) await this.#giveBack(lease)
    }
  }

  /** The next user gets another connection. */
  #forget(lease: Lease): void {
    lease.isBroken = true
    if (this.#lease === lease) this.#lease = undefined
  }

  async #giveBack(lease: Lease): Promise<void> {
    if (this.#lease === lease) this.#lease = undefined
    // When there was no connection, its users have got the error.
    const client = await lease.client.catch(() => undefined)
    client?.release(lease.isBroken)
  }
}
