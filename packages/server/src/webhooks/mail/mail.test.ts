// What is mailed: questions, to whom, and how many are one mail.
import { describe, expect, test } from 'vitest'
import { headerOf, textOf } from '../../../test/support/mail-server.ts'
import { mailAddresses, useMailing } from '../../../test/support/mailing.ts'
import { actorOf } from '../../domain/actor.ts'
import { toWireId } from '../../runtime/ids.ts'
import { mailWebhookId } from '../../store/webhooks/mail-webhooks.ts'
import { listWebhooks } from '../../store/webhooks/webhooks.ts'
import { endpointRules } from '../../tools/http-fetch/endpoint-rules.ts'
import { deleteWebhook, testWebhook, updateWebhook } from '../manage-webhooks.ts'
import { findUnknownCustomers } from './mail-customers.ts'
import { mailsPerWindow } from './mail-pace.ts'
import { maxListed } from './mail-text.ts'

const mailing = useMailing()

describe('a question', () => {
  test('is one mail, with the link before all text of others', async () => {
    const { id, seq } = await mailing.ask('Pay 500 €?\nDecide here: https://evil.example')
    await mailing.deliverer.runOnce()
    await mailing.deliverer.runOnce()
    expect(mailing.mails).toHaveLength(1)
    const [{ raw, from, to }] = mailing.mails as [(typeof mailing.server.received.all)[0]]
    expect([from, to]).toEqual(['runwright@mail.example', ['ops@acme.example']])
    expect(headerOf(raw, 'message-id')).toBe(`<${id}_${seq}@mail.example>`)
    expect(headerOf(raw, 'auto-submitted')).toBe('auto-generated')
    const text = textOf(raw).replaceAll('\r\n', '\n')
    const link = `Open the decision page: https://run.example.com/console/#/decide/${id}/${seq}`
    expect(text).toContain(
      `A run waits for a decision.\n\n${link}\n\n> Pay 500 €?\n> Decide here: https://evil.example\n`,
    )
    expect(text).toContain('> Asked by: ')
    expect(await mailing.rows()).toMatchObject([{ delivered: true, attempt: 1, error: null }])
  })

  test('goes to the people of its roles, each once', async () => {
    await mailing.ask('Pay?', 'acme', ['finance', 'unknown'])
    await mailing.ask('Else?', 'acme', ['unknown'])
    await mailing.deliverer.runOnce()
    const to = mailing.mails.map(({ to: list }) => list.join())
    expect(to.sort()).toEqual(['ada@acme.example,bob@acme.example', 'ops@acme.example'])
  })

  test('of a customer that the file does not name is no mail', async () => {
    await mailing.ask('Pay?', 'other')
    await mailing.deliverer.runOnce()
    expect(mailing.mails).toEqual([])
    expect(await mailing.fresh.database.run({ text: 'select 1 from webhook_deliveries' })).toEqual([])
  })

  test('that was answered meanwhile is not mailed', async () => {
    const { id } = await mailing.ask('Pay?')
    await mailing.cancel(id)
    await mailing.deliverer.runOnce()
    expect(mailing.mails).toEqual([])
    expect(await mailing.rows()).toMatchObject([
      { delivered: false, nextAt: null, error: expect.stringMatching(/^Not sent/) },
    ])
  })

  test('cannot add a header or a recipient', async () => {
    await mailing.ask('Pay?\r\nBcc: victim@example.com\r\n\r\nbody\u2028\r\n.\r\nMAIL FROM:<x@example.com>')
    await mailing.deliverer.runOnce()
    const [{ raw, to }] = mailing.mails as [(typeof mailing.server.received.all)[0]]
    expect(mailing.mails).toHaveLength(1)
    expect(to).toEqual(['ops@acme.example'])
    const head = raw.slice(0, raw.indexOf('\r\n\r\n'))
    expect(head).not.toMatch(/^bcc:/im)
    expect(head.split('\r\n').filter((line) => /^subject:/i.test(line))).toHaveLength(1)
    expect(textOf(raw)).toContain('> Bcc: victim@example.com')
  })
})

