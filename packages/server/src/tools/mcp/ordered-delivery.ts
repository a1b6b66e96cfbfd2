// Delivers what a server sends in order. A large message is read in turns, and what comes after it waits.
import { runSliced } from '../../runtime/time-slices.ts'

/** A server can send faster than large messages are read. */
const maxLarge = 16

interface DeliveryOptions {
  readonly onError: (error: Error) => void
  /** More large messages wait than anyone needs. */
  readonly onTooMany: () => void
}

export class OrderedDelivery {
  readonly #options: DeliveryOptions
  #last: Promise<void> = Promise.resolve()
  #waiting = 0
  #large = 0

  constructor(options: DeliveryOptions) {
    this.#options = options
  }

  /** Calls `take` with what `reading` returns: at once if that is little work and nothing waits. */
  add<Message>(reading: Generator<void, Message>, take: (message: Message) => void): void {
    const begun = reading.next()
    if (begun.done && this.#waiting === 0) take(begun.value)
    else if (begun.done) this.#deliverLater(() => take(begun.value))
    else {
      this.#countLarge()
      this.#deliverLater(async () => {
        const message = await runSliced(reading)
        this.#large -= 1
        take(message)
      })
    }
  }

  #deliverLater(deliver: () => void | Promise<void>): void {
    this.#waiting += 1
    this.#last = this.#last
      .then(deliver)
      .catch(this.#options.onError)
      .finally(() => {
        this.#waiting -= 1
      })
  }

  #countLarge(): void {
    this.#large += 1
    if (this.#large > maxLarge) this.#options.onTooMany()
  }
}
