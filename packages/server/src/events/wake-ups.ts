// Tells other processes which runs have something new, and hears it from them. Ids only, coalesced, one message in flight.
import type { ConnectionOptions } from '../store/database.ts'
import { maxPayloadLength, Notifications } from '../store/notifications.ts'
import type { Committed } from '../store/run-log/run-log.ts'
import type { EventHub } from './event-hub.ts'

const idLength = 36

export class WakeUps {
  readonly #hub: EventHub
  readonly #sender: string
  readonly #notifications: Notifications
  #pending = new Set<string>()
  #sending = false

  /** `sender` tells a process its own messages from those of others. */
  constructor({ connection, hub, sender }: { connection: ConnectionOptions; hub: EventHub; sender: string }) {
    this.#hub = hub
    this.#sender = sender
    this.#notifications = new Notifications({
      connection,
      channel: 'runwright_events',
      onMessage: (payload) => this.#hear(payload),
      onListening: () => hub.wake(hub.watchedRuns),
    })
  }

  start(): void {
    this.#notifications.start()
  }

  async stop(): Promise<void> {
    await this.#notifications.stop()
  }

  tell(committed: readonly Committed[]): void {
    for (const { runId, events } of committed) if (events.length > 0) this.#pending.add(runId)
    if (!this.#sending && this.#pending.size > 0) void this.#send()
  }

  async #send(): Promise<void> {
    this.#sending = true
    while (this.#pending.size > 0) {
      const ids = [...this.#pending]
      this.#pending = new Set()
      for (const part of chunks(ids, Math.floor(maxPayloadLength / (idLength + 1)) - 1)) {
        await this.#notifications.send([this.#sender, ...part].join())
      }
    }
    this.#sending = false
  }

  #hear(payload: string): void {
    const [sender, ...runIds] = payload.split(',')
    if (sender !== this.#sender) this.#hub.wake(runIds)
  }
}

function* chunks<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}
