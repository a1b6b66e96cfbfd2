// GET /v1/runs/{id}/events/stream: the same events as polling, as they happen, from where the reader left off.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { Driver, deltas } from '../support/drive.ts'
import { Caller, expectRefusal, type SseStream } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let acme: Caller
let driver: Driver
const opened: SseStream[] = []
beforeAll(async () => {
  service = await startService()
  acme = new Caller(service.url, service.key)
  driver = new Driver(service.database)
})
afterEach(() => {
  for (const stream of opened.splice(0)) stream.close()
})
afterAll(() => service.stop())

async function follow(id: string, query = '', headers = {}): Promise<SseStream> {
  const stream = await acme.stream(`/v1/runs/${id}/events/stream${query}`, headers)
  opened.push(stream)
  return stream
}

const seqs = (stream: SseStream) => stream.events.map(({ seq }) => seq)
const hasSeq = (seq: number) => (stream: SseStream) => seqs(stream).includes(seq)
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n)

async function runWithEvents(count: number): Promise<string> {
  const { id } = await acme.newRun()
  await driver.progress(id, { events: deltas(count - 2) })
  return id
}

describe('an open stream', () => {
  test('is text/event-stream that no proxy may buffer, and carries a request id', async () => {
    const stream = await follow((await acme.newRun()).id, '', { 'x-request-id': 'stream-1' })
    expect(stream.status).toBe(200)
    expect(stream.headers['content-type']).toMatch(/^text\/event-stream\b/)
    expect(stream.headers).toMatchObject({ 'x-accel-buffering': 'no', 'x-request-id': 'stream-1' })
  })

  test('tells how soon to come back', async () => {
    const stream = await follow((await acme.newRun()).id)
    await stream.until(hasSeq(1))
    expect(stream.messages.some(({ retry }) => retry === '1000')).toBe(true)
  })

  test('sends each event as id, event and one data line', async () => {
    const id = await runWithEvents(5)
    const stream = await follow(id)
    await stream.until(hasSeq(5))
    const messages = stream.messages.filter(({ data }) => data !== undefined)
    expect(messages.map((message) => [message.id, message.event])).toEqual(
      range(1, 5).map((seq) => [`${seq}`, 'run_event']),
    )
    for (const { raw } of messages) {
      const lines = raw.split('\n').filter((line) => !line.startsWith(':') && !line.startsWith('retry:'))
      expect(lines.map((line) => line.split(':')[0]).sort()).toEqual(['data', 'event', 'id'])
    }
  })

  test('shows exactly the events that polling shows', async () => {
    const id = await runWithEvents(20)
    const stream = await follow(id)
    await stream.until(hasSeq(20))
    expect(stream.events).toEqual(await acme.events(id))
  })

  test('sends a thousand stored events in order, none twice', async () => {
    const id = await runWithEvents(1_000)
    const stream = await follow(id)
    await stream.until(hasSeq(1_000), 10_000)
    expect(seqs(stream)).toEqual(range(1, 1_000))
  })

  test('sends what a request does within a second', async () => {
    const { id } = await acme.newRun()
    const streams = await Promise.all([follow(id), follow(id), follow(id)])
    await Promise.all(streams.map((stream) => stream.until(hasSeq(1))))
    await acme.post(`/v1/runs/${id}/cancel`)
    await Promise.all(streams.map((stream) => stream.until(hasSeq(2), 1_000)))
    for (const stream of streams) expect(stream.events).toEqual(await acme.events(id))
  })

  test('sends what another process wrote within a second, though nobody told it', async () => {
    const { id } = await acme.newRun()
    const stream = await follow(id)
    await stream.until(hasSeq(1))
    await driver.toRunning(id)
    await stream.until(hasSeq(2), 1_000)
    expect(stream.events[1]).toMatchObject({ seq: 2, type: 'run.worker.started' })
  })

  test('shows text that holds line breaks and signs of any kind on one data line', async () => {
    const { id } = await acme.newRun()
    const content_delta = 'a\nb\r\nc\u2028d\u0085e: f 😀 ü "quoted" \\'
    await driver.progress(id, {
      events: [{ type: 'step.progress', payload: { kind: 'content_delta', content_delta } }],
    })
    const stream = await follow(id)
    await stream.until(hasSeq(3))
    expect(stream.events[2]?.payload.value).toEqual({ kind: 'content_delta', content_delta })
  })
})

describe('a reader comes back', () => {
  test.each([
    ['without a word', '', {}, 1],
    ['with cursor=0', '?cursor=0', {}, 1],
    ['with a cursor', '?cursor=3', {}, 4],
    ['with Last-Event-ID', '', { 'last-event-id': '3' }, 4],
    ['with Last-Event-ID 0', '', { 'last-event-id': '0' }, 1],
    ['with a larger cursor', '?cursor=4', { 'last-event-id': '2' }, 5],
    ['with a larger Last-Event-ID', '?cursor=2', { 'last-event-id': '4' }, 5],
    ['with both the same', '?cursor=3', { 'last-event-id': '3' }, 4],
  ])('%s and gets what comes after', async (_case, query, headers, first) => {
    const stream = await follow(await runWithEvents(6), query, headers)
    await stream.until(hasSeq(6))
    expect(seqs(stream)).toEqual(range(first, 6))
  })

  test.each(['?cursor=6', '?cursor=9'])('%s at the end or beyond and gets only what is new there', async (query) => {
    const id = await runWithEvents(6)
    const stream = await follow(id, query)
    await driver.progress(id, { events: deltas(6) })
    await stream.until(hasSeq(12))
    expect(seqs(stream)).toEqual(range(Number(query.slice(8)) + 1, 12))
  })
})