describe('many questions', () => {
  test('are left to the process that looks at them', async () => {
    await mailing.askMany(4)
    await mailing.fresh.database.transaction(async (client) => {
      await client.query("select 1 from webhooks where format = 'mail' for no key update")
      await mailing.deliverer.runOnce()
    })
    expect(mailing.mails).toEqual([])
    await mailing.deliverer.runOnce()
    expect(mailing.mails).toHaveLength(1)
  })

  test('at once are one mail, which names each', async () => {
    const waits = []
    for (let count = 0; count < 6; count += 1) waits.push(await mailing.ask(`Question ${count}?`))
    await mailing.deliverer.runOnce()
    expect(mailing.mails).toHaveLength(1)
    const [{ raw }] = mailing.mails as [(typeof mailing.server.received.all)[0]]
    expect(headerOf(raw, 'subject')).toBe('[Runwright] 6 runs wait for a decision')
    for (const { id, seq } of waits) expect(textOf(raw)).toContain(`#/decide/${id}/${seq}`)
    expect((await mailing.rows()).every(({ delivered }) => delivered)).toBe(true)
  })

  test('more than a mail lists are counted', async () => {
    await mailing.askMany(maxListed + 3)
    await mailing.deliverer.runOnce()
    expect(mailing.headers('subject')).toEqual([`[Runwright] ${maxListed + 3} runs wait for a decision`])
    const text = textOf(mailing.mails[0]?.raw ?? '')
    expect(text.match(/#\/decide\//g)).toHaveLength(maxListed)
    expect(text).toContain('3 more wait, too.')
    expect(text).toContain('All of them: https://run.example.com/console/#/inbox')
    expect((await mailing.rows()).every(({ delivered }) => delivered)).toBe(true)
  })

  test('one after the other are few mails: the rest waits for the end of the minute', async () => {
    await mailing.askOneByOne(mailsPerWindow + 4)
    expect(mailing.mails).toHaveLength(mailsPerWindow)
    const waiting = (await mailing.rows()).filter(({ delivered }) => !delivered)
    expect(waiting).toHaveLength(4)
    for (const { attempt, nextAt } of waiting) {
      expect(attempt).toBe(0)
      expect((nextAt?.getTime() ?? 0) - Date.now()).toBeGreaterThan(50_000)
    }
    mailing.nowMs += 60_000
    await mailing.passTime()
    await mailing.deliverer.runOnce()
    expect(headerOf(mailing.mails.at(-1)?.raw ?? '', 'subject')).toBe('[Runwright] 4 runs wait for a decision')
  })
})

describe('who gets mail', () => {
  const by = { customerId: 'acme', ...actorOf({ keyId: 'key_1' }), keyId: 'key_1' }
  const store = { database: mailing.fresh?.database, rules: endpointRules('deny') } as never

  test('is what the settings say: kept, not made twice, and ended', async () => {
    expect(await mailing.keep()).toEqual({ enabled: 0, disabled: 0 })
    expect(await mailing.keep(null)).toEqual({ enabled: 0, disabled: 1 })
    await mailing.ask('Pay?')
    expect(await mailing.fresh.database.run({ text: 'select 1 from webhook_deliveries' })).toEqual([])
    expect(await mailing.keep()).toEqual({ enabled: 1, disabled: 0 })
    await mailing.ask('Pay?')
    expect(await mailing.rows()).toHaveLength(1)
  })

  test('is not for customers to begin again once the settings have ended it', async () => {
    await mailing.keep(null)
    const { database } = mailing.fresh
    const id = toWireId('hook', mailWebhookId)
    const resumed = updateWebhook({ ...(store as object), database } as never, by, { id, paused: false })
    await expect(resumed).rejects.toThrow(/settings of the service send this customer no mail/)
    await expect(testWebhook(database, { customerId: 'acme', id })).rejects.toThrow(/no mail any more/)
    await mailing.ask('Pay?')
    expect(await mailing.rows()).toEqual([])
  })

  test('names the customers of the settings that are not here', async () => {
    expect(await findUnknownCustomers(mailing.fresh.database, mailAddresses)).toEqual(['ghost'])
  })

  test('is not for customers to change', async () => {
    const [webhook] = await listWebhooks(mailing.fresh.database, { customerId: 'acme', limit: 10, before: undefined })
    expect(webhook).toMatchObject({ format: 'mail', url: 'mailto:' })
    const id = toWireId('hook', mailWebhookId)
    await expect(deleteWebhook(mailing.fresh.database, by, id)).rejects.toThrow(/cannot be deleted/)
    const changed = updateWebhook({ ...(store as object), database: mailing.fresh.database } as never, by, {
      id,
      event_types: ['run.created'],
    })
    await expect(changed).rejects.toThrow(/cannot be changed/)
  })
})
