// A question without an answer is escalated: those who may decide then are told, once.
import { expect, test, vi } from 'vitest'
import { Driver } from '../../test/support/drive.ts'
import { textOf } from '../../test/support/mail-server.ts'
import { mailAddresses, useMailing } from '../../test/support/mailing.ts'
import { Receiver } from '../../test/support/receiver.ts'
import { slackMessageSchema } from '../../test/support/slack-schema.ts'
import { teamsProblems } from '../../test/support/teams-schema.ts'
import { toWireId } from '../runtime/ids.ts'
import { mailWebhookId } from '../store/webhooks/mail-webhooks.ts'
import { endpointRules } from '../tools/http-fetch/endpoint-rules.ts'
import { Deliverer } from './deliverer.ts'
import { createWebhook, redeliver } from './manage-webhooks.ts'
import { createPostMessage } from './post-message.ts'

const mailing = useMailing()
const rules = { approvers: ['finance'], escalate_to: ['board'], escalate_after_seconds: 1_800 }
const { acme } = mailAddresses.customers
const addresses = {
  ...mailAddresses,
  customers: { acme: { ...acme, roles: { ...acme.roles, board: ['board@acme.example'] } } },
}
const escalations = async () => (await mailing.rows()).filter(({ type }) => type === 'run.escalated')
const answered = { trigger: 'approve', events: [{ type: 'run.signal_applied', payload: {} }] } as const

test('is mailed to the roles that may decide from then on, once, with an id of its own', async () => {
  mailing.use({ addresses })
  const { id, seq } = await mailing.ask('Pay?', 'acme', rules)
  await mailing.deliverer.runOnce()
  await mailing.deliverer.runOnce()
  expect(mailing.mails.map(({ to }) => to.join())).toEqual(['ada@acme.example,bob@acme.example'])
  const [{ nextAt, at } = { nextAt: null, at: new Date(0) }] = await escalations()
  expect(nextAt).toEqual(at)
  const [asked] = (await mailing.rows()).filter(({ type }) => type === 'run.awaiting_input')
  expect(at.getTime() - (asked?.at.getTime() ?? 0)).toBe(1_800_000)
  await mailing.passTime()
  await mailing.deliverer.runOnce()
  await mailing.passTime()
  await mailing.deliverer.runOnce()
  expect(mailing.mails.slice(1).map(({ to }) => to)).toEqual([['board@acme.example']])
  expect(mailing.headers('message-id')[1]).toBe(`<${id}_${seq}_escalated@mail.example>`)
  expect(mailing.headers('subject')[1]).toBe('[Runwright] Escalated: a run still waits for a decision: Pay?')
  expect(textOf(mailing.mails[1]?.raw ?? '')).toContain(`#/decide/${id}/${seq}`)
})

test('is not promised if the question ends before', async () => {
  mailing.use({ addresses })
  await mailing.ask('Pay?', 'acme', { ...rules, escalate_after_seconds: 86_400 })
  await mailing.ask('Pay?', 'acme', rules)
  await mailing.deliverer.runOnce()
  const [late, inTime] = mailing.mails.map(({ raw }) => textOf(raw))
  expect(inTime).toContain('Also, from ')
  expect(late).toContain('Who decides: finance')
  expect(late).not.toContain('Also, from ')
})

test('is not mailed if it was answered before', async () => {
  mailing.use({ addresses })
  const { id } = await mailing.ask('Pay?', 'acme', rules)
  await mailing.deliverer.runOnce()
  await new Driver(mailing.fresh.database).apply(id, answered)
  await mailing.passTime()
  await mailing.deliverer.runOnce()
  expect(mailing.mails).toHaveLength(1)
  expect(await escalations()).toMatchObject([{ nextAt: null, error: expect.stringMatching(/^Not sent/) }])
})

test('is mailed again when someone asks for it, and then the mail of the question is not', async () => {
  mailing.use({ addresses })
  const { id, seq } = await mailing.ask('Pay?', 'acme', rules)
  await mailing.deliverer.runOnce()
  await mailing.passTime()
  await mailing.deliverer.runOnce()
  const webhook = { customerId: 'acme', id: toWireId('hook', mailWebhookId) }
  await redeliver(mailing.fresh.database, { ...webhook, deliveryId: `${id}_${seq}_escalated` })
  await mailing.deliverer.runOnce()
  expect(mailing.mails.map(({ to }) => to.length)).toEqual([2, 1, 1])
})

test('reaches chats once, holds up no answer, and is not sent to programs', async () => {
  const receiver = new Receiver()
  await receiver.start()
  const { keys, fresh, logger } = mailing
  const endpoints = endpointRules('allow')
  const store = { database: fresh.database, keyring: keys.keyring, keyPepper: Buffer.alloc(32), rules: endpoints }
  for (const format of ['slack', 'teams', 'standard'] as const) {
    await createWebhook(store, { customerId: 'acme', keyId: 'key_1' }, { name: format, url: receiver.url, format })
  }
  await mailing.keep(null)
  const post = vi.fn(createPostMessage({ rules: endpoints }))
  const deliverer = new Deliverer({ database: fresh.database, keys, post, publicUrl: 'https://a.example', logger })
  const bodies = () => receiver.received.all.map(({ body }) => body)

  const answeredRun = await mailing.ask('First?', 'acme', rules)
  await new Driver(fresh.database).apply(answeredRun.id, answered)
  await deliverer.runOnce()
  // The question is over. What became of it reaches both chats, although an escalation is due later.
  const types = ({ body }: { readonly body: string }) =>
    body.includes('"type":"run.awaiting_input"') ? 'standard' : 'chat'
  expect(receiver.received.all.map(types).sort()).toEqual(['chat', 'chat', 'standard'])
  receiver.received.all.length = 0

  await mailing.ask('Second?', 'acme', rules)
  await deliverer.runOnce()
  expect(bodies()).toHaveLength(3)
  await mailing.passTime()
  await deliverer.runOnce()
  await mailing.passTime()
  await deliverer.runOnce()
  const escalated = bodies().slice(3)
  expect(escalated).toHaveLength(2)
  for (const body of escalated) {
    expect(body).toContain('Escalated: a run still waits for a decision')
    if (body.includes('"blocks"')) expect(slackMessageSchema.safeParse(JSON.parse(body)).error).toBeUndefined()
    else expect(teamsProblems(body)).toEqual([])
  }
  await deliverer.stop()
  await receiver.stop()
})
