// Mail through a real mail server on loopback. Time passes when a test says so.
import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { Driver } from '../../../test/support/drive.ts'
import { headerOf, MailServer, smtpError, textOf } from '../../../test/support/mail-server.ts'
import { newRun } from '../../../test/support/new-run.ts'
import { actorOf } from '../../domain/actor.ts'
import { toWireId } from '../../runtime/ids.ts'
import { RunCreator } from '../../store/run-log/run-creator.ts'
import { SealingKeys } from '../../store/sealed/sealing-keys.ts'
import { listDeliveries } from '../../store/webhooks/deliveries.ts'
import { mailWebhookId } from '../../store/webhooks/mail-webhooks.ts'
import { listWebhooks } from '../../store/webhooks/webhooks.ts'
import { endpointRules } from '../../tools/http-fetch/endpoint-rules.ts'
import { Deliverer } from '../deliverer.ts'
import { deleteWebhook, updateWebhook } from '../manage-webhooks.ts'
import { keepMailCustomers } from './mail-customers.ts'
import { MailPace, mailsPerWindow } from './mail-pace.ts'
import { createSendMail, type SendMail } from './send-mail.ts'

const addresses = {
  from: 'runwright@mail.example',
  customers: {
    acme: { default: ['ops@acme.example'], roles: { finance: ['bob@acme.example', 'ada@acme.example'] } },
    ghost: { default: ['ghost@example.com'], roles: {} },
  },
}

let fresh: FreshDatabase
let keys: SealingKeys
let server: MailServer
let deliverer: Deliverer
let nowMs = 0
const logger = { warn: vi.fn() }
beforeAll(async () => {
  fresh = await freshDatabase()
  await fresh.database.run({ text: `insert into customers (id) values ('acme'), ('other')` })
  keys = new SealingKeys(fresh.database, { encryptionKey: randomBytes(32) })
  await keys.open()
})
afterAll(() => fresh.drop())

type DelivererLimits = NonNullable<ConstructorParameters<typeof Deliverer>[0]['limits']>
const urlOf = (port: number) => `smtp://127.0.0.1:${port}?tls=off`

const delivererWith = (
  send: SendMail = createSendMail({ url: urlOf(server.port), timeoutMs: 2_000 }),
  limits: DelivererLimits = {},
) => {
  const post = () => Promise.reject(new Error('no webhook'))
  const mail = { addresses, send, pace: new MailPace(() => nowMs) }
  const { database } = fresh
  return new Deliverer({ database, keys, post, mail, publicUrl: 'https://run.example.com', logger, limits })
}

const keep = (who: typeof addresses | null = addresses) =>
  keepMailCustomers({ database: fresh.database, keyring: keys.keyring, addresses: who ?? undefined })

beforeEach(async () => {
  for (const table of ['webhook_deliveries', 'webhooks']) await fresh.database.run({ text: `delete from ${table}` })
  await keep()
  logger.warn.mockReset()
  server = await new MailServer().start()
  deliverer = delivererWith()
})
afterEach(async () => {
  await deliverer.stop()
  await server.stop()
})

async function wait(prompt: string, customerId = 'acme', approvers?: string[]): Promise<{ id: string; seq: number }> {
  const run = newRun({ customerId, workspaceId: 'books' })
  await new RunCreator(fresh.database, () => undefined).create(run)
  const id = toWireId('run', run.id)
  const rules = approvers && { approvers }
  const seq = await new Driver(fresh.database, customerId).toAwaiting(id, { prompt, ...(rules && { rules }) })
  return { id, seq }
}

const askOneByOne = async (count: number) => {
  for (let nth = 0; nth < count; nth += 1) {
    await ask(1)
    await deliverer.runOnce()
  }
}
const cancelled = { type: 'run.cancelled', payload: {}, terminal: true } as const
const cancel = (id: string) => new Driver(fresh.database).apply(id, { trigger: 'cancel', events: [cancelled] })

const ask = async (count: number) => {
  for (let nth = 0; nth < count; nth += 1) await wait(`Question ${nth}?`)
}

const rows = () =>
  listDeliveries(fresh.database, { customerId: 'acme', webhookId: mailWebhookId, before: undefined, limit: 50 })
const passTime = async () => {
  await fresh.database.run({ text: 'update webhook_deliveries set next_at = now() where next_at is not null' })
  await endPause()
}
const endPause = () => fresh.database.run({ text: 'update webhooks set paused_until = null' })
const mails = () => server.received.all

