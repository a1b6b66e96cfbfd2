// Strangers: what a caller without a valid key learns about the service from the routes that are open to everyone.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newUuid } from '../../src/runtime/ids.ts'
import { showWorker } from '../../src/store/runs/workers.ts'
import { consoleHeaders, signIn } from '../support/console-session.ts'
import { Caller, parseRaw, rawExchange } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

interface Deps {
  readonly status: string
  readonly version?: string
  readonly node_version?: string
  readonly breakers?: readonly { readonly model: string }[]
  readonly mcp_changes?: readonly { readonly tool: string }[]
}

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
const known = { version, node_version: process.versions.node }

let service: Service
let stranger: Caller
beforeAll(async () => {
  service = await startService()
  stranger = new Caller(service.url, null)
  const breakers = [{ model: 'internal/model', failures: 5, retryInMs: 600_000 }]
  await showWorker(service.database, { id: newUuid(), places: 1, breakers })
  const { database } = service
  await database.query({
    text: "insert into mcp_tools (server, tool, hash, changed_hash, changed_at) values ('crm', 'find_it', 'a', 'b', now())",
  })
  // Before its key is used for the first time: a process knows a key for 3 seconds.
  await database.query({ text: "update customers set suspended_at = now() where id = 'other'" })
})
afterAll(() => service.stop())

const deps = async (headers: Record<string, string> = {}) => {
  const reply = await stranger.get('/health/deps', headers)
  expect(reply.status).toBe(200)
  return reply.json<Deps>()
}
const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

describe('/health/deps', () => {
  const hidden = ['version', 'node_version', 'breakers', 'mcp_changes'] as const

  test('tells a stranger the state, but neither versions nor the names of models and MCP servers', async () => {
    const shown = await deps()
    expect(shown.status).toBe('ok')
    for (const field of hidden) expect(shown).not.toHaveProperty(field)
  })

  test('tells a caller with a key all of it, whatever its scopes', async () => {
    const { text } = await new Caller(service.url, service.key).send({
      method: 'POST',
      path: '/v1/keys',
      body: { scopes: ['usage:read'] },
    })
    const { key, secret } = JSON.parse(text)
    for (const valid of [service.key, `${key.id}:${secret}`]) {
      const shown = await deps(bearer(valid))
      expect(shown).toMatchObject(known)
      expect(shown.breakers).toEqual([expect.objectContaining({ model: 'internal/model' })])
      expect(shown.mcp_changes).toEqual([expect.objectContaining({ tool: 'find_it' })])
    }
  })

  test('tells a browser that is signed in, and not another site that uses its cookie', async () => {
    const browser = await signIn(service.url, service.key)
    expect((await browser.get('/health/deps')).json<Deps>()).toMatchObject(known)
    const elsewhere = { 'sec-fetch-site': 'cross-site' }
    for (const field of hidden) {
      expect((await browser.get('/health/deps', elsewhere)).json<Deps>()).not.toHaveProperty(field)
      expect(await deps({ cookie: browser.cookie ?? '' })).not.toHaveProperty(field)
    }
    expect(await deps({ ...consoleHeaders, cookie: 'runwright_session=x' })).not.toHaveProperty('version')
  })

  test('treats a key that is not valid as no key, whatever is wrong with it', async () => {
    const admin = new Caller(service.url, service.key)
    const created = (await admin.send({ method: 'POST', path: '/v1/keys', body: {} })).json<{
      key: { id: string }
      secret: string
    }>()
    const revoked = `${created.key.id}:${created.secret}`
    expect(await deps(bearer(revoked))).toMatchObject(known)
    await admin.send({ method: 'DELETE', path: `/v1/keys/${created.key.id}` })
    const without = await deps()
    for (const bad of [`${service.key}x`, 'key_nobody:secret', 'x', revoked, 'x'.repeat(5_000)]) {
      expect(Object.keys(await deps(bearer(bad)))).toEqual(Object.keys(without))
    }
    expect(Object.keys(await deps({ authorization: 'Basic eDp5' }))).toEqual(Object.keys(without))
  })

  test('treats the key of a suspended customer as no key', async () => {
    // Two answers may be of two measurements.
    expect(Object.keys(await deps(bearer(service.otherKey)))).toEqual(Object.keys(await deps()))
  })
})

test('no open route, error or header tells the version of the service or of Node', async () => {
  const paths = ['/health/live', '/health/ready', '/health/deps', '/', '/v1/runs', '/v1/nope', '/nope']
  const replies = await Promise.all(paths.map((path) => stranger.get(path)))
  const malformed = parseRaw(await rawExchange(service.url, 'NONSENSE\r\n\r\n'))
  for (const { text, headers } of [...replies, malformed]) {
    const told = `${JSON.stringify(headers)}\n${text}`
    expect(told).not.toContain(version)
    expect(told).not.toContain(process.versions.node)
    expect(headers).not.toHaveProperty('server')
    expect(headers).not.toHaveProperty('x-powered-by')
  }
  // Its examples have versions, too. The one that counts is that of the API.
  const { info } = (await stranger.get('/openapi.json')).json<{ info: { version: string } }>()
  expect(info.version).toBe('v1')
})