describe('the end of the run', () => {
  const endings: [string, (id: string) => Promise<unknown>][] = [
    ['succeeded', (id) => driver.toSucceeded(id)],
    ['failed', (id) => driver.toFailed(id)],
    ['went over its limit', (id) => driver.toLimitExceeded(id)],
    ['was cancelled', (id) => acme.post(`/v1/runs/${id}/cancel`)],
  ]
  test.concurrent.each(endings)('closes the stream 2 s after the run %s and all was sent', async (_case, end) => {
    const { id } = await acme.newRun()
    const stream = await acme.stream(`/v1/runs/${id}/events/stream`)
    await stream.until(hasSeq(1))
    await end(id)
    const all = await acme.events(id)
    await stream.until(hasSeq(all.length))
    const sentAt = performance.now()
    await stream.closed
    expect(performance.now() - sentAt).toBeGreaterThan(1_000)
    expect(performance.now() - sentAt).toBeLessThan(4_000)
    expect(stream.events).toEqual(all)
  })

  test.concurrent('closes a stream that came later, too, also one that has nothing left to send', async () => {
    const { id } = await acme.newRun()
    await driver.toSucceeded(id)
    const paths = ['', '?cursor=3'].map((query) => `/v1/runs/${id}/events/stream${query}`)
    const streams = await Promise.all(paths.map((path) => acme.stream(path)))
    await Promise.all(streams.map(({ closed }) => closed))
    expect(streams.map((stream) => seqs(stream))).toEqual([[1, 2, 3], []])
  })

  test.concurrent('does not close it when the run is retried at once', async () => {
    const { id } = await acme.newRun()
    await driver.toFailed(id)
    const stream = await acme.stream(`/v1/runs/${id}/events/stream`)
    await stream.until(hasSeq(3))
    await acme.post(`/v1/runs/${id}/retry`)
    await stream.until(hasSeq(4), 1_500)
    stream.close()
  })
})

describe('a stream is refused with the error envelope', () => {
  test.each([
    ...[
      '?cursor=',
      '?cursor=-1',
      '?cursor=x',
      '?cursor=1.5',
      '?cursor=1&cursor=2',
      '?limit=10',
      '?nonsense=1',
      '?cursor',
    ],
  ])('for %s', async (query) => {
    const { id } = await acme.newRun()
    expectRefusal(await acme.get(`/v1/runs/${id}/events/stream${query}`), 400, 'EVENTS_QUERY_PARAMS_INVALID')
  })

  test.each(['x', '-1', '1.5', '1e2', '0x1', '1 2', '1,2', '9'.repeat(400), '9007199254740993', '<script>'])(
    'for Last-Event-ID: %s',
    async (lastEventId) => {
      const { id } = await acme.newRun()
      const reply = await acme.get(`/v1/runs/${id}/events/stream`, { 'last-event-id': lastEventId })
      expectRefusal(reply, 400, 'EVENTS_QUERY_PARAMS_INVALID')
    },
  )

  test('for a bad cursor before it is known whether there is such a run', async () => {
    expectRefusal(await acme.get('/v1/runs/nonsense/events/stream?cursor=x'), 400, 'EVENTS_QUERY_PARAMS_INVALID')
    const reply = await acme.get('/v1/runs/nonsense/events/stream', { 'last-event-id': 'x' })
    expectRefusal(reply, 400, 'EVENTS_QUERY_PARAMS_INVALID')
  })

  test('for an unknown run', async () => {
    for (const id of ['nonsense', 'run_00000000000000000000000000']) {
      expectRefusal(await acme.get(`/v1/runs/${id}/events/stream`), 404, 'RUN_NOT_FOUND')
    }
  })

  test('without a key', async () => {
    const { id } = await acme.newRun()
    const reply = await new Caller(service.url, null).get(`/v1/runs/${id}/events/stream`)
    expectRefusal(reply, 401, 'AUTH_HEADER_MISSING')
  })
})

test('HEAD of a stream answers 200 and ends', async () => {
  const { id } = await acme.newRun()
  const reply = await acme.send({ method: 'HEAD', path: `/v1/runs/${id}/events/stream` })
  expect([reply.status, reply.text]).toEqual([200, ''])
  expect(reply.headers['content-type']).toMatch(/^text\/event-stream\b/)
})

test('readers that hang up leave the service well', async () => {
  const { id } = await acme.newRun()
  const streams = await Promise.all(Array.from({ length: 20 }, () => acme.stream(`/v1/runs/${id}/events/stream`)))
  for (const stream of streams) stream.close()
  await acme.post(`/v1/runs/${id}/cancel`)
  expect((await acme.get('/health/ready')).status).toBe(200)
})
