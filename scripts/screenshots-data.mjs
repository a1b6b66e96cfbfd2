// What the pictures show: the three example courses, notes, keys, a budget, and one run of a model that keeps its
// turns.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { Runwright } from '../packages/client/dist/index.js'
import { courses } from '../packages/contract/dist/index.js'
import { demoModel } from './screenshots-service.mjs'

const scopes = ['runs:read', 'runs:write', 'runs:signal', 'usage:read', 'memory:read', 'keys:admin', 'webhooks:admin']

const notes = [
  {
    title: 'Suppliers',
    content: 'Oakline delivers in 8 working days with a guarantee of ten years. Nordsitz needs 12 working days.',
    kind: 'fact',
    tags: ['furniture'],
  },
  { title: 'Approval limit', content: 'Orders over €5,000 need an approval.', kind: 'procedure', tags: ['purchasing'] },
  { title: 'Tone of letters', content: 'Letters to suppliers are short and polite.', kind: 'preference', tags: [] },
]

const noteRun = {
  metadata: { title: 'Note what we learned about suppliers' },
  input: {
    goal: 'Keep what the next order needs to know.',
    sandbox: {
      steps: [{ tools: notes.map((input) => ({ name: 'memory_save', input })), say: 'Three notes are kept.' }],
    },
  },
  routing_hint: 'skip_planning',
}

const askedRun = {
  metadata: { title: 'What is 17 times 23?', model: demoModel },
  input: { question: 'What is 17 times 23?' },
  routing_hint: 'skip_planning',
}

/** The policy asks before http_fetch. It is never approved, so no request is sent. */
const paymentRun = {
  metadata: { title: 'Pay invoice 4711' },
  input: {
    goal: 'Pay invoice 4711 of Harbor Prints.',
    sandbox: {
      steps: [
        {
          tools: [
            {
              name: 'http_fetch',
              input: {
                url: 'https://bank.example/v1/payments',
                method: 'POST',
                body: '{"to": "Harbor Prints", "amount_eur": 1472, "reference": "Invoice 4711"}',
              },
            },
          ],
          say: 'The invoice is paid.',
        },
      ],
    },
  },
  routing_hint: 'skip_planning',
}

const courseOf = (name) => courses.find((course) => course.name === name).request
const labels = (workspace_id, subject_id) => ({ workspace_id, subject_id })

class Client {
  #runwright
  #url
  #key

  constructor({ url, key }) {
    this.#runwright = new Runwright({ baseUrl: url, apiKey: key })
    this.#url = url
    this.#key = key
  }

  async create(request) {
    return (await this.#runwright.runs.create(request, { idempotencyKey: randomUUID() })).id
  }

  /** Follows a run until it has an event of this type, and returns its `seq`. */
  async until(id, type) {
    for await (const event of this.#runwright.events.stream(id)) if (event.type === type) return event.seq
    throw new Error(`${id} ended without ${type}`)
  }

  approve(id) {
    return this.#runwright.runs.signal(id, { action: 'approve' }, { idempotencyKey: randomUUID() })
  }

  async send(method, path, body) {
    const headers = { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' }
    const response = await fetch(this.#url + path, { method, headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }
}

/** An endpoint of a webhook that works, and one that does not. */
async function createWebhooks(client) {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(request.url === '/hooks/runs' ? 204 : 503).end()
  })
  server.listen(3000, '127.0.0.1').unref()
  await once(server, 'listening')
  await client.send('POST', '/v1/webhooks', { url: 'http://localhost:3000/hooks/runs' })
  const failures = { url: 'http://localhost:3000/hooks/failed', event_types: ['run.worker.failed'] }
  await client.send('POST', '/v1/webhooks', failures)
}

/** Returns the key to sign in with, the page of a question, and the ids of the runs that the pictures show. */
export async function fillService({ url, createKey }) {
  const key = createKey('Ada Winter', scopes)
  const client = new Client({ url, key })
  await createWebhooks(client)
  await client.send('POST', '/v1/keys', { name: 'nightly reports', scopes: ['runs:read', 'usage:read'] })
  await client.send('POST', '/v1/keys', { name: 'approvers', scopes: ['runs:read', 'runs:signal'] })
  await client.send('PUT', '/v1/budgets/workspaces/purchasing', { period: 'month', tokens: 5_000 })
  const create = async (request, owner, end) => {
    const id = await client.create({ ...request, ...owner })
    await client.until(id, end)
    return id
  }
  const done = await create(courseOf('approval'), labels('purchasing', 'ada'), 'run.awaiting_input')
  // As long as a person takes to read it.
  await setTimeout(2_500)
  await client.approve(done)
  await client.until(done, 'run.worker.succeeded')
  await create(noteRun, labels('purchasing', 'ada'), 'run.worker.succeeded')
  const failed = await create(courseOf('retry'), labels('accounting', 'grace'), 'run.worker.failed')
  const asked = await create(askedRun, labels('support', 'linus'), 'run.worker.succeeded')
  await create(courseOf('stream'), labels('facilities', 'ada'), 'run.worker.succeeded')
  const payment = await client.create({ ...paymentRun, ...labels('accounting', 'grace') })
  const decision = `#/decide/${payment}/${await client.until(payment, 'run.awaiting_input')}`
  const waiting = await create(courseOf('approval'), labels('purchasing', 'ada'), 'run.awaiting_input')
  return { key, decision, runs: { done, failed, asked, waiting } }
}
