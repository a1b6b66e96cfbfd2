// Tells other processes which runs have new events, which customers have changed runs and that runs are claimable, and
// receives the same from them. Messages contain only ids and hashes, are coalesced, and one is in flight at a time: the
// first goes out at once, the next ones after a short pause. A process without peers sends nothing: each process sends
// a hello when it starts to listen and every 10 s, and answers the hello of a new peer.
//
// A run that is ready wakes one worker: the worker of this process if it is idle, else the next one that has room.
// Workers tell all processes when they become full and when they have room again. A worker that cannot take everything
// passes the wake-up on. If no worker has room, all are told: they look which customers wait. A worker that does not
// answer a wake-up is left out, and another one is woken.
import { sleep } from '../runtime/backoff.ts'
import type { ConnectionOptions } from '../store/postgres/database.ts'
import { maxPayloadLength, Notifications } from '../store/postgres/notifications.ts'
import type { Outage } from '../store/postgres/outage-watch.ts'
import type { Committed } from '../store/run-log/run-log.ts'
import { customerMark } from './customer-changes.ts'
import type { EventHub } from './event-hub.ts'
import { FleetWorkers } from './fleet-workers.ts'

const idLength = 36
const readyMark = 'ready'
const roomMark = 'room'
const fullMark = 'full'
const goneMark = 'gone'
const wakePrefix = 'wake:'
const budgetsMark = 'budgets'
const deliveriesMark = 'deliveries'
const helloMark = 'here'
const pauseMs = 5
/** How long peers may take to answer the first hello. */
const answerMs = 2_000
const helloEveryMs = 10_000
/** A peer that is silent for this long is considered gone. If it is not, its own poll of the database covers it. */
const peerTimeoutMs = 3 * helloEveryMs
/** A worker that was woken says something within this time. Usually it says what it has claimed. */
const replyWithinMs = 100
/** A worker that has said nothing for this long after a wake-up is left out. */
const missedAfterMs = 500

/** The worker of this process. */
export interface OwnWorker {
  readonly isIdle: boolean
  /** Runs may be ready. What it cannot take it passes on. */
  wake(): void
}

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
  /** Another process wrote messages to webhooks that it does not send itself, or may have done so. */
  readonly onDeliveries?: () => void
}

export class WakeUps {
  readonly #options: WakeUpOptions
  readonly #notifications: Notifications
  #pending = new Set<string>()
  #sending: Promise<void> | undefined
  #peersUntil = Number.POSITIVE_INFINITY
  readonly #peers = new Map<string, number>()
  #helloTimer: NodeJS.Timeout | undefined
  #worker: OwnWorker | undefined
  #hasRoom = false
  readonly #workers = new FleetWorkers()
  /** The workers whose answer to a wake-up is due. */
  readonly #asked = new Map<string, NodeJS.Timeout>()
  #replyTimer: NodeJS.Timeout | undefined
  #isStopping = false

