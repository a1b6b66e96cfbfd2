// What becomes of mail when the server is away, refuses it or does not answer.
import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { headerOf, MailServer, smtpError } from '../../../test/support/mail-server.ts'
import { useMailing } from '../../../test/support/mailing.ts'
import { newRun } from '../../../test/support/new-run.ts'
import { Occurrences } from '../../../test/support/occurrences.ts'
import { RunCreator } from '../../store/run-log/run-creator.ts'
import { endpointRules } from '../../tools/http-fetch/endpoint-rules.ts'
import { createWebhook } from '../manage-webhooks.ts'
import type { PostMessage } from '../post-message.ts'
import { createSendMail } from './send-mail.ts'

const mailing = useMailing()
const keyPepper = randomBytes(32)

describe('a server', () => {
  test('that is away gets the mail when it is back, once', async () => {
    const { id, seq } = await mailing.ask('Pay?')
    const { port } = mailing.server
    await mailing.server.stop()
    await mailing.deliverer.runOnce()
    expect(await mailing.rows()).toMatchObject([
      { delivered: false, attempt: 1, error: 'The mail server could not be reached (ECONNREFUSED).' },
    ])
    mailing.server = await new MailServer().start(port)
    await mailing.passTime()
    await mailing.deliverer.runOnce()
    await mailing.deliverer.runOnce()
    expect(mailing.mails.map(({ raw }) => headerOf(raw, 'message-id'))).toEqual([`<${id}_${seq}@mail.example>`])
    expect(await mailing.rows()).toMatchObject([{ delivered: true, attempt: 2, error: null }])
  })

  test('that refuses one of several recipients: the others get it, and the delivery says so', async () => {
    mailing.server.onRecipient = (address) => (address.startsWith('ada') ? smtpError(550) : undefined)
    await mailing.ask('Pay?', 'acme', ['finance'])
    await mailing.deliverer.runOnce()
    expect(mailing.mails.map(({ to }) => to)).toEqual([['bob@acme.example']])
    expect(await mailing.rows()).toMatchObject([
      { delivered: true, error: 'The mail server refused 1 of 2 recipients.' },
    ])
  })

  test('that refuses for good is not asked again; one that refuses for now is', async () => {
    mailing.server.onRecipient = () => smtpError(550, 'no such user secret-word')
    await mailing.ask('Pay?')
    await mailing.deliverer.runOnce()
    mailing.server.onRecipient = () => smtpError(451)
    await mailing.ask('Pay again?')
    await mailing.deliverer.runOnce()
    const [second, first] = await mailing.rows()
    const refused = 'The mail server refused the sender or all recipients'
    expect(first).toMatchObject({ nextAt: null, responseStatus: 550, error: `${refused} (550).` })
    expect(second).toMatchObject({ nextAt: expect.any(Date), responseStatus: 451, error: `${refused} (451).` })
    expect(JSON.stringify(mailing.logger.warn.mock.calls)).not.toMatch(/secret-word|acme\.example/)
  })

  test('that does not answer is left after a time, and a stop does not wait for it', async () => {
    mailing.server.onMail = () => new Promise(() => undefined)
    mailing.use({ send: createSendMail({ url: mailing.url, timeoutMs: 100 }) })
    await mailing.ask('Pay?')
    await mailing.deliverer.runOnce()
    expect(await mailing.rows()).toMatchObject([
      { attempt: 1, error: 'The mail server did not finish within 0.1 seconds.' },
    ])
    await mailing.deliverer.stop()
    mailing.use()
    await mailing.passTime()
    const before = mailing.mails.length
    mailing.deliverer.poke()
    await mailing.server.received.nth(before + 1, () => true)
    await mailing.deliverer.stop()
    // The attempt does not count: it is made again at the next start, with the same id.
    expect(await mailing.rows()).toMatchObject([{ attempt: 1, delivered: false, nextAt: expect.any(Date) }])
    const ids = mailing.mails.map(({ raw }) => headerOf(raw, 'message-id'))
    expect(new Set(ids).size).toBe(1)
  })

  test('that does not answer delays no message to an endpoint, of the same customer or another', async () => {
    mailing.server.onMail = () => new Promise(() => undefined)
    const posted = new Occurrences<string>()
    const post: PostMessage = async ({ url }) => {
      posted.add(url)
      return { status: 204, retryAfter: undefined }
    }
    const send = createSendMail({ url: mailing.url, timeoutMs: 60_000 })
    mailing.use({ limits: { places: 2, perCustomer: 2 }, send, post })
    await mailing.ask('Pay?')
    await mailing.ask('Pay more?')
    await mailing.ask('Pay all?')
    mailing.deliverer.poke()
    await mailing.server.received.nth(2, () => true)
    const { database } = mailing.fresh
    const store = { database, keyring: mailing.keys.keyring, keyPepper, rules: endpointRules('allow') }
    for (const customerId of ['acme', 'other']) {
      const url = `https://${customerId}.example/hook`
      await createWebhook(store, { customerId, keyId: 'key_1' }, { url, event_types: ['run.created'] })
      await new RunCreator(database, () => undefined).create(newRun({ customerId }))
    }
    mailing.deliverer.poke()
    await posted.nth(2, () => true)
    expect(posted.all.toSorted()).toEqual(['https://acme.example/hook', 'https://other.example/hook'])
    // The third mail has waited for a place all the time.
    expect(mailing.mails).toHaveLength(2)
  })
})
