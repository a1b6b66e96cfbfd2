// Reads that the database takes long for: they are refused after two seconds, in words that are true, and the requests
// of another customer do not wait for them.
import type { ErrorBody } from '@runwright/contract'
import { afterAll, expect, test } from 'vitest'
import { Caller } from '../support/http.ts'
import { startService } from '../support/service.ts'

const service = await startService()
afterAll(() => service.stop())
const caller = new Caller(service.url, service.key)
const neighbour = new Caller(service.url, service.otherKey)

/** As if the table were so large that a read of it takes as long as `work`. */
const whileSlow = (table: string, work: () => Promise<void>) =>
  service.database.transaction(async (client) => {
    await client.query(`lock table ${table} in access exclusive mode`)
    await work()
  })

test('a sum that takes longer than 2 s is refused with QUERY_TOO_EXPENSIVE, not as a lost database', async () => {
  await whileSlow('usage_rows', async () => {
    const reply = await caller.get('/v1/usage/events')
    expect(reply.status).toBe(503)
    expect(reply.headers['retry-after']).toBe('5')
    expect(reply.json<ErrorBody>()).toMatchObject({
      error: 'unavailable',
      reason_code: 'QUERY_TOO_EXPENSIVE',
      message: expect.stringContaining('longer than 2 seconds'),
    })
  })
  expect((await caller.get('/v1/usage/events')).status).toBe(200)
})

test.each([
  ['/v1/memory/export', 'memory_items'],
  ['/v1/runs/stream', 'run_results'],
])('%s is refused in the same way', async (path, table) => {
  await whileSlow(table, async () => {
    const reply = await caller.get(path)
    expect(reply.text).toContain('"reason_code":"QUERY_TOO_EXPENSIVE"')
  })
})

test('a neighbour creates, reads and lists while a customer has twenty of them under way', async () => {
  const { id } = await neighbour.newRun()
  await whileSlow('usage_rows', async () => {
    let ended = 0
    const slow = Array.from({ length: 20 }, async () => {
      const reply = await caller.get('/v1/usage/events')
      ended += 1
      return reply.status
    })
    const replies = await Promise.all(
      ['', `/${id}`, `/${id}/events`, '/counts'].map((path) => neighbour.get(`/v1/runs${path}`)),
    )
    replies.push(await neighbour.create())
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 201])
    expect(ended).toBe(0)
    expect(new Set(await Promise.all(slow))).toEqual(new Set([503, 429]))
  })
})
