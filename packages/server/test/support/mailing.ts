// Mail of the customer `acme` through a real mail server on loopback: what runs ask, and what arrives. Time passes when
// a test says so.
import { randomBytes } from 'node:crypto'
import type { ApprovalRules } from '@runwright/contract'
import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest'
import { toWireId } from '../../src/runtime/ids.ts'
import { RunCreator } from '../../src/store/run-log/run-creator.ts'
import { SealingKeys } from '../../src/store/sealed/sealing-keys.ts'
import { listDeliveries } from '../../src/store/webhooks/deliveries.ts'
import { mailWebhookId } from '../../src/store/webhooks/mail-webhooks.ts'
import { Deliverer } from '../../src/webhooks/deliverer.ts'
import type { MailAddresses } from '../../src/webhooks/mail/mail-addresses.ts'
import { keepMailCustomers } from '../../src/webhooks/mail/mail-customers.ts'
import { MailPace } from '../../src/webhooks/mail/mail-pace.ts'
import { createSendMail, type SendMail } from '../../src/webhooks/mail/send-mail.ts'
import type { PostMessage } from '../../src/webhooks/post-message.ts'
import { type FreshDatabase, freshDatabase } from './database.ts'
import { Driver } from './drive.ts'
import { headerOf, MailServer } from './mail-server.ts'
import { newRun } from './new-run.ts'

export const mailAddresses = {
  from: 'runwright@mail.example',
  customers: {
    acme: { default: ['ops@acme.example'], roles: { finance: ['bob@acme.example', 'ada@acme.example'] } },
    ghost: { default: ['ghost@example.com'], roles: {} },
  },
} satisfies MailAddresses

type DelivererOptions = ConstructorParameters<typeof Deliverer>[0]
interface Sender {
  readonly send?: SendMail
  readonly limits?: NonNullable<DelivererOptions['limits']>
  readonly addresses?: MailAddresses
  readonly onFull?: () => void
  /** Left out: there are no webhooks. */
  readonly post?: PostMessage
}

interface Asked {
  readonly id: string
  readonly seq: number
}

const noWebhook = () => Promise.reject(new Error('no webhook'))

const cancelled = { type: 'run.cancelled', payload: {}, terminal: true } as const

export class Mailing {
  fresh!: FreshDatabase
  keys!: SealingKeys
  server!: MailServer
  deliverer!: Deliverer
  nowMs = 0
  readonly logger = { warn: vi.fn() }

  async open(): Promise<void> {
    this.fresh = await freshDatabase()
    await this.fresh.database.run({ text: `insert into customers (id) values ('acme'), ('other')` })
    this.keys = new SealingKeys(this.fresh.database, { encryptionKey: randomBytes(32) })
    await this.keys.open()
  }

  async start(): Promise<void> {
    for (const table of ['webhook_deliveries', 'webhooks'])
      await this.fresh.database.run({ text: `delete from ${table}` })
    await this.keep()
    this.logger.warn.mockReset()
    this.server = await new MailServer().start()
    this.use()
  }

  async stop(): Promise<void> {
    await this.deliverer.stop()
    await this.server.stop()
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.server.port}?tls=off`
  }

  /** Sends with a new deliverer from now on. */
  use({ send, limits = {}, addresses = mailAddresses, onFull = () => undefined, post = noWebhook }: Sender = {}): void {
    const mail = {
      addresses,
      send: send ?? createSendMail({ url: this.url, timeoutMs: 2_000 }),
      pace: new MailPace(() => this.nowMs),
    }
    const { keys, logger } = this
    const { database } = this.fresh
    this.deliverer = new Deliverer({
      ...{ database, keys, post, mail, publicUrl: 'https://run.example.com', logger, limits, onFull },
    })
  }

  keep(addresses: MailAddresses | null = mailAddresses) {
    const { database } = this.fresh
    return keepMailCustomers({ database, keyring: this.keys.keyring, addresses: addresses ?? undefined })
  }

  async ask(prompt: string, customerId = 'acme', asked: string[] | ApprovalRules = {}): Promise<Asked> {
    const run = newRun({ customerId, workspaceId: 'books' })
    await new RunCreator(this.fresh.database, () => undefined).create(run)
    const id = toWireId('run', run.id)
    const rules = Array.isArray(asked) ? { approvers: asked } : asked
    const seq = await new Driver(this.fresh.database, customerId).toAwaiting(id, { prompt, rules })
    return { id, seq }
  }

  async askMany(count: number): Promise<void> {
    for (let nth = 0; nth < count; nth += 1) await this.ask(`Question ${nth}?`)
  }

  async askOneByOne(count: number): Promise<void> {
    for (let nth = 0; nth < count; nth += 1) {
      await this.ask('Question?')
      await this.deliverer.runOnce()
    }
  }

  cancel(id: string) {
    return new Driver(this.fresh.database).apply(id, { trigger: 'cancel', events: [cancelled] })
  }

  rows() {
    const page = { customerId: 'acme', webhookId: mailWebhookId, before: undefined, limit: 50 }
    return listDeliveries(this.fresh.database, page)
  }

  /** Everything that waits is due. */
  async passTime(): Promise<void> {
    await this.fresh.database.run({ text: 'update webhook_deliveries set next_at = now() where next_at is not null' })
    await this.endPause()
  }

  endPause() {
    return this.fresh.database.run({ text: 'update webhooks set paused_until = null' })
  }

  get mails() {
    return this.server.received.all
  }

  /** Of each mail that the server has read. */
  headers(name: string): string[] {
    return this.mails.map(({ raw }) => headerOf(raw, name))
  }
}

export function useMailing(): Mailing {
  const mailing = new Mailing()
  beforeAll(() => mailing.open())
  beforeEach(() => mailing.start())
  afterEach(() => mailing.stop())
  afterAll(() => mailing.fresh.drop())
  return mailing
}
