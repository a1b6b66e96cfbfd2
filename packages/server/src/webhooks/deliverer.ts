// Sends the messages to webhooks, several at once: a limited number for each process, customer and endpoint, so that a
// slow endpoint delays only its own messages, and as many mails. Every process that executes runs does it. It looks for
// messages when it is poked: after a commit that wrote some, after a message that others wait for, and by the sweep.
import { setMaxListeners } from 'node:events'
import { GroupCommit } from '../runtime/batcher.ts'
import type { Logger } from '../runtime/logger.ts'
import type { Database } from '../store/postgres/database.ts'
import type { SealingKeys } from '../store/sealed/sealing-keys.ts'
import {
  type ClaimedDelivery,
  claimDeliveries,
  isMail,
  type WebhookPosition,
} from '../store/webhooks/claim-deliveries.ts'
import { type AttemptResult, finishDeliveries } from '../store/webhooks/finish-deliveries.ts'
import { attemptDelivery } from './attempt.ts'
import { describeQuestion } from './describe-question.ts'
import { attemptMails, type MailService } from './mail/attempt-mails.ts'
import { composeChat } from './notices/chat-body.ts'
import { type PostMessage, postTimeoutMs } from './post-message.ts'

interface DelivererOptions {
  readonly database: Database
  readonly keys: SealingKeys
  readonly post: PostMessage
  /** Left out: this process sends no mail. */
  readonly mail?: MailService | undefined
  /** Of links to the console in standard messages. Left out: they have none. */
  readonly consoleUrl?: string | undefined
  /** Where people reach the service. Left out: messages to people have no links, and say why. */
  readonly publicUrl?: string | undefined
  readonly logger: Pick<Logger, 'warn'>
  /** This process sends as much as it can, and more may be due. */
  readonly onFull?: () => void
  readonly onAttempt?: (outcome: AttemptResult['outcome']) => void
  readonly limits?: Partial<DelivererLimits>
}

interface DelivererLimits {
  /** So many messages to endpoints, and so many mails. */
  readonly places: number
  readonly perCustomer: number
  readonly perWebhook: number
  /** How many webhooks with pending messages a claim visits. */
  readonly visits: number
}

const defaultLimits: DelivererLimits = { places: 128, perCustomer: 64, perWebhook: 32, visits: 1_000 }

/** A message is sent again after this time if its sender vanishes. */
const leaseMs = postTimeoutMs + 15_000

export class Deliverer {
  readonly #options: DelivererOptions
  readonly #limits: DelivererLimits
  readonly #stopping = new AbortController()
  readonly #busy = new Map<ClaimedDelivery, Promise<void>>()
  /** Attempts that end while others are being recorded share one commit. */
  readonly #results: GroupCommit<AttemptResult, boolean>
  #isWanted = false
  /** It was poked by something that other processes may not know of. */
  #isNews = false
  /** What it sends as much of as it can. */
  #full = { mail: false, post: false }
  /** Where a claim continues that did not visit all webhooks. */
  #after: WebhookPosition | undefined
  #looking: Promise<void> | undefined