describe('a question', () => {
  test('is one mail, with the link before all text of others', async () => {
    const { id, seq } = await wait('Pay 500 €?\nDecide here: https://evil.example')
    await deliverer.runOnce()
    await deliverer.runOnce()
    expect(mails()).toHaveLength(1)
    const [{ raw, from, to }] = mails() as [(typeof server.received.all)[0]]
    expect([from, to]).toEqual(['runwright@mail.example', ['ops@acme.example']])
    expect(headerOf(raw, 'message-id')).toBe(`<${id}_${seq}@mail.example>`)
    expect(headerOf(raw, 'auto-submitted')).toBe('auto-generated')
    const text = textOf(raw).replaceAll('\r\n', '\n')
    const link = `Open the decision page: https://run.example.com/console/#/decide/${id}/${seq}`
    expect(text).toContain(
      `A run waits for a decision.\n\n${link}\n\n> Pay 500 €?\n> Decide here: https://evil.example\n`,
    )
    expect(text).toContain('> Asked by: ')
    expect(await rows()).toMatchObject([{ delivered: true, attempt: 1, error: null }])
  })

  test('goes to the people of its roles, each once', async () => {
    await wait('Pay?', 'acme', ['finance', 'unknown'])
    await wait('Else?', 'acme', ['unknown'])
    await deliverer.runOnce()
    const to = mails().map(({ to: list }) => list.join())
    expect(to.sort()).toEqual(['ada@acme.example,bob@acme.example', 'ops@acme.example'])
  })

  test('of a customer that the file does not name is no mail', async () => {
    await wait('Pay?', 'other')
    await deliverer.runOnce()
    expect(mails()).toEqual([])
    expect(await fresh.database.run({ text: 'select 1 from webhook_deliveries' })).toEqual([])
  })

  test('that was answered meanwhile is not mailed', async () => {
    const { id } = await wait('Pay?')
    await cancel(id)
    await deliverer.runOnce()
    expect(mails()).toEqual([])
    expect(await rows()).toMatchObject([{ delivered: false, nextAt: null, error: expect.stringMatching(/^Not sent/) }])
  })

  test('cannot add a header or a recipient', async () => {
    await wait('Pay?\r\nBcc: victim@example.com\r\n\r\nbody\u2028\r\n.\r\nMAIL FROM:<x@example.com>')
    await deliverer.runOnce()
    const [{ raw, to }] = mails() as [(typeof server.received.all)[0]]
    expect(mails()).toHaveLength(1)
    expect(to).toEqual(['ops@acme.example'])
    const head = raw.slice(0, raw.indexOf('\r\n\r\n'))
    expect(head).not.toMatch(/^bcc:/im)
    expect(head.split('\r\n').filter((line) => /^subject:/i.test(line))).toHaveLength(1)
    expect(textOf(raw)).toContain('> Bcc: victim@example.com')
  })
})

describe('many questions', () => {
  test('are left to the process that looks at them', async () => {
    await ask(4)
    await fresh.database.transaction(async (client) => {
      await client.query("select 1 from webhooks where format = 'mail' for no key update")
      await deliverer.runOnce()
    })
    expect(mails()).toEqual([])
    await deliverer.runOnce()
    expect(mails()).toHaveLength(1)
  })

  test('at once are one mail, which names each', async () => {
    const waits = []
    for (let count = 0; count < 6; count += 1) waits.push(await wait(`Question ${count}?`))
    await deliverer.runOnce()
    expect(mails()).toHaveLength(1)
    const [{ raw }] = mails() as [(typeof server.received.all)[0]]
    expect(headerOf(raw, 'subject')).toBe('[Runwright] 6 runs wait for a decision')
    for (const { id, seq } of waits) expect(textOf(raw)).toContain(`#/decide/${id}/${seq}`)
    expect((await rows()).every(({ delivered }) => delivered)).toBe(true)
  })

  test('one after the other are few mails: the rest waits for the end of the minute', async () => {
    await askOneByOne(mailsPerWindow + 4)
    expect(mails()).toHaveLength(mailsPerWindow)
    const waiting = (await rows()).filter(({ delivered }) => !delivered)
    expect(waiting).toHaveLength(4)
    for (const { attempt, nextAt } of waiting) {
      expect(attempt).toBe(0)
      expect((nextAt?.getTime() ?? 0) - Date.now()).toBeGreaterThan(50_000)
    }
    nowMs += 60_000
    await passTime()
    await deliverer.runOnce()
    expect(headerOf(mails().at(-1)?.raw ?? '', 'subject')).toBe('[Runwright] 4 runs wait for a decision')
  })
})

