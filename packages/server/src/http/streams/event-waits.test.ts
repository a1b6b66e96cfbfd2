// Who may wait, and what ends a wait.
import { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { newRun } from '../../../test/support/new-run.ts'
import type { Principal } from '../../domain/principal.ts'
import { EventFeed } from '../../events/event-feed.ts'
import { EventHub } from '../../events/event-hub.ts'
import { RunCreator } from '../../store/run-log/run-creator.ts'
import { EventWaits } from './event-waits.ts'
import { OpenStreams } from './open-streams.ts'

const run = newRun({ customerId: 'acme' })
let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
  await new RunCreator(fresh.database, () => undefined).create(run)
})
afterAll(() => fresh.drop())

function start({ verdict = 'ok' }: { verdict?: 'ok' | 'API_KEY_REVOKED' } = {}) {
  const hub = new EventHub()
  const open = new OpenStreams({
    times: { idleMs: 60_000, keepAliveMs: 60_000, endedMs: 60_000, slowReaderMs: 60_000 },
    maxPerKey: 2,
    maxPerLimits: 50,
    recheckTokens: async () => new Set(),
    maxPerCustomer: 100,
    recheckKeys: async (ids) => new Map(ids.map((id) => [id, verdict])),
    recheckSessions: async () => new Map(),
  })
  const waits = new EventWaits({ database: fresh.database, feed: new EventFeed(fresh.database, hub), open })
  const poll = ({ keyId = 'key_1', socket = new EventEmitter() } = {}) =>
    waits.findEvents({
      principal: { keyId, customerId: 'acme' } as Principal,
      request: { socket } as IncomingMessage,
      runId: run.id,
      after: 1,
      limit: 100,
      waitMs: 30_000,
    })
  return { hub, open, poll }
}

const firstEnd = (polls: readonly Promise<unknown>[]) =>
  Promise.race(polls.map((poll) => poll.then(() => 'answered').catch(({ reason }) => reason)))

/** The poll has read, and found nothing. */
const waiting = (socket: EventEmitter) => new Promise<void>((resolve) => socket.once('newListener', () => resolve()))

test('waiting polls count as open streams of their key', async () => {
  const { open, poll } = start()
  const polls = [poll(), poll(), poll()]
  expect(await firstEnd(polls)).toBe('STREAM_LIMIT_REACHED')
  open.tick(performance.now() + 31_000)
  expect((await Promise.allSettled(polls)).map(({ status }) => status).sort()).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
  ])
  const socket = new EventEmitter()
  const next = poll({ socket })
  await waiting(socket)
  open.tick(performance.now() + 31_000)
  expect(await next).toEqual([])
})

test('a client that leaves no longer waits, and nothing is left of the poll', async () => {
  const { hub, poll } = start()
  const socket = new EventEmitter()
  const left = poll({ socket })
  await waiting(socket)
  expect(hub.watchedRuns).toEqual([run.id])
  setImmediate(() => socket.emit('close'))
  expect(await left).toEqual([])
  expect(hub.watchedRuns).toEqual([])
  expect(socket.listenerCount('close')).toBe(0)
})

test('a poll ends with its key', async () => {
  const { open, poll } = start({ verdict: 'API_KEY_REVOKED' })
  const socket = new EventEmitter()
  const ended = poll({ socket }).catch(({ reason }) => reason)
  await waiting(socket)
  await open.recheckKeys()
  expect(await ended).toBe('API_KEY_REVOKED')
})
