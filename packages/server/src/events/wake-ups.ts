// Tells other processes which runs have something new and that something is ready to be claimed, and hears it from them.
// Ids only, coalesced, one message in flight: the first at once, those after it a moment apart. A process that is alone
// says nothing: each greets the others when it begins to listen and now and then, and answers the greeting of a stranger.
import { sleep } from '../runtime/backoff.ts'
import type { ConnectionOptions } from '../store/postgres/database.ts'
import { maxPayloadLength, Notifications } from '../store/postgres/notifications.ts'
import type { Committed } from '../store/run-log/run-log.ts'
import type { EventHub } from './event-hub.ts'

const idLength = 36
const readyMark = 'ready'
const budgetsMark = 'budgets'
const greeting = 'here'
const pauseMs = 5
/** How long an answer to the greeting may take. */
const answerMs = 2_000
const greetEveryMs = 10_000
/** Who has not been heard for this long is gone, or will find out by asking the database. */
const companyMs = 3 * greetEveryMs

interface WakeUpOptions {
  readonly connection: ConnectionOptions
  readonly hub: EventHub
  /** Tells a process its own messages from those of others. */
  readonly sender: string
  /** Another process has made something claimable, or may have while nobody listened. */
  readonly onReady?: () => void
  /** Another process has changed these runs. */
  readonly onChanged?: (runIds: readonly string[]) => void
  /** Another process has changed budgets, or may have while nobody listened. */
  readonly onBudgets?: () => void
}

export class WakeUps {
  readonly #options: WakeUpOptions
  readonly #notifications: Notifications
  #pending = new Set<string>()
  #sending = false
  #companyUntil = Number.POSITIVE_INFINITY
  readonly #others = new Map<string, number>()
  #greetings: NodeJS.Timeout | undefined

  constructor(options: WakeUpOptions) {
    this.#options = options
    const { connection, hub, onReady, onBudgets } = options
    this.#notifications = new Notifications({
      connection,
      channel: 'runwright_events',
      onMessage: (payload) => this.#hear(payload),
      onListening: () => {
        this.#companyUntil = performance.now() + answerMs
        this.#greet()
        hub.wake(hub.watchedRuns)
        onReady?.()
        onBudgets?.()
      },
    })
  }

  start(): void {
    this.#notifications.start()
    this.#greetings = setInterval(() => this.#greet(), greetEveryMs)
  }

  async stop(): Promise<void> {
    clearInterval(this.#greetings)
    await this.#notifications.stop()
  }

  tell(committed: readonly Committed[]): void {
    if (this.#isAlone()) return
    for (const { runId, events, claimable } of committed) {
      if (claimable) this.#pending.add(readyMark)
      // Nobody can watch a run before its creation has been answered.
      if (events.length > 0 && events[0]?.seq !== 1) this.#pending.add(runId)
    }
    this.#sendSoon()
  }

  tellOfBudgets(): void {
    this.#pending.add(budgetsMark)
    this.#sendSoon()
  }

  #isAlone(): boolean {
    return performance.now() > this.#companyUntil
  }

  #greet(): void {
    this.#pending.add(greeting)
    this.#sendSoon()
  }

  /** A stranger does not know yet that anyone is here. */
  #meet(sender: string): void {
    const now = performance.now()
    const isStranger = now > (this.#others.get(sender) ?? 0)
    this.#companyUntil = now + companyMs
    this.#others.set(sender, this.#companyUntil)
    for (const [other, until] of this.#others) if (now > until) this.#others.delete(other)
    if (isStranger) this.#greet()
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
      // A message costs the database as much as a small commit: under load a few of them say as much as hundreds.
      await sleep(pauseMs)
    }
    this.#sending = false
  }

  #hear(payload: string): void {
    const [sender, ...words] = payload.split(',')
    if (sender === undefined || sender === this.#options.sender) return
    this.#meet(sender)
    this.#options.hub.wake(words)
    this.#options.onChanged?.(words)
    if (words.includes(readyMark)) this.#options.onReady?.()
    if (words.includes(budgetsMark)) this.#options.onBudgets?.()
  }
}

function* chunks<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}
