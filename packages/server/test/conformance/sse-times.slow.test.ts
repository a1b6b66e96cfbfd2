// How event streams end and keep awake: idle timeout, keep-alive comments, revoked keys, shutdown, too many of them.
import type { ErrorBody, KeyWithSecret } from '@runwright/contract'
import { afterAll, describe, expect, test } from 'vitest'
import { Driver } from '../support/drive.ts'
import { Caller, expectRefusal, type SseStream } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

const started = new Set<Service>()
async function start(env: Record<string, string> = {}): Promise<{ service: Service; acme: Caller }> {
  const service = await startService(env)
  started.add(service)
  return { service, acme: new Caller(service.url, service.key) }
}
afterAll(() => Promise.all([...started].map((service) => service.stop())))

const follow = async (caller: Caller, id: string) => caller.stream(`/v1/runs/${id}/events/stream`)
const hasEvents = (count: number) => (stream: SseStream) => stream.events.length >= count
const errorsOf = (stream: SseStream) => stream.messages.filter(({ event }) => event === 'error')
const hasError = (stream: SseStream) => errorsOf(stream).length > 0

const envelope = (stream: SseStream, reason_code: string, error: string) => ({
  error,
  reason_code,
  message: expect.stringMatching(/\S/),
  request_id: stream.headers['x-request-id'],
})

describe('with an idle timeout of half a second', () => {
  test.concurrent('a stream without events closes after it, and one with events does not', async () => {
    const { service, acme } = await start({ RUNWRIGHT_SSE_IDLE_SECONDS: '0.5', RUNWRIGHT_SSE_KEEPALIVE_SECONDS: '0.1' })
    const { id } = await acme.newRun()
    const stream = await follow(acme, id)
    await stream.until(hasEvents(1))
    const from = performance.now()
    await stream.closed
    expect(performance.now() - from).toBeGreaterThan(350)
    expect(performance.now() - from).toBeLessThan(2_500)
    expect(errorsOf(stream)).toEqual([])
    const again = await acme.stream(`/v1/runs/${id}/events/stream?cursor=1`)
    await new Driver(service.database).toRunning(id)
    await again.closed
    expect(again.status).toBe(200)
  })

  test.concurrent('each event starts it again', async () => {
    const { acme } = await start({ RUNWRIGHT_SSE_IDLE_SECONDS: '0.5' })
    const { id } = await acme.newRun()
    const stream = await follow(acme, id)
    await stream.until(hasEvents(1))
    const from = performance.now()
    await acme.post(`/v1/runs/${id}/cancel`)
    await stream.until(hasEvents(2))
    await stream.closed
    expect(performance.now() - from).toBeGreaterThan(400)
  })
})

test.concurrent('comments keep a silent stream awake, and are nothing but comments', async () => {
  const { acme } = await start({ RUNWRIGHT_SSE_KEEPALIVE_SECONDS: '0.2' })
  const stream = await follow(acme, (await acme.newRun()).id)
  await stream.until(({ comments }) => comments.length >= 3, 3_000)
  expect(stream.events).toHaveLength(1)
  expect(errorsOf(stream)).toEqual([])
  stream.close()
})

test.concurrent('a service that shuts down tells its streams, then closes them', async () => {
  const { service, acme } = await start()
  const stream = await follow(acme, (await acme.newRun()).id)
  await stream.until(hasEvents(1))
  started.delete(service)
  await Promise.all([service.stop(), stream.until(hasError, 3_000), stream.closed])
  expect(errorsOf(stream).map(({ data }) => JSON.parse(data ?? ''))).toEqual([
    envelope(stream, 'SHUTTING_DOWN', 'unavailable'),
  ])
})

describe('what takes its time', () => {
  test.concurrent('a revoked key ends its streams within 30 s with an error event, and no others', async () => {
    const { acme } = await start()
    const { key, secret } = (await acme.post('/v1/keys', { scopes: ['runs:read'] })).json<KeyWithSecret>()
    const { id } = await acme.newRun()
    const [theirs, ours] = [await follow(new Caller(acme.url, `${key.id}:${secret}`), id), await follow(acme, id)]
    await Promise.all([theirs.until(hasEvents(1)), ours.until(hasEvents(1))])
    await acme.send({ method: 'DELETE', path: `/v1/keys/${key.id}` })
    await theirs.until(hasError, 30_000)
    await theirs.closed
    expect(JSON.parse(errorsOf(theirs)[0]?.data ?? '') as ErrorBody).toEqual(
      envelope(theirs, 'API_KEY_REVOKED', 'unauthorized'),
    )
    expect(theirs.messages.at(-1)?.event).toBe('error')
    await acme.post(`/v1/runs/${id}/cancel`)
    await ours.until(hasEvents(2), 1_000)
    ours.close()
  }, 45_000)

  test.concurrent('the stream after the thousandth of a key is refused, one of another key is not', async ({
    expect,
  }) => {
    const { service, acme } = await start({ RUNWRIGHT_RATE_LIMIT_PER_SECOND: '0' })
    const { id } = await acme.newRun()
    const streams: SseStream[] = []
    for (let n = 0; n < 10; n += 1) {
      streams.push(...(await Promise.all(Array.from({ length: 100 }, () => follow(acme, id)))))
    }
    expect(streams.map(({ status }) => status)).toEqual(Array(1_000).fill(200))
    expectRefusal(await acme.get(`/v1/runs/${id}/events/stream`), 429, 'STREAM_LIMIT_REACHED')
    const other = new Caller(service.url, service.otherKey)
    streams.push(await follow(other, (await other.newRun()).id))
    expect(streams.at(-1)?.status).toBe(200)
    for (const stream of streams) stream.close()
    await expect
      .poll(async () => {
        const again = await follow(acme, id)
        again.close()
        return again.status
      })
      .toBe(200)
  })
})