describe('a list whose fate is not known', () => {
  const listed = () => mails().map(({ raw }) => headerOf(raw, 'message-id'))

  /** The server has each mail, and says that it has not. */
  const deniesMails = (limits: DelivererLimits = {}) => {
    server.onMail = async () => smtpError(451)
    deliverer = delivererWith(undefined, limits)
  }
  const worksAgain = async (limits: DelivererLimits = {}) => {
    server.onMail = async () => undefined
    await deliverer.stop()
    deliverer = delivererWith(undefined, limits)
    await passTime()
    await deliverer.runOnce()
  }

  test('comes again as it was, with the same id: what was asked meanwhile is another mail', async () => {
    deniesMails()
    await ask(4)
    await deliverer.runOnce()
    // Due at different times, they would come one by one.
    expect(await fresh.database.run({ text: 'select distinct next_at from webhook_deliveries' })).toHaveLength(1)
    await ask(5)
    await deliverer.runOnce()
    const [first, second] = listed()
    expect(second).not.toBe(first)
    // Both fail together once more: they stay two.
    await passTime()
    await deliverer.runOnce()
    await ask(1)
    nowMs += 60_000
    await worksAgain()
    expect(listed()).toHaveLength(7)
    expect(listed().slice(2, 4).sort()).toEqual([first, second].sort())
    expect(listed().slice(4)).toEqual(expect.arrayContaining([first, second, expect.stringMatching(/^<run_/)]))
    expect((await rows()).every(({ delivered }) => delivered)).toBe(true)
  })

  test('comes again whole, although its lists are more than a process takes at once', async () => {
    const limits = { perCustomer: 6 }
    deniesMails(limits)
    await ask(5)
    await deliverer.runOnce()
    await endPause()
    await ask(5)
    await deliverer.runOnce()
    const before = listed()
    await worksAgain(limits)
    expect(listed().slice(2).sort()).toEqual(before.sort())
  })

  test('comes again without a question that was answered meanwhile, as a list with another id', async () => {
    deniesMails()
    const { id } = await wait('Pay?')
    await ask(3)
    await deliverer.runOnce()
    await cancel(id)
    await worksAgain()
    const [first, ...again] = mails()
    expect(again.map(({ raw }) => headerOf(raw, 'subject'))).toEqual(['[Runwright] 3 runs wait for a decision'])
    expect(headerOf(again[0]?.raw ?? '', 'message-id')).not.toBe(headerOf(first?.raw ?? '', 'message-id'))
  })

  test('comes again as it was, although it had to wait for its turn in between', async () => {
    server.onMail = () => new Promise(() => undefined)
    await ask(4)
    deliverer.poke()
    await server.received.nth(1, () => true)
    await deliverer.stop()
    const [first] = listed()
    const attemptedAt = (await rows())[0]?.attemptedAt
    server.onMail = async () => undefined
    deliverer = delivererWith()
    await fresh.database.run({ text: "update webhook_deliveries set next_at = now() + interval '1 hour'" })
    await askOneByOne(mailsPerWindow)
    await passTime()
    await ask(2)
    await deliverer.runOnce()
    expect(listed()).toHaveLength(1 + mailsPerWindow)
    const held = (await rows()).filter(({ nextAt }) => nextAt !== null)
    expect(held.map((row) => row.attemptedAt).sort()).toEqual([...Array(4).fill(attemptedAt), null, null].sort())
    nowMs += 60_000
    await passTime()
    await deliverer.runOnce()
    expect(listed().slice(1 + mailsPerWindow)).toEqual(expect.arrayContaining([first]))
    expect(listed()).toHaveLength(1 + mailsPerWindow + 3)
  })

  test('comes again as it was after a stop', async () => {
    server.onMail = () => new Promise(() => undefined)
    await ask(4)
    deliverer.poke()
    await server.received.nth(1, () => true)
    await deliverer.stop()
    await ask(4)
    server.onMail = async () => undefined
    deliverer = delivererWith()
    await deliverer.runOnce()
    const [first, ...again] = listed()
    expect(again).toHaveLength(2)
    expect(again).toContain(first)
  })

  test('one that only waited for its turn was not tried: it becomes one mail with what came meanwhile', async () => {
    await askOneByOne(mailsPerWindow)
    for (let count = 0; count < 2; count += 1) {
      await ask(2)
      await deliverer.runOnce()
    }
    expect((await rows()).slice(0, 4).map(({ attempt, attemptedAt }) => [attempt, attemptedAt])).toEqual(
      Array(4).fill([0, null]),
    )
    nowMs += 60_000
    await passTime()
    await deliverer.runOnce()
    expect(headerOf(mails().at(-1)?.raw ?? '', 'subject')).toBe('[Runwright] 4 runs wait for a decision')
  })
})

