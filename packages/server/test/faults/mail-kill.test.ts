// A run asks, and its mail is sent once whatever is killed, but for one case: the server has the mail, and the process
// that sent it could not record that. Then it comes again with the same id.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { holdDuty } from '../support/hold-duty.ts'
import { headerOf, MailServer } from '../support/mail-server.ts'
import { type HostedFleet, newFolder, startFleet } from '../support/processes.ts'

let hosted: HostedFleet
let server: MailServer
const password = 'n0t-in-the-log'
beforeAll(async () => {
  server = await new MailServer().start()
  const path = join(await newFolder(), 'mail.json')
  const acme = { default: ['ops@acme.example'] }
  writeFileSync(path, JSON.stringify({ from: 'runwright@example.com', customers: { acme } }))
  const url = `smtp://runwright:${password}@127.0.0.1:${server.port}?tls=off`
  hosted = await startFleet({ env: { RUNWRIGHT_SMTP_URL: url, RUNWRIGHT_MAIL: path } })
  await holdDuty(hosted.database)
})
afterAll(async () => {
  await hosted.close()
  await server.stop()
})

const plan = { steps: [{ id: 'gate', await_input: { prompt: 'Pay?' } }] }
const endLeases = () =>
  hosted.database.run({ text: 'update webhook_deliveries set next_at = now() where next_at is not null' })
const idOf = (nth: number) => headerOf(server.received.all[nth]?.raw ?? '', 'message-id')

test('a mail survives kill -9 of the process that sends it, and the password is in no log', {
  timeout: 120_000,
}, async () => {
  const { fleet, database } = hosted
  const api = await fleet.start('api')
  const first = await fleet.start('worker')
  // The first start has made the mail of the customer when a second process finds nothing to do.
  await expect
    .poll(() => database.run({ text: "select 1 from webhooks where format = 'mail'" }), { timeout: 30_000 })
    .toHaveLength(1)
  server.onMail = () => new Promise(() => undefined)
  const id = await fleet.caller(api).newRunUntil('run.awaiting_input', { plan })
  await server.received.nth(1, () => true)
  await first.kill()

  server.onMail = async () => undefined
  await endLeases()
  const second = await fleet.start('worker')
  await server.received.nth(2, () => true)
  expect(idOf(0)).toMatch(new RegExp(`^<${id}_\\d+@example\\.com>$`))
  expect(idOf(1)).toBe(idOf(0))
  const delivered = 'select 1 from webhook_deliveries where delivered'
  await expect.poll(() => database.run({ text: delivered }), { timeout: 30_000 }).toHaveLength(1)

  await second.kill()
  await endLeases()
  const third = await fleet.start('worker')
  // What was recorded is not sent again: the next question is the next mail.
  await fleet.caller(api).newRunUntil('run.awaiting_input', { plan })
  await server.received.nth(3, () => true)
  expect(idOf(2)).not.toBe(idOf(0))
  for (const { output } of [api, first, second, third]) expect(output).not.toContain(password)
})
