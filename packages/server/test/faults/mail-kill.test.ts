// A run asks, and its mail is sent once whatever is killed, but for one case: the server has the mail, and the process
// that sent it could not record that. Then it comes again with the same id.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { Driver } from '../support/drive.ts'
import { holdDuty } from '../support/hold-duty.ts'
import { headerOf, MailServer, textOf } from '../support/mail-server.ts'
import { type HostedFleet, newFolder, type ServiceProcess, startFleet } from '../support/processes.ts'

let hosted: HostedFleet
let server: MailServer
let api: ServiceProcess
const password = 'n0t-in-the-log'
beforeAll(async () => {
  const path = join(await newFolder(), 'mail.json')
  const acme = { default: ['ops@acme.example'], roles: { board: ['board@acme.example'] } }
  writeFileSync(path, JSON.stringify({ from: 'runwright@example.com', customers: { acme, ghost: acme } }))
  server = await new MailServer().start()
  const url = `smtp://runwright:${password}@127.0.0.1:${server.port}?tls=off`
  hosted = await startFleet({
    env: { RUNWRIGHT_SMTP_URL: url, RUNWRIGHT_MAIL: path, RUNWRIGHT_PUBLIC_URL: 'https://agents.example.com' },
  })
  await holdDuty(hosted.database)
  // A start makes the mail of the customers that are there, and the first API process makes the customer.
  await hosted.fleet.start('api')
  const worker = await hosted.fleet.start('worker')
  await worker.says('customers that get mail')
  await worker.says('RUNWRIGHT_MAIL names customers that this service does not have')
  await worker.kill()
})
beforeEach(async () => {
  api = await hosted.fleet.start('api')
})
afterEach(async () => {
  await hosted.fleet.killAll()
  await hosted.database.run({ text: 'delete from webhook_deliveries' })
  server.received.all.length = 0
  server.onMail = async () => undefined
})
afterAll(async () => {
  await hosted.close()
  await server.stop()
})

const plan = { steps: [{ id: 'gate', await_input: { prompt: 'Pay?' } }] }
const endLeases = () =>
  hosted.database.run({ text: 'update webhook_deliveries set next_at = now() where next_at is not null' })
const allDelivered = () => {
  const undelivered = 'select 1 from webhook_deliveries where not delivered'
  return expect.poll(() => hosted.database.run({ text: undelivered }), { timeout: 30_000 }).toHaveLength(0)
}
const idOf = (nth: number) => headerOf(server.received.all[nth]?.raw ?? '', 'message-id')

test('a mail survives kill -9 of the process that sends it, and the password is in no log', {
  timeout: 120_000,
}, async () => {
  const { fleet } = hosted
  const first = await fleet.start('worker')
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
  await allDelivered()

  await second.kill()
  await endLeases()
  const third = await fleet.start('worker')
  // What was recorded is not sent again: the next question is the next mail.
  await fleet.caller(api).newRunUntil('run.awaiting_input', { plan })
  await server.received.nth(3, () => true)
  expect(idOf(2)).not.toBe(idOf(0))
  for (const { output } of [api, first, second, third]) expect(output).not.toContain(password)
})

test('an escalation survives kill -9 of the process that mails it, and comes no more once it was recorded', {
  timeout: 120_000,
}, async () => {
  const { fleet } = hosted
  const first = await fleet.start('worker')
  const rules = { approvers: ['finance'], escalate_to: ['board'], escalate_after_seconds: 3_600 }
  const escalating = { steps: [{ id: 'gate', await_input: { prompt: 'Pay?', ...rules } }] }
  const id = await fleet.caller(api).newRunUntil('run.awaiting_input', { plan: escalating })
  await server.received.nth(1, () => true)
  await first.kill()
  server.onMail = () => new Promise(() => undefined)
  await endLeases()
  const second = await fleet.start('worker')
  const toBoard = (nth: number) => server.received.nth(nth, ({ to }) => to.includes('board@acme.example'))
  await toBoard(1)
  await second.kill()

  server.onMail = async () => undefined
  await endLeases()
  const third = await fleet.start('worker')
  await toBoard(2)
  await allDelivered()
  await third.kill()
  await endLeases()
  await fleet.start('worker')
  await fleet.caller(api).newRunUntil('run.awaiting_input', { plan })
  await server.received.nth(1, ({ raw }) => !raw.includes(id))
  const escalated = server.received.all.filter(({ to }) => to.includes('board@acme.example'))
  const ids = escalated.map(({ raw }) => headerOf(raw, 'message-id'))
  expect(ids).toEqual([expect.stringMatching(/^<run_.*_escalated@example\.com>$/), ids[0]])
})

test('a list whose sender is killed comes again as it was, and its questions come in no other mail', {
  timeout: 120_000,
}, async () => {
  const { fleet, database } = hosted
  const caller = fleet.caller(api)
  const driver = new Driver(database)
  const ask = async () => {
    const { id } = await caller.newRun()
    return `/decide/${id}/${await driver.toAwaiting(id)}`
  }
  const questions = [await ask(), await ask(), await ask(), await ask(), await ask(), await ask()]
  server.onMail = () => new Promise(() => undefined)
  const first = await fleet.start('worker')
  await server.received.nth(1, () => true)
  await first.kill()

  // Asked while no process sends.
  const later = await ask()
  server.onMail = async () => undefined
  await endLeases()
  const second = await fleet.start('worker')
  await allDelivered()
  await second.kill()
  await endLeases()
  await fleet.start('worker')
  const last = await ask()
  await server.received.nth(4, () => true)

  const mails = server.received.all.map(({ raw }) => ({ id: headerOf(raw, 'message-id'), text: textOf(raw) }))
  expect(mails[0]?.id).toMatch(/^<digest_\w+@example\.com>$/)
  const listing = (question: string) => mails.filter(({ text }) => text.includes(question))
  for (const question of questions) {
    expect(listing(question).map(({ id }) => id)).toEqual([mails[0]?.id, mails[0]?.id])
  }
  expect([...listing(later), ...listing(last)]).toHaveLength(2)
  expect(mails).toHaveLength(4)
})
