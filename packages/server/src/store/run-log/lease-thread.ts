// Renews leases from beside the event loop while a worker is late with it. The program in the side thread has a
// connection of its own. It goes on with the leases that the worker renewed last, and stops when the event loop has not
// turned for two thirds of a lease: then the runs are better off with another worker.
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import type { Moment } from '../../runtime/moment.ts'
import type { SideThread } from '../../runtime/threads/side-thread.ts'
import type { Heartbeat } from '../../runtime/watchdog/heartbeat.ts'
import { Primary } from '../postgres/primary.ts'
import type { ConnectionOptions } from '../postgres/server-list.ts'
import {
  type Renewal,
  type RenewalValues,
  type RenewedLease,
  type RenewedRow,
  renewalValues,
  renewStatement,
} from './renewal.ts'

/** What the program in the thread gets when it starts. */
export interface LeaseThreadData {
  readonly connection: ConnectionOptions
  readonly heartbeat: SharedArrayBuffer
  readonly statement: string
  /** How often leases are renewed. */
  readonly everyMs: number
  /** Without a beat of the event loop for so long, nothing is renewed. */
  readonly holdMs: number
}

/** What it gets later: the leases to go on with, or another server. */
export interface ToldThread {
  readonly values?: RenewalValues
  readonly connection?: ConnectionOptions
}

/** What it says. */
export type SaidThread =
  | {
      readonly runIds: readonly string[]
      readonly epochs: readonly number[]
      readonly rows: readonly RenewedRow[]
      /** When the statement was sent, by the clocks of the machine. */
      readonly sentNs: bigint
      readonly sentWallMs: number
    }
  | { readonly problem: string }

export interface ThreadRenewal {
  readonly asked: readonly { readonly runId: string; readonly epoch: number }[]
  readonly ours: ReadonlyMap<string, RenewedLease>
  readonly sentAt: Moment
}

interface LeaseThreadOptions {
  readonly thread: SideThread
  readonly heartbeat: Heartbeat
  readonly connection: ConnectionOptions
  readonly workerId: string
  readonly leaseMs: number
  readonly everyMs: number
  readonly onProblem: (problem: string) => void
}

export class LeaseThread {
  readonly #options: LeaseThreadOptions
  readonly #port: MessagePort
  readonly #unsubscribe: () => void
  #holdsSome = false
  #onRenewed: (renewal: ThreadRenewal) => void = () => undefined

  constructor(options: LeaseThreadOptions) {
    this.#options = options
    const primary = Primary.of(options.connection)
    const data: LeaseThreadData = {
      connection: primary.current.connection,
      heartbeat: options.heartbeat.shared,
      statement: renewStatement,
      everyMs: options.everyMs,
      holdMs: (options.leaseMs * 2) / 3,
    }
    this.#port = options.thread.run(new URL('./renew-leases.mjs', import.meta.url), data)
    this.#port.on('message', (said: SaidThread) => this.#onMessage(said))
    // The listener would keep the process alive.
    this.#port.unref()
    this.#unsubscribe = primary.subscribe(({ connection }) => this.#tell({ connection }))
  }

  /** Called for each renewal of the thread. */
  onRenewed(listener: (renewal: ThreadRenewal) => void): void {
    this.#onRenewed = listener
  }

  /** The worker has renewed these leases, and holds no others. */
  goOnWith(runs: readonly Renewal[]): void {
    if (runs.length === 0 && !this.#holdsSome) return
    this.#holdsSome = runs.length > 0
    this.#tell({ values: renewalValues(runs, this.#options) })
  }

  /** Hears at once what the thread has said, without a turn of the event loop. */
  catchUp(): void {
    for (;;) {
      const received = receiveMessageOnPort(this.#port)
      if (!received) return
      this.#onMessage(received.message)
    }
  }

  stop(): void {
    this.#unsubscribe()
    this.#port.close()
  }

  #tell(told: ToldThread): void {
    this.#port.postMessage(told)
  }

  #onMessage(said: SaidThread): void {
    if ('problem' in said) this.#options.onProblem(said.problem)
    else this.#onRenewed(toRenewal(said))
  }
}

type Said = Exclude<SaidThread, { readonly problem: string }>

function toRenewal({ runIds, epochs, rows, sentNs, sentWallMs }: Said): ThreadRenewal {
  const sinceMs = Number(process.hrtime.bigint() - sentNs) / 1_000_000
  return {
    asked: runIds.map((runId, index) => ({ runId, epoch: epochs[index] ?? 0 })),
    ours: new Map(rows.map(({ id, leaving }) => [id, { isLeaving: leaving }])),
    sentAt: { monotonicMs: performance.now() - sinceMs, wallMs: sentWallMs },
  }
}