  constructor(options: WakeUpOptions) {
    this.#options = options
    const { connection, hub, onReady, onBudgets, onDeliveries } = options
    this.#notifications = new Notifications({
      connection,
      channel: 'runwright_events',
      onMessage: (payload) => this.#onMessage(payload),
      onListening: () => {
        this.#peersUntil = performance.now() + answerMs
        this.#sayHello()
        hub.wake(hub.watchedRuns)
        onReady?.()
        onBudgets?.()
        onDeliveries?.()
      },
      onLost: () => this.#workers.forgetAllBut(options.sender),
    })
  }

  /** How many workers the fleet has, as far as this process knows. */
  get workers(): number {
    return this.#workers.count
  }

  /** Whether other processes can wake this one. */
  get isListening(): boolean {
    return this.#notifications.isListening
  }

  get lastOutage(): Outage | undefined {
    return this.#notifications.lastOutage
  }

  /** Whether this process does what one process of the fleet must do. */
  get isLeader(): boolean {
    return this.#notifications.isLeader
  }

  start(): void {
    this.#notifications.start()
    this.#helloTimer = setInterval(() => this.#sayHello(), helloEveryMs)
  }

  async stop(): Promise<void> {
    clearInterval(this.#helloTimer)
    clearTimeout(this.#replyTimer)
    for (const timer of this.#asked.values()) clearTimeout(timer)
    // An answer to a hello would make others believe that this process is still there.
    this.#isStopping = true
    this.#pending.add(goneMark)
    this.#sendSoon()
    await this.#sending
    await this.#notifications.stop()
  }

  /** From now on this process executes runs. */
  setWorker(worker: OwnWorker): void {
    this.#worker = worker
    this.publishRoom(true)
  }

  /** The worker of this process has room for runs of every class, or not any more. */
  publishRoom(hasRoom: boolean): void {
    this.#hasRoom = hasRoom
    this.#workers.tell(this.#options.sender, hasRoom)
    if (this.#isAlone()) return
    this.#pending.delete(hasRoom ? fullMark : roomMark)
    this.#pending.add(hasRoom ? roomMark : fullMark)
    this.#sendSoon()
  }

  /** Wakes one worker that has room. */
  wakeOne(): void {
    const { sender } = this.#options
    const next = this.#worker?.isIdle && this.#hasRoom ? sender : this.#workers.next()
    if (next === undefined) this.#wakeAll()
    else if (next === sender) this.#worker?.wake()
    else this.#wakeOther(next)
  }

  publish(committed: readonly Committed[]): void {
    if (committed.some(({ claimable }) => claimable)) this.wakeOne()
    if (this.#isAlone()) return
    for (const { customerId, runId, events } of committed) {
      this.#pending.add(customerMark(customerId))
      // A run cannot be followed before its creation was answered.
      if (events.length > 0 && events[0]?.seq !== 1) this.#pending.add(runId)
    }
    this.#sendSoon()
  }

  publishBudgets(): void {
    this.#pending.add(budgetsMark)
    this.#sendSoon()
  }

  publishDeliveries(): void {
    if (this.#isAlone()) return
    this.#pending.add(deliveriesMark)
    this.#sendSoon()
  }

  #isAlone(): boolean {
    return performance.now() > this.#peersUntil
  }

  #wakeAll(): void {
    this.#options.onReady?.()
    if (this.#isAlone()) return
    this.#pending.add(readyMark)
    this.#sendSoon()
  }

  #wakeOther(id: string): void {
    this.#pending.add(wakePrefix + id)
    if (!this.#asked.has(id)) this.#asked.set(id, setTimeout(() => this.#miss(id), missedAfterMs).unref())
    this.#sendSoon()
  }

  #miss(id: string): void {
    this.#asked.delete(id)
    this.#workers.missed(id)
    this.wakeOne()
  }

  /** This process was woken by another one. */
  #wakeOwn(): void {
    this.#replyTimer ??= setTimeout(() => this.#sayHello(), replyWithinMs).unref()
    if (this.#worker) this.#worker.wake()
    else this.wakeOne()
  }

  #sayHello(): void {
    this.#pending.add(helloMark)
    if (this.#worker) this.#pending.add(this.#hasRoom ? roomMark : fullMark)
    this.#sendSoon()
  }

  /** A new peer does not know this process yet, so a hello is sent at once. */
  #noticePeer(sender: string, words: readonly string[]): void {
    const now = performance.now()
    const isNew = now > (this.#peers.get(sender) ?? 0)
    this.#peersUntil = now + peerTimeoutMs
    this.#peers.set(sender, this.#peersUntil)
    for (const [peer, until] of this.#peers) if (now > until) this.#forgetPeer(peer)
    clearTimeout(this.#asked.get(sender))
    this.#asked.delete(sender)
    this.#workers.heard(sender)
    if (words.includes(roomMark)) this.#workers.tell(sender, true)
    if (words.includes(fullMark)) this.#workers.tell(sender, false)
    if (isNew) this.#sayHello()
  }

  #forgetPeer(id: string): void {
    this.#peers.delete(id)
    this.#workers.forget(id)
  }

  #sendSoon(): void {
    if (this.#pending.size > 0) this.#sending ??= this.#send()
  }

  async #send(): Promise<void> {
    while (this.#pending.size > 0) {
      const ids = [...this.#pending]
      this.#pending = new Set()
      clearTimeout(this.#replyTimer)
      this.#replyTimer = undefined
      for (const part of chunks(ids, Math.floor(maxPayloadLength / (idLength + 1)) - 2)) {
        await this.#notifications.send([this.#options.sender, ...part].join())
      }
      // A message costs the database as much as a small commit, so under load messages are merged.
      await sleep(pauseMs)
    }
    this.#sending = undefined
  }

  #onMessage(payload: string): void {
    const [sender, ...words] = payload.split(',')
    if (sender === undefined || sender === this.#options.sender || this.#isStopping) return
    if (words.includes(goneMark)) this.#forgetPeer(sender)
    else this.#noticePeer(sender, words)
    this.#options.hub.wake(words)
    this.#options.onChanged?.(words)
    if (words.includes(wakePrefix + this.#options.sender)) this.#wakeOwn()
    if (words.includes(readyMark)) this.#options.onReady?.()
    if (words.includes(budgetsMark)) this.#options.onBudgets?.()
    if (words.includes(deliveriesMark)) this.#options.onDeliveries?.()
  }
}

function* chunks<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}
