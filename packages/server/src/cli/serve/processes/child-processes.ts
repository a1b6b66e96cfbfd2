// Several processes that serve one port and execute runs. This parent starts them, replaces those that end, and waits
// for them on shutdown. Each child is the same command again; the parent tells it where the database is.
import cluster, { type Worker as Child } from 'node:cluster'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { backoffMs, sleep } from '../../../runtime/backoff.ts'
import type { Logger } from '../../../runtime/logger.ts'
import type { ConnectionOptions } from '../../../store/postgres/database.ts'
import type { FromChild, FromParent } from './child-messages.ts'

interface ChildProcessesOptions {
  readonly count: number
  readonly connection: ConnectionOptions
  readonly logger: Logger
}

class ChildProcessError extends Error {
  override readonly name = 'ChildProcessError'
}

/** Is loaded before everything else in a child: it ends quietly if this parent is gone. */
const orphanScript = fileURLToPath(new URL('../../../../bin/orphan.cjs', import.meta.url))

const restart = { firstMs: 200, maxMs: 30_000 }
/** A child that has lived this long did not fail at its start. */
const longLifeMs = 60_000
const maxKillsAtStart = 5

export const processCountOf = (count: number | 'auto'): number => (count === 'auto' ? availableParallelism() : count)

export class ChildProcesses {
  readonly #options: ChildProcessesOptions
  readonly #stopping = new AbortController()
  readonly #slots: Promise<void>[] = []
  readonly #ready = new WeakSet<Child>()

  constructor(options: ChildProcessesOptions) {
    this.#options = options
    cluster.setupPrimary({ execArgv: [...process.execArgv, '--require', orphanScript] })
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

  /** A child that was killed while it started says nothing about the settings, so another one is started. */
  async #startFirst(number: number): Promise<Ready> {
    for (let kills = 1; ; kills += 1) {
      const child = this.#fork()
      const ready = await readyOrGone(child)
      if (ready) {
        this.#noteStart(number, child)
        this.#slots.push(this.#keep(number, child))
        return ready
      }
      if (child.process.signalCode === null || kills > maxKillsAtStart || this.#stopping.signal.aborted)
        throw new ChildProcessError(`Process ${number} could not start. Its own message says why.`)
      await this.#pauseAfter(child, number, kills)
    }
  }

  #fork(): Child {
    const child = cluster.fork()
    // A message to one that has just ended: its exit is noticed.
    child.on('error', () => undefined)
    child.on('message', ({ kind }: FromChild) => {
      const { connection } = this.#options
      if (kind === 'started') child.send({ kind: 'connection', connection } satisfies FromParent)
      if (kind === 'ready') this.#ready.add(child)
    })
    return child
  }

  /** Replaces the child of this number whenever it ends. */
  async #keep(number: number, first: Child): Promise<void> {
    const { signal: stopping } = this.#stopping
    let [child, startedAt, failures] = [first, performance.now(), 0]
    for (;;) {
      if (!child.isDead()) await once(child, 'exit')
      if (stopping.aborted) return
      failures = performance.now() - startedAt > longLifeMs ? 0 : failures + 1
      await this.#pauseAfter(child, number, failures)
      if (stopping.aborted) return
      child = this.#fork()
      startedAt = performance.now()
      if (await readyOrGone(child)) this.#noteStart(number, child)
    }
  }

  async #pauseAfter({ process: { exitCode, signalCode } }: Child, number: number, failures: number): Promise<void> {
    const waitMs = Math.round(backoffMs(failures, restart))
    const ended = { process: number, code: exitCode, signal: signalCode, wait_ms: waitMs }
    this.#options.logger.warn(ended, 'a process ended; starting another')
    await sleep(waitMs, this.#stopping.signal)
  }

  #noteStart(number: number, child: Child): void {
    this.#options.logger.info({ process: number, child_pid: child.process.pid }, 'process started')
  }
}

const children = (): Child[] => Object.values(cluster.workers ?? {}).flatMap((child) => child ?? [])

type Ready = Extract<FromChild, { kind: 'ready' }>

/** Undefined if the child has ended instead. */
function readyOrGone(child: Child): Promise<Ready | undefined> {
  return new Promise((resolve) => {
    child.on('message', (message: FromChild) => {
      if (message.kind === 'ready') resolve(message)
    })
    child.once('exit', () => resolve(undefined))
  })
}
