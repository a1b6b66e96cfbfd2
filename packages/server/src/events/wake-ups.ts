// Tells other processes which runs have new events, which customers have changed runs and that runs are claimable, and
// receives the same from them. Messages contain only ids and hashes, are coalesced, and one is in flight at a time: the first goes out at once, the next ones
// after a short pause. A process without peers sends nothing: each process sends a hello when it starts to listen and
// every 10 s, and answers the hello of a new peer.
import { sleep } from '../runtime/backoff.ts'
import type { ConnectionOptions } from '../store/postgres/database.ts'
import { maxPayloadLength, Notifications } from '../store/postgres/notifications.ts'
import type { Committed } from '../store/run-log/run-log.ts'
import { customerMark } from './customer-changes.ts'
import type { EventHub } from './event-hub.ts'

const idLength = 36
const readyMark = 'ready'
const budgetsMark = 'budgets'
const helloMark = 'here'
const pauseMs = 5
/** How long peers may take to answer the first hello. */
const answerMs = 2_000
const helloEveryMs = 10_000
/** A peer that is silent for this long is considered gone. If it is not, its own poll of the database covers it. */
const peerTimeoutMs = 3 * helloEveryMs

interface WakeUpOptions {
  readonly connection: ConnectionOptions
  readonly hub: EventHub
  /** Distinguishes a process's own messages from those of others. */
  readonly sender: string
  /** Another process made runs claimable, or may have done so while this one was not listening. */
  readonly onReady?: () => void
  /** Another process changed these runs, and runs of the customers with these marks. */
  readonly onChanged?: (words: readonly string[]) => void
  /** Another process changed budgets, or may have done so while this one was not listening. */
  readonly onBudgets?: () => void
}

export class WakeUps {
  readonly #options: WakeUpOptions
  readonly #notifications: Notifications
  #pending = new Set<string>()
  #sending = false
  #peersUntil = Number.POSITIVE_INFINITY
  readonly #peers = new Map<string, number>()
  #helloTimer: NodeJS.Timeout | undefined

  constructor(options: WakeUpOptions) {
    this.#options = options
    const { connection, hub, onReady, onBudgets } = options
    this.#notifications = new Notifications({
      connection,
      channel: 'runwright_events',
      onMessage: (payload) => this.#hear(payload),
      onListening: () => {
        this.#peersUntil = performance.now() + answerMs
        this.#sayHello()
        hub.wake(hub.watchedRuns)
        onReady?.()
        onBudgets?.()
      },
    })
  }

  start(): void {
    this.#notifications.start()
    this.#helloTimer = setInterval(() => this.#sayHello(), helloEveryMs)
  }

  async stop(): Promise<void> {
    clearInterval(this.#helloTimer)
    await this.#notifications.stop()
  }

  tell(committed: readonly Committed[]): void {
    if (this.#isAlone()) return
    for (const { customerId, runId, events, claimable } of committed) {
      this.#pending.add(customerMark(customerId))
      if (claimable) this.#pending.add(readyMark)
      // A run cannot be followed before its creation was answered.
      if (events.length > 0 && events[0]?.seq !== 1) this.#pending.add(runId)
    }
    this.#sendSoon()
  }

  tellOfBudgets(): void {
    this.#pending.add(budgetsMark)
    this.#sendSoon()
  }

  #isAlone(): boolean {
    return performance.now() > this.#peersUntil
  }

  #sayHello(): void {
    this.#pending.add(helloMark)
    this.#sendSoon()
  }

  /** A new peer does not know this process yet, so a hello is sent at once. */
  #noticePeer(sender: string): void {
    const now = performance.now()
    const isNew = now > (this.#peers.get(sender) ?? 0)
    this.#peersUntil = now + peerTimeoutMs
    this.#peers.set(sender, this.#peersUntil)
    for (const [peer, until] of this.#peers) if (now > until) this.#peers.delete(peer)
    if (isNew) this.#sayHello()
  }

  #sendSoon(): void {
    if (!this.#sending && this.#pending.size > 0) void this.#send()
  }

  async #send(): Promise<void> {
    this.#sending = true
    while (this.#pending.size > 0) {
      const ids = [...this.#pending]
      this.#pending = new Set()
      for (const part of chunks(ids, Math.floor(maxPayloadLength / (idLength + 1)) - 1)) {
        await this.#notifications.send([this.#options.sender, ...part].join())
      }
      // A message costs the database as much as a small commit, so under load messages are merged.
      await sleep(pauseMs)
    }
    this.#sending = false
  }

  #hear(payload: string): void {
    const [sender, ...words] = payload.split(',')
    if (sender === undefined || sender === this.#options.sender) return
    this.#noticePeer(sender)
    this.#options.hub.wake(words)
    this.#options.onChanged?.(words)
    if (words.includes(readyMark)) this.#options.onReady?.()
    if (words.includes(budgetsMark)) this.#options.onBudgets?.()
  }
}

function* chunks<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}
