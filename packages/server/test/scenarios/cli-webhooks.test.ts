// `runwright webhooks …` against a service, with a receiver on loopback.
import type { WebhookWithSecret } from '@runwright/contract'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CliProcess, environmentOf, Terminal } from '../support/cli.ts'
import { Caller } from '../support/http.ts'
import { Receiver } from '../support/receiver.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let receiver: Receiver
beforeAll(async () => {
  service = await startService({ RUNWRIGHT_WEBHOOK_PRIVATE_ADDRESSES: 'allow' }, { worker: true })
  receiver = await new Receiver().start()
})
afterAll(async () => {
  await service.stop()
  await receiver.stop()
})

async function webhooks(...args: string[]): Promise<string> {
  const terminal = new Terminal(environmentOf(service), { isTTY: false })
  await terminal.run('webhooks', ...args)
  return terminal.output
}

test('a webhook is created, tested, rotated and deleted, and its deliveries are listed and repeated', async () => {
  expect(await webhooks('list')).toBe('There are no webhooks.\n')
  const created = await webhooks('create', receiver.url, '--events', 'run.cancelled,run.created')
  const [, id = ''] = /^(hook_\w+) +- +enabled +standard +http:\S+ +run\.cancelled,run\.created$/m.exec(created) ?? []
  expect(created).toMatch(/^Secret: whsec_\S+$/m)
  expect(await webhooks('list')).toContain(id)
  expect(await webhooks('deliveries', id)).toBe('Nothing was sent yet.\n')
  const [deliveryId = ''] = /^run_\w+/.exec(await webhooks('test', id)) ?? []
  await receiver.received.nth(1, ({ headers }) => headers['webhook-id'] === deliveryId)
  expect(await webhooks('redeliver', id, deliveryId)).toBe(`${deliveryId} will be sent again.\n`)
  await receiver.received.nth(2, ({ headers }) => headers['webhook-id'] === deliveryId)
  expect(await webhooks('deliveries', id, '--json')).toContain(deliveryId)
  const rotated = JSON.parse(await webhooks('rotate', id, '--overlap', '60', '--json')) as WebhookWithSecret
  expect(created).not.toContain(rotated.secret)
  expect(await webhooks('delete', id)).toBe(`Deleted ${id}.\n`)
  await expect(webhooks('delete', id)).rejects.toThrow('No webhook has this id.')
})

test('a webhook that waits because it keeps failing is listed with the time', async () => {
  const [id = ''] = /hook_\w+/.exec(await webhooks('create', receiver.url, '--name', 'failing')) ?? []
  await service.database.run({ text: "update webhooks set paused_until = '2099-01-02T03:04:05Z'" })
  expect(await webhooks('list')).toMatch(/ failing, paused until 2099-01-02T03:04:05\.000Z /)
  await webhooks('resume', id)
  expect(await webhooks('list')).toMatch(/ enabled /)
  await webhooks('delete', id)
})

test('listen prints the messages that it has verified, refuses others, and deletes its webhook at the end', async () => {
  const listening = new CliProcess(['webhooks', 'listen', '--port', '0'], environmentOf(service))
  const [, url = ''] = await listening.says(/Listening on (\S+)\. /)
  const { id } = await new Caller(service.url, service.key).newRun()
  await listening.prints(new RegExp(`^\\S+Z run\\.worker\\.succeeded ${id} seq \\d+: succeeded$`, 'm'))
  const headers = {
    'webhook-id': 'run_1_1',
    'webhook-timestamp': `${Date.now() / 1000}`,
    'webhook-signature': 'v1,AAAA',
  }
  expect((await fetch(url, { method: 'POST', body: '{}', headers })).status).toBe(400)
  await listening.says(/Refused a message: its signature is not valid\./)
  listening.interrupt()
  expect(await listening.finished).toMatchObject({ code: 0 })
  await listening.says(/^Stopped\. The webhook was deleted\.$/m)
  expect(await webhooks('list')).toBe('There are no webhooks.\n')
})

test('listen that is ended by a process manager deletes its webhook too', async () => {
  const listening = new CliProcess(['webhooks', 'listen', '--port', '0'], environmentOf(service))
  await listening.says(/Listening on/)
  listening.terminate()
  expect(await listening.finished).toMatchObject({ code: 0 })
  expect(await webhooks('list')).toBe('There are no webhooks.\n')
})

test('listen sends messages on as they came, and gives the answer of the receiver back', async () => {
  const args = ['webhooks', 'listen', '--port', '0', '--forward-to', `${receiver.url}/mine`]
  const listening = new CliProcess(args, environmentOf(service))
  const [, secret = ''] = await listening.says(/^Messages are signed with the secret (whsec_\S+)$/m)
  await listening.says(/Listening on/)
  const { id } = await new Caller(service.url, service.key).newRun()
  const { headers, body, path } = await receiver.received.nth(1, (message) => message.body.includes(id))
  expect(path).toMatch(/\/mine$/)
  expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({ data: { run_id: id } })
  await listening.says(/\/mine answered 204\.$/m)
  listening.interrupt()
  expect(await listening.finished).toMatchObject({ code: 0 })
})

test('create changes nothing if the webhook is there already, and a name makes another one', async () => {
  const first = JSON.parse(await webhooks('create', receiver.url, '--json'))
  const second = JSON.parse(await webhooks('create', receiver.url, '--json'))
  expect(second).toEqual({ webhook: first.webhook, secret: null, request_id: expect.any(String) })
  const other = ['create', receiver.url, '--events', 'run.created']
  await expect(webhooks(...other)).rejects.toThrow(
    `${first.webhook.id} has this URL and no name, but another event_types.`,
  )
  const named = JSON.parse(await webhooks(...other, '--name', 'created runs', '--json'))
  const repeated = new Terminal(environmentOf(service), { isTTY: false })
  await repeated.run('webhooks', ...other, '--name', 'created runs')
  expect(repeated.screen).toMatch(
    /^It exists already\. Its secret was shown when it was created; for a new one: .+ rotate hook_\w+$/m,
  )
  expect(repeated.output).not.toContain('Secret')
  expect(await webhooks('list')).toMatch(new RegExp(`^${named.webhook.id} +created runs +enabled `, 'm'))
  expect(await webhooks('update', named.webhook.id, '--name', 'new runs')).toContain('new runs')
  await expect(webhooks('update', named.webhook.id, '--name', '')).rejects.toThrow('has this URL and no name')
  for (const { webhook } of [first, named]) await webhooks('delete', webhook.id)
})

test('listen and create say what to do if the service does not send to this host, or if the port is in use', async () => {
  const port = new URL(receiver.url).port
  await expect(webhooks('listen', '--port', port)).rejects.toThrow(/address already in use .*\. Choose another port/)
  const strict = await startService()
  const listening = new CliProcess(['webhooks', 'listen', '--port', '0'], environmentOf(strict))
  await listening.says(
    /^The service does not send messages to its own host\. .*RUNWRIGHT_WEBHOOK_PRIVATE_ADDRESSES=allow/m,
  )
  expect(await listening.finished).toMatchObject({ code: 1 })
  const creating = new CliProcess(['webhooks', 'create', receiver.url], environmentOf(strict))
  await creating.says(
    /must use https\. .* need RUNWRIGHT_WEBHOOK_PRIVATE_ADDRESSES=allow at the service: see docs\/webhooks\.md/,
  )
  expect(await creating.finished).toMatchObject({ code: 1 })
  await strict.stop()
})