  constructor(options: DelivererOptions) {
    this.#options = options
    this.#limits = { ...defaultLimits, ...options.limits }
    // Each message that is being sent listens to it.
    setMaxListeners(0, this.#stopping.signal)
    this.#results = new GroupCommit({
      commit: async (results) => {
        const hasMore = await finishDeliveries(options.database, results)
        return results.map(() => hasMore)
      },
      maxItems: this.#limits.places,
      lanes: 1,
    })
  }

  /** Messages may be due. Another process that says so has told all: if this one has no place, it tells none. */
  poke(from: 'here' | 'elsewhere' = 'here'): void {
    if (this.#stopping.signal.aborted) return
    this.#isWanted = true
    this.#isNews ||= from === 'here'
    this.#looking ??= this.#look()
  }

  /** Sends everything that is due, and waits for the outcomes. For tests. */
  async runOnce(): Promise<void> {
    this.poke()
    while (this.#looking || this.#busy.size > 0) await Promise.all([this.#looking, ...this.#busy.values()])
  }

  /** Ends what is being sent. Those messages are sent again. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#looking
    await Promise.all(this.#busy.values())
  }

  async #look(): Promise<void> {
    while (this.#isWanted && !this.#stopping.signal.aborted) {
      this.#isWanted = false
      await this.#claim().catch((error: unknown) => {
        this.#options.logger.warn({ err: error }, 'messages to webhooks could not be read')
      })
    }
    this.#looking = undefined
  }

  async #claim(): Promise<void> {
    const isNews = this.#isNews
    this.#isNews = false
    const taken = await this.#take()
    if ((isNews || taken > 0) && (this.#full.mail || this.#full.post)) this.#options.onFull?.()
  }

  /** Begins to send what is due, as far as there are places. Returns how many messages that are. */
  async #take(): Promise<number> {
    const { places: most, ...limits } = this.#limits
    const busy = [...this.#busy.keys()]
    const mailPlaces = most - busy.filter(isMail).length
    const places = most - busy.filter((delivery) => !isMail(delivery)).length
    this.#full = { mail: mailPlaces <= 0, post: places <= 0 }
    if (this.#full.mail && this.#full.post) return 0
    const claim = { ...limits, places, mailPlaces, busy, leaseMs, after: this.#after }
    const { deliveries, next } = await claimDeliveries(this.#options.database, claim)
    const clock = performance.now()
    const mails = deliveries.filter(isMail)
    for (const mail of mailsByCustomer(mails)) this.#begin(mail, () => this.#sendMails(mail, clock))
    const posts = deliveries.filter((delivery) => !isMail(delivery))
    for (const post of posts) this.#begin([post], () => this.#send(post, clock))
    // The rest of a mail is taken beyond the places.
    this.#full = { mail: mails.length >= mailPlaces, post: posts.length >= places }
    this.#after = next
    if (next) this.#isWanted = true
    return deliveries.length
  }

  #begin(deliveries: readonly ClaimedDelivery[], send: () => Promise<boolean>): void {
    const sent = this.#deliver(deliveries, send)
    for (const delivery of deliveries) this.#busy.set(delivery, sent)
  }

  async #deliver(deliveries: readonly ClaimedDelivery[], send: () => Promise<boolean>): Promise<void> {
    const hasMore = await send().catch((error: unknown) => {
      const webhook = deliveries[0]?.webhookId
      const runs = deliveries.map(({ runId }) => runId)
      this.#options.logger.warn({ err: error, webhook, runs }, 'the outcome of a message to a webhook was not stored')
      return false
    })
    for (const delivery of deliveries) this.#busy.delete(delivery)
    const isFull = deliveries.some(isMail) ? this.#full.mail : this.#full.post
    if (hasMore || isFull) this.poke()
  }

  /** The mail of one customer that was claimed together. */
  async #sendMails(deliveries: readonly ClaimedDelivery[], claimedAt: number): Promise<boolean> {
    const { database, publicUrl, mail, logger, onAttempt } = this.#options
    const attempt = { database, publicUrl, mail, logger, signal: this.#stopping.signal }
    const results = await attemptMails(deliveries, attempt)
    for (const { outcome } of results) onAttempt?.(outcome)
    const elapsedMs = performance.now() - claimedAt
    const stored = await Promise.all(results.map((result) => this.#results.submit(fromClaim(result, elapsedMs))))
    return stored.includes(true)
  }

  /** `claimedAt` is when this process learned of the claim, by its own clock. */
  async #send(delivery: ClaimedDelivery, claimedAt: number): Promise<boolean> {
    const { keys, post, logger, database, publicUrl, consoleUrl } = this.#options
    const findQuestion = describeQuestion(database, consoleUrl)
    const compose = composeChat({ database, publicUrl })
    // The clock of the database: receivers refuse a message whose time is far from theirs.
    const now = () => delivery.claimedAt.getTime() + performance.now() - claimedAt
    const { signal } = this.#stopping
    const onError = (err: unknown) =>
      logger.warn({ err, webhook: delivery.webhookId }, 'a message to a webhook could not be sent')
    await keys.ensure(delivery.secrets.map(({ keyId }) => keyId))
    const result = await attemptDelivery(delivery, {
      ...{ keyring: keys.keyring, findQuestion, compose, post, signal, now, onError },
    })
    this.#options.onAttempt?.(result.outcome)
    return this.#results.submit(fromClaim(result, performance.now() - claimedAt))
  }
}

/** What was held waits for the end of a minute, however long others took. */
const fromClaim = (result: AttemptResult, elapsedMs: number): AttemptResult =>
  result.nextInMs === null || result.outcome === 'held' ? result : { ...result, nextInMs: result.nextInMs + elapsedMs }

const mailsByCustomer = (mails: readonly ClaimedDelivery[]): ClaimedDelivery[][] => {
  const groups = new Map<string, ClaimedDelivery[]>()
  for (const mail of mails) groups.set(mail.customerId, [...(groups.get(mail.customerId) ?? []), mail])
  return [...groups.values()]
}
