// What people receive about a question that names who decides: its mail goes to their addresses, and the chat says who
// decides, and then who has decided what.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Bench, outline, planned, startBench } from '../support/engine.ts'
import { MailServer } from '../support/mail-server.ts'
import { addPerson } from '../support/people.ts'
import { newFolder } from '../support/processes.ts'
import { Receiver } from '../support/receiver.ts'

let bench: Bench
let mail: MailServer
let chat: Receiver
beforeAll(async () => {
  mail = await new MailServer().start()
  chat = await new Receiver().start()
  const path = join(await newFolder(), 'mail.json')
  const acme = { default: ['ops@acme.example'], roles: { finance: ['ada@acme.example'] } }
  writeFileSync(path, JSON.stringify({ from: 'runwright@example.com', customers: { acme } }))
  bench = await startBench({
    RUNWRIGHT_SMTP_URL: `smtp://127.0.0.1:${mail.port}?tls=off`,
    RUNWRIGHT_MAIL: path,
    RUNWRIGHT_WEBHOOK_PRIVATE_ADDRESSES: 'allow',
  })
})
afterAll(async () => {
  await bench.stop()
  await mail.stop()
  await chat.stop()
})

test('a question for a role reaches its people, and the chat learns who has denied the call', async () => {
  const created = await bench.acme.post('/v1/webhooks', { url: chat.url, format: 'slack' })
  expect(created.status, created.text).toBe(201)
  const { caller } = await addPerson(
    { url: bench.service.url, admin: bench.acme, database: bench.service.database },
    { person: 'ada', roles: ['finance'] },
  )
  const step = { tool: 'calculator', input: { expression: '1 + 1' }, max_attempts: 1 }
  const id = await bench.create({
    ...planned([step]),
    metadata: { tool_policy: { calculator: { rule: 'ask', approvers: ['finance'] } } },
  })
  await mail.received.nth(1, () => true)
  await chat.received.nth(1, ({ body }) => body.includes(id))
  expect(mail.received.all.map(({ to }) => to)).toEqual([['ada@acme.example']])
  expect(chat.received.all[0]?.body).toMatch(/Who decides[^"]*finance/)

  const denied = await caller.post(`/v1/runs/${id}/signal`, { action: 'submit_input', call: { deny: 'Paid already' } })
  expect(denied.status, denied.text).toBe(200)
  expect(outline(await bench.ended(id)).at(-1)).toBe('failed tool_failed')
  await chat.received.nth(2, ({ body }) => body.includes(id))
  const answer = chat.received.all[1]?.body
  expect(answer).toContain('Denied')
  expect(answer).toContain('ada (finance)')
})
