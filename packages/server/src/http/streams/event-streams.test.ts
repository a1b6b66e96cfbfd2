// The limits of open streams, with requests that arrive at the same time.
import type { IncomingHttpHeaders } from 'node:http'
import { request } from 'node:http'
import { fastify } from 'fastify'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { newRun } from '../../../test/support/new-run.ts'
import type { Principal } from '../../domain/principal.ts'
import { EventFeed } from '../../events/event-feed.ts'
import { EventHub } from '../../events/event-hub.ts'
import { toWireId } from '../../runtime/ids.ts'
import { RunCreator } from '../../store/run-log/run-creator.ts'
import type { Gate } from '../server/admission/admission.ts'
import { EventStreams } from './event-streams.ts'
import { OpenStreams } from './open-streams.ts'

const run = newRun({ customerId: 'acme' })
let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
  await new RunCreator(fresh.database, () => undefined).create(run)
})
afterAll(() => fresh.drop())

/** The `authorization` of a request is the id of its key; all keys are of one customer. */
const gate = {
  admit: ({ authorization = '' }: IncomingHttpHeaders): Principal => ({
    ...(authorization.startsWith('tok_') && { token: tokenOf(authorization) }),
    keyId: authorization,
    keyName: null,
    customerId: 'acme',
    scopes: new Set(['runs:read'] as const),
    suspended: false,
  }),
  walls: { check: () => undefined },
} as unknown as Gate

const tokenOf = (limitsId: string) => ({ keyId: '', secretMark: '', scopes: [], limitsId, expiresAtMs: 0 })

async function start(limits: { maxPerKey: number; maxPerCustomer: number }) {
  const streams = new EventStreams({
    database: fresh.database,
    feed: new EventFeed(fresh.database, new EventHub()),
    open: new OpenStreams({
      times: { idleMs: 60_000, keepAliveMs: 60_000, endedMs: 60_000, slowReaderMs: 60_000 },
      maxPerLimits: 2,
      recheckTokens: async () => new Set(),
      recheckKeys: async () => new Map(),
      recheckSessions: async () => new Map(),
      ...limits,
    }),
  })
  const app = fastify({ forceCloseConnections: true })
  app.setErrorHandler((error: { reason?: string }, _request, reply) => reply.code(429).send(error.reason))
  streams.mount(app, gate)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => app.close())
  return (keyId: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const path = `${url}/v1/runs/${toWireId('run', run.id)}/events/stream`
      request(path, { agent: false, headers: { authorization: keyId } }, ({ statusCode }) => resolve(statusCode))
        .once('error', reject)
        .end()
    })
}

const countOk = (statuses: readonly (number | undefined)[]) => statuses.filter((status) => status === 200).length

test('requests at the same time do not pass the limit of their key', async () => {
  const open = await start({ maxPerKey: 3, maxPerCustomer: 100 })
  const statuses = await Promise.all(Array.from({ length: 20 }, () => open('key_1')))
  expect(countOk(statuses)).toBe(3)
  expect(await open('key_2')).toBe(200)
})

test('the keys of a customer share its limit', async () => {
  const open = await start({ maxPerKey: 3, maxPerCustomer: 5 })
  const statuses = await Promise.all(Array.from({ length: 20 }, (_, n) => open(`key_${n % 10}`)))
  expect(countOk(statuses)).toBe(5)
  expect(await open('key_11')).toBe(429)
})

test('tokens with the same limits share a limit of their own', async () => {
  const open = await start({ maxPerKey: 100, maxPerCustomer: 100 })
  const statuses = await Promise.all(Array.from({ length: 20 }, () => open('tok_me')))
  expect(countOk(statuses)).toBe(2)
  expect(await open('tok_you')).toBe(200)
  expect(await open('key_1')).toBe(200)
})