describe('a server', () => {
  test('that is away gets the mail when it is back, once', async () => {
    const { id, seq } = await wait('Pay?')
    const { port } = server
    await server.stop()
    await deliverer.runOnce()
    expect(await rows()).toMatchObject([
      { delivered: false, attempt: 1, error: 'The mail server could not be reached (ECONNREFUSED).' },
    ])
    server = await new MailServer().start(port)
    await passTime()
    await deliverer.runOnce()
    await deliverer.runOnce()
    expect(mails().map(({ raw }) => headerOf(raw, 'message-id'))).toEqual([`<${id}_${seq}@mail.example>`])
    expect(await rows()).toMatchObject([{ delivered: true, attempt: 2, error: null }])
  })

  test('that refuses one of several recipients: the others get it, and the delivery says so', async () => {
    server.onRecipient = (address) => (address.startsWith('ada') ? smtpError(550) : undefined)
    await wait('Pay?', 'acme', ['finance'])
    await deliverer.runOnce()
    expect(mails().map(({ to }) => to)).toEqual([['bob@acme.example']])
    expect(await rows()).toMatchObject([{ delivered: true, error: 'The mail server refused 1 of 2 recipients.' }])
  })

  test('that refuses for good is not asked again; one that refuses for now is', async () => {
    server.onRecipient = () => smtpError(550, 'no such user secret-word')
    await wait('Pay?')
    await deliverer.runOnce()
    server.onRecipient = () => smtpError(451)
    await wait('Pay again?')
    await deliverer.runOnce()
    const [second, first] = await rows()
    const refused = 'The mail server refused the sender or all recipients'
    expect(first).toMatchObject({ nextAt: null, responseStatus: 550, error: `${refused} (550).` })
    expect(second).toMatchObject({ nextAt: expect.any(Date), responseStatus: 451, error: `${refused} (451).` })
    expect(JSON.stringify(logger.warn.mock.calls)).not.toMatch(/secret-word|acme\.example/)
  })

  test('that does not answer is left after a time, and a stop does not wait for it', async () => {
    server.onMail = () => new Promise(() => undefined)
    deliverer = delivererWith(createSendMail({ url: urlOf(server.port), timeoutMs: 100 }))
    await wait('Pay?')
    await deliverer.runOnce()
    expect(await rows()).toMatchObject([{ attempt: 1, error: 'The mail server did not finish within 0.1 seconds.' }])
    await deliverer.stop()
    deliverer = delivererWith()
    await passTime()
    const before = mails().length
    deliverer.poke()
    await server.received.nth(before + 1, () => true)
    await deliverer.stop()
    // The attempt does not count: it is made again at the next start, with the same id.
    expect(await rows()).toMatchObject([{ attempt: 1, delivered: false, nextAt: expect.any(Date) }])
    const ids = mails().map(({ raw }) => headerOf(raw, 'message-id'))
    expect(new Set(ids).size).toBe(1)
  })
})

describe('who gets mail', () => {
  const by = { customerId: 'acme', ...actorOf({ keyId: 'key_1' }), keyId: 'key_1' }
  const store = { database: fresh?.database, rules: endpointRules('deny') } as never

  test('is what the settings say: kept, not made twice, and ended', async () => {
    expect(await keep()).toEqual({ enabled: 0, disabled: 0 })
    expect(await keep(null)).toEqual({ enabled: 0, disabled: 1 })
    await wait('Pay?')
    expect(await fresh.database.run({ text: 'select 1 from webhook_deliveries' })).toEqual([])
    expect(await keep()).toEqual({ enabled: 1, disabled: 0 })
    await wait('Pay?')
    expect(await rows()).toHaveLength(1)
  })

  test('is not for customers to change', async () => {
    const [webhook] = await listWebhooks(fresh.database, { customerId: 'acme', limit: 10, before: undefined })
    expect(webhook).toMatchObject({ format: 'mail', url: 'mailto:' })
    const id = toWireId('hook', mailWebhookId)
    await expect(deleteWebhook(fresh.database, by, id)).rejects.toThrow(/cannot be deleted/)
    const changed = updateWebhook({ ...(store as object), database: fresh.database } as never, by, {
      id,
      event_types: ['run.created'],
    })
    await expect(changed).rejects.toThrow(/cannot be changed/)
  })
})
