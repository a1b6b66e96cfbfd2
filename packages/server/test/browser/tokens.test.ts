// A web page of another origin that calls the service directly, with a token that its own server makes.
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Caller } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'
import { withToken, writeToken } from '../support/tokens.ts'
import { sharedBrowser } from './visitor.ts'

const built = fileURLToPath(new URL('../../../client/dist/', import.meta.url))
const secrets = { encryptionKey: Buffer.alloc(32, 1), keyPepper: Buffer.alloc(32, 2) }
const tokens: string[] = []
let service: Service
let acme: Caller
let app: string
let stranger: string
const servers: Server[] = []

/** The application: a page, the client, and the route that gives its user a token. */
async function startApplication(): Promise<string> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://app')
    if (pathname === '/token') return response.end(tokens.shift())
    if (/^\/client\/[\w-]+\.js$/.test(pathname)) {
      response.setHeader('content-type', 'text/javascript')
      return response.end(readFileSync(`${built}${pathname.slice('/client/'.length)}`))
    }
    response.setHeader('content-type', 'text/html')
    return response.end('<!doctype html><title>app</title>')
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

beforeAll(async () => {
  ;[app, stranger] = await Promise.all([startApplication(), startApplication()])
  service = await startService({ RUNWRIGHT_CORS_ORIGINS: app }, { worker: true, secrets })
  acme = new Caller(service.url, service.key)
})
afterAll(async () => {
  for (const server of servers) server.close()
  await service.stop()
})

async function openPage(origin: string) {
  const context = await (await sharedBrowser()).newContext()
  const page = await context.newPage()
  await page.goto(origin)
  return { page, leave: () => context.close() }
}

const story = `(async (url) => {
  const { Runwright } = await import('/client/index.js')
  const client = new Runwright({ baseUrl: url, token: async () => (await fetch('/token')).text() })
  const run = await client.runs.create({ input: { sandbox: { steps: [{ say: 'hello' }] } } })
  const types = []
  for await (const event of client.events.stream(run.id)) types.push(event.type)
  const listed = (await client.runs.list()).runs.map(({ id }) => id)
  const foreign = await client.runs.get(FOREIGN).catch((error) => error.reasonCode)
  return { subject: run.subject_id, last: types.at(-1), listed, id: run.id, foreign }
})(URL)`

test('creates a run, follows it to its end and sees no other; a token that has ended is renewed', async () => {
  const foreign = await acme.newRun({ subject_id: 'you' })
  const writer = { database: service.database, keyPepper: secrets.keyPepper, keyId: 'key_acme' }
  const ended = await writeToken(writer, { limits: { subjectId: 'me' }, expiresAtMs: Date.now() - 60_000 })
  const fresh = await withToken(acme, { scopes: ['runs:read', 'runs:write'], subject_id: 'me', origin: app })
  tokens.push(ended, fresh.key ?? '')
  const { page, leave } = await openPage(app)
  const script = story.replace('FOREIGN', JSON.stringify(foreign.id)).replace('URL', JSON.stringify(service.url))
  const seen = await page.evaluate<{ id: string }>(script)
  expect(seen).toEqual({
    subject: 'me',
    last: 'run.worker.succeeded',
    listed: [seen.id],
    id: seen.id,
    foreign: 'RUN_NOT_FOUND',
  })
  expect(tokens).toEqual([])
  await leave()
})

test('a page of an origin that is not listed can read nothing, even with a good token', async () => {
  const { key } = await withToken(acme, { subject_id: 'me' })
  const read = `fetch(${JSON.stringify(`${service.url}/v1/runs`)}, { headers: { authorization: ${JSON.stringify(`Bearer ${key}`)} } })
    .then(({ status }) => status, (error) => error.name)`
  const [listed, other] = [await openPage(app), await openPage(stranger)]
  expect(await listed.page.evaluate(read)).toBe(200)
  expect(await other.page.evaluate(read)).toBe('TypeError')
  await Promise.all([listed.leave(), other.leave()])
})
