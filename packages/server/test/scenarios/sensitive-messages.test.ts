// Tagged values go to the tool that needs them, and stay out of what people receive: messages in Slack and Teams, mail,
// and the page of a decision link.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findSecrets } from '../support/canaries.ts'
import { linkPath, linksOn, sendForm } from '../support/decision-links.ts'
import { type Bench, planned, startBench } from '../support/engine.ts'
import { Caller } from '../support/http.ts'
import { headerOf, MailServer, textOf } from '../support/mail-server.ts'
import { ownTool } from '../support/own-tool.ts'
import { addPerson } from '../support/people.ts'
import { newFolder } from '../support/processes.ts'
import { Receiver } from '../support/receiver.ts'

const secrets = { iban: 'canary "iban" & <kestrel> 4711', pin: 'canary/pin?osprey=8+15 ü' }
const pay = ownTool({ name: 'pay', effect: 'once' })

let bench: Bench
let mail: MailServer
let chat: Receiver
/** Somebody with the link and without a key. */
let browser: Caller
beforeAll(async () => {
  mail = await new MailServer().start()
  chat = await new Receiver().start()
  const path = join(await newFolder(), 'mail.json')
  const customers = { acme: { default: ['ops@acme.example'] } }
  writeFileSync(path, JSON.stringify({ from: 'runwright@example.com', customers }))
  bench = await startBench(
    {
      ...linksOn,
      RUNWRIGHT_SMTP_URL: `smtp://127.0.0.1:${mail.port}?tls=off`,
      RUNWRIGHT_MAIL: path,
      RUNWRIGHT_WEBHOOK_PRIVATE_ADDRESSES: 'allow',
    },
    { tools: [pay] },
  )
  browser = new Caller(bench.service.url, null)
  await addPerson({ url: bench.service.url, admin: bench.acme, database: bench.service.database }, { person: 'ada' })
  for (const format of ['slack', 'teams']) {
    const created = await bench.acme.post('/v1/webhooks', { url: `${chat.url}/${format}`, format })
    expect(created.status, created.text).toBe(201)
  }
})
afterAll(async () => {
  await bench.stop()
  await mail.stop()
  await chat.stop()
})

const paying = () => ({
  ...planned([
    { id: 'gate', await_input: { prompt: 'Send the rent to {{input.iban}} with {{input.pin}}?' } },
    {
      id: 'pay',
      depends_on: ['gate'],
      tool: 'pay',
      input: { to: '{{input.iban}}', pin: '{{input.pin}}', note: 'Rent for {{input.iban}}', amount: 950 },
      approval: { approvals: 1 },
    },
  ]),
  input: secrets,
  metadata: { title: 'The rent of May' },
  sensitivity_tags: [
    { path: '$.input.iban', classification: 'financial' },
    { path: '$.input.pin', classification: 'credential', redaction: 'drop' },
  ],
})

const received = () => ({
  slack: chat.received.all.filter(({ path }) => path.endsWith('slack')).map(({ body }) => body),
  teams: chat.received.all.filter(({ path }) => path.endsWith('teams')).map(({ body }) => body),
  mail: mail.received.all.map(({ raw }) => raw),
})

/** Opens the link to the question that the run has come to, approves, and returns both pages. */
async function approveByLink(id: string, await_seq: number): Promise<string[]> {
  const path = await linkPath(bench.acme, id, { await_seq, person: 'ada' })
  const page = await browser.get(path)
  expect(page.status, page.text).toBe(200)
  const answer = await sendForm(browser, path, { answer: 'approve', reason: '' })
  expect(answer.status, answer.text).toBe(200)
  return [page.text, answer.text]
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }
const withoutEntities = (text: string): string => text.replace(/&(#39|\w+);/g, (all, name) => entities[name] ?? all)

function stringsOf(json: string): string {
  const strings: string[] = []
  JSON.parse(json, (_key, value) => (typeof value === 'string' ? strings.push(value) : value))
  return strings.join('\n')
}

/** As a person reads it. */
const readers: Readonly<Record<string, (text: string) => string>> = {
  slack: (body) => withoutEntities(stringsOf(body)),
  teams: stringsOf,
  mail: (raw) => `${headerOf(raw, 'subject')}\n${textOf(raw)}`,
  page: withoutEntities,
}

test('people see stars or nothing in place of tagged values, and all else', async () => {
  const id = await bench.create(paying())
  const page: string[] = []
  for (const nth of [1, 2]) {
    const await_seq = await bench.waits(id, nth)
    // A question that is answered is no longer sent.
    await mail.received.nth(nth, () => true)
    await chat.received.nth(2 * nth, ({ body }) => body.includes('A run waits for a decision'))
    page.push(...(await approveByLink(id, await_seq)))
    await chat.received.nth(2 * nth, ({ body }) => body.includes('Approved'))
  }
  await bench.ended(id)
  const [call] = pay.callsOf(id)
  const note = `Rent for ${secrets.iban}`
  expect(call?.input).toEqual({ to: secrets.iban, pin: secrets.pin, note, amount: 950 })

  const seen = Object.entries({ ...received(), page }).map(([channel, texts]) => {
    const read = texts.map((text) => readers[channel]?.(text) ?? '').join('\n')
    return { channel, texts: [...texts, read], read }
  })
  const found = seen.flatMap(({ channel, texts }) => texts.flatMap((text) => findSecrets(secrets, channel, text)))
  expect(found).toEqual([])
  for (const { channel, read } of seen) {
    for (const shown of ['The rent of May', 'Send the rent to *** with ***?', '"to": "***"', '"Rent for ***"', ': 950'])
      expect(read, channel).toContain(shown)
    expect(read, channel).not.toContain('"pin"')
  }
})
