// Several processes that serve one port and execute runs. This parent starts them, replaces those that end, and waits
// for them on shutdown. Each child is the same command again; the parent tells it where the database is.
import cluster, { type Worker as Child } from 'node:cluster'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { backoffMs, sleep } from '../../runtime/backoff.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { ConnectionOptions } from '../../store/postgres/database.ts'
import type { FromChild, FromParent } from './child-messages.ts'

interface ChildProcessesOptions {
  readonly count: number
  readonly connection: ConnectionOptions
  readonly logger: Logger
}

class ChildProcessError extends Error {
  override readonly name = 'ChildProcessError'
}

const restart = { firstMs: 200, maxMs: 30_000 }
/** A child that has lived this long did not fail at its start. */
const longLifeMs = 60_000

export const processCountOf = (count: number | 'auto'): number => (count === 'auto' ? availableParallelism() : count)

export class ChildProcesses {
  readonly #options: ChildProcessesOptions
  readonly #stopping = new AbortController()
  readonly #slots: Promise<void>[] = []
  readonly #ready = new WeakSet<Child>()

  constructor(options: ChildProcessesOptions) {
    this.#options = options
  }

  /** Resolves with the address they listen on, if they do. Rejects when one of them cannot start. */
  async start(): Promise<string | undefined> {
    const numbers = Array.from({ length: this.#options.count }, (_, n) => n + 1)
    const started = await Promise.all(numbers.map((number) => this.#startFirst(number)))
    return started[0]?.address
  }

  /** Those that serve requests and execute runs now. */
  get ready(): Child[] {
    return children().filter((child) => this.#ready.has(child) && child.isConnected())
  }

  async reload(): Promise<void> {
    for (const child of children()) child.process.kill('SIGHUP')
  }

  /** Each child says itself what it waits for. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    const living = children().filter((child) => !child.isDead())
    const exits = living.map(async (child) => {
      const exit = once(child, 'exit')
      child.process.kill('SIGTERM')
      await exit
    })
    await Promise.all([...exits, ...this.#slots])
  }

  async #startFirst(number: number): Promise<Ready> {
    const child = this.#fork()
    const ready = await readyOrGone(child)
    if (!ready) throw new ChildProcessError(`Process ${number} could not start. Its own message says why.`)
    this.#noteStart(number, child)
    this.#slots.push(this.#keep(number, child))
    return ready
  }

  #fork(): Child {
    const child = cluster.fork()
    child.on('message', ({ what }: FromChild) => {
      const { connection } = this.#options
      if (what === 'started') child.send({ what: 'connection', connection } satisfies FromParent)
      if (what === 'ready') this.#ready.add(child)
    })
    return child
  }

  /** Replaces the child of this number whenever it ends. */
  async #keep(number: number, first: Child): Promise<void> {
    const { logger } = this.#options
    const { signal: stopping } = this.#stopping
    let [child, startedAt, failures] = [first, performance.now(), 0]
    for (;;) {
      if (!child.isDead()) await once(child, 'exit')
      if (stopping.aborted) return
      failures = performance.now() - startedAt > longLifeMs ? 0 : failures + 1
      const { exitCode, signalCode } = child.process
      const waitMs = Math.round(backoffMs(failures, restart))
      logger.warn(
        { process: number, code: exitCode, signal: signalCode, wait_ms: waitMs },
        'a process ended; starting another',
      )
      await sleep(waitMs, stopping)
      if (stopping.aborted) return
      child = this.#fork()
      startedAt = performance.now()
      if (await readyOrGone(child)) this.#noteStart(number, child)
    }
  }

  #noteStart(number: number, child: Child): void {
    this.#options.logger.info({ process: number, child_pid: child.process.pid }, 'process started')
  }
}

const children = (): Child[] => Object.values(cluster.workers ?? {}).flatMap((child) => child ?? [])

type Ready = Extract<FromChild, { what: 'ready' }>

/** Undefined if the child has ended instead. */
function readyOrGone(child: Child): Promise<Ready | undefined> {
  return new Promise((resolve) => {
    child.on('message', (message: FromChild) => {
      if (message.what === 'ready') resolve(message)
    })
    child.once('exit', () => resolve(undefined))
  })
}
