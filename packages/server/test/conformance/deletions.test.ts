// DELETE /v1/runs/{id} and DELETE /v1/memory/items/{id}.
import type { MemoryList, RunsChanged, Usage } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newWireId } from '../../src/runtime/ids.ts'
import { Driver, remember } from '../support/drive.ts'
import { Caller, emptyRun, expectRefusal } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let acme: Caller
let other: Caller
let driver: Driver
beforeAll(async () => {
  service = await startService()
  acme = new Caller(service.url, service.key)
  other = new Caller(service.url, service.otherKey)
  driver = new Driver(service.database)
})
afterAll(() => service.stop())

const remove = (path: string, caller = acme) => caller.send({ method: 'DELETE', path })

async function endedRun(headers: Record<string, string> = {}): Promise<string> {
  const { id } = (await acme.create(emptyRun, headers)).json<{ id: string }>()
  await driver.toSucceeded(id)
  return id
}

describe('a run', () => {
  test('that has ended is deleted with everything that could be read of it', async () => {
    const id = await endedRun()
    const reply = await remove(`/v1/runs/${id}`)
    expect(reply.status).toBe(200)
    expect(reply.json()).toEqual({ id, deleted: true, request_id: reply.headers['x-request-id'] })
    for (const path of ['', '/events', '/events/stream', '/turns']) {
      expectRefusal(await acme.get(`/v1/runs/${id}${path}`), 404, 'RUN_NOT_FOUND')
    }
    expectRefusal(await acme.post(`/v1/runs/${id}/retry`), 404, 'RUN_NOT_FOUND')
    expectRefusal(await remove(`/v1/runs/${id}`), 404, 'RUN_NOT_FOUND')
  })

  test.each(['queued', 'toRunning', 'toAwaiting', 'toStalled'] as const)('that has not ended stays: %s', async (to) => {
    const { id } = await acme.newRun()
    if (to !== 'queued') await driver[to](id)
    expectRefusal(await remove(`/v1/runs/${id}`), 409, 'RUN_STATE_CONFLICT')
    expect((await acme.get(`/v1/runs/${id}`)).status).toBe(200)
  })

  test('of another customer is not found, like one that does not exist', async () => {
    const id = await endedRun()
    const foreign = await remove(`/v1/runs/${id}`, other)
    expectRefusal(foreign, 404, 'RUN_NOT_FOUND')
    expectRefusal(await remove(`/v1/runs/${newWireId('run')}`), 404, 'RUN_NOT_FOUND')
    expectRefusal(await remove('/v1/runs/nonsense'), 404, 'RUN_NOT_FOUND')
    expect((await acme.get(`/v1/runs/${id}`)).status).toBe(200)
  })

  test('leaves its usage', async () => {
    const usage = async () => (await acme.get('/v1/usage')).json<Usage>().usage
    const id = await endedRun()
    const before = await usage()
    await remove(`/v1/runs/${id}`)
    expect(await usage()).toEqual(before)
  })

  test('leaves the lists that are followed', async () => {
    const id = await endedRun()
    const stream = await acme.stream('/v1/runs/stream?limit=1')
    await stream.until(({ messages }) => messages.some(({ event }) => event === 'runs.page'))
    await remove(`/v1/runs/${id}`)
    const gone = () =>
      stream.messages.flatMap(({ event, data }) =>
        event === 'runs.changed' ? (JSON.parse(data ?? '') as RunsChanged).gone : [],
      )
    await stream.until(() => gone().includes(id))
    stream.close()
  })
})

describe('the idempotency key of a deleted run', () => {
  test('answers 410, with the same and with another body, and again', async () => {
    const key = { 'idempotency-key': 'order-4711' }
    await remove(`/v1/runs/${await endedRun(key)}`)
    for (const body of [emptyRun, { ...emptyRun, input: { other: true } }, emptyRun]) {
      const reply = await acme.create(body, key)
      expectRefusal(reply, 410, 'IDEMPOTENCY_KEY_EXPIRED')
      expect(reply.json()).toMatchObject({ error: 'gone' })
    }
    expect((await other.create(emptyRun, key)).status).toBe(201)
  })

  test('answers 410 also to fifty at once', async () => {
    const key = { 'idempotency-key': 'order-4712' }
    await remove(`/v1/runs/${await endedRun(key)}`)
    const replies = await Promise.all(Array.from({ length: 50 }, () => acme.create(emptyRun, key)))
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([410]))
  })
})

describe('a memory item', () => {
  const titles = async () =>
    (await acme.get('/v1/memory/items?include_harness=true')).json<MemoryList>().items.map(({ title }) => title)

  test('is deleted, also one of the harness', async () => {
    const ids = [
      await remember(service.database, { title: 'note' }),
      await remember(service.database, { title: 'episode', harness: true }),
      await remember(service.database, { title: 'kept' }),
    ]
    for (const id of ids.slice(0, 2)) {
      const reply = await remove(`/v1/memory/items/${id}`)
      expect(reply.status).toBe(200)
      expect(reply.json()).toEqual({ id, deleted: true, request_id: reply.headers['x-request-id'] })
      expectRefusal(await acme.get(`/v1/memory/items/${id}`), 404, 'MEMORY_ITEM_NOT_FOUND')
      expectRefusal(await remove(`/v1/memory/items/${id}`), 404, 'MEMORY_ITEM_NOT_FOUND')
    }
    expect(await titles()).toEqual(['kept'])
  })

  test('of another customer is not found', async () => {
    const id = await remember(service.database, { title: 'mine' })
    expectRefusal(await remove(`/v1/memory/items/${id}`, other), 404, 'MEMORY_ITEM_NOT_FOUND')
    expectRefusal(await remove('/v1/memory/items/nonsense'), 404, 'MEMORY_ITEM_NOT_FOUND')
    expect(await titles()).toContain('mine')
  })
})
