import { describe, expect, test } from 'vitest'
import { breaksAfter, frame, refuses, runId, sends, startEventServer } from '../test/event-server.ts'
import { refusal } from '../test/protocol-server.ts'
import type { RunEvent } from './run-event.ts'

const ended = (lastSeq: number) => ({ status: 'succeeded', lastSeq })
const hint = 'retry: 1\n\n'

const collect = async (events: AsyncIterable<RunEvent>) => {
  const all: RunEvent[] = []
  for await (const event of events) all.push(event)
  return all
}

const seqsOf = async (events: AsyncIterable<RunEvent>) => (await collect(events)).map(({ seq }) => seq)

describe('a stream', () => {
  test('yields every event and ends when the run ends', async () => {
    const body = [hint, frame(1, 'run.created'), ': keep-alive\n\n', frame(2), frame(3, 'run.worker.succeeded')]
    const { client, streams } = await startEventServer(ended(3), sends(...body))
    expect(await seqsOf(client.events.stream(runId))).toEqual([1, 2, 3])
    expect(streams()[0]).toMatchObject({
      query: { cursor: '0' },
      headers: { accept: 'text/event-stream', authorization: 'Bearer key_1:secret' },
    })
  })

  test.each(['run.worker.succeeded', 'run.worker.failed', 'run.cancelled', 'run.limit_exceeded'] as const)(
    'ends after %s although the connection stays open',
    async (type) => {
      const { client } = await startEventServer(ended(1), (response) => response.write(frame(1, type)))
      expect(await seqsOf(client.events.stream(runId))).toEqual([1])
    },
  )

  test('starts after the cursor', async () => {
    const { client, streams } = await startEventServer(ended(8), sends(frame(8, 'run.cancelled')))
    expect(await seqsOf(client.events.stream(runId, { cursor: 7 }))).toEqual([8])
    expect(streams()[0]?.query).toEqual({ cursor: '7' })
  })

  test('parses CRLF, multi-line data and arbitrary chunks', async () => {
    const crlf = frame(1).replaceAll('\n', '\r\n')
    const lines = frame(2, 'run.cancelled').replace('"type"', '\ndata: "type"')
    const bytes = Buffer.from(crlf.replace('{}', '{"say":"é…"}') + lines)
    const { client } = await startEventServer(ended(2), async (response) => {
      for (const byte of bytes) await new Promise((written) => response.write(Buffer.of(byte), written))
    })
    const [first, second] = await collect(client.events.stream(runId))
    expect([first?.payload.value, second?.seq]).toEqual([{ say: 'é…' }, 2])
  })

  test('ignores messages of another type', async () => {
    const other = 'event: weather\ndata: rain\n\n'
    const { client } = await startEventServer(ended(1), sends(other, frame(1, 'run.cancelled')))
    expect(await seqsOf(client.events.stream(runId))).toEqual([1])
  })
})

describe('after a connection', () => {
  test('lost in the middle of an event, it continues after the last complete one', async () => {
    const half = frame(3).slice(0, 40)
    const { client, streams } = await startEventServer(
      ended(4),
      breaksAfter(hint, frame(1), frame(2), half),
      sends(frame(3), frame(4, 'run.worker.succeeded')),
    )
    expect(await seqsOf(client.events.stream(runId))).toEqual([1, 2, 3, 4])
    expect(streams().map(({ query }) => query.cursor)).toEqual(['0', '2'])
  })

  test('closed as idle, it reconnects with the last seq', async () => {
    const run = { status: 'running', lastSeq: 2 }
    const { client, streams } = await startEventServer(run, sends(hint, frame(1)), sends(frame(2, 'run.cancelled')))
    expect(await seqsOf(client.events.stream(runId))).toEqual([1, 2])
    expect(streams().map(({ query }) => query.cursor)).toEqual(['0', '1'])
  })

  test('it drops events it has already seen', async () => {
    const again = sends(frame(1), frame(2), frame(2), frame(3, 'run.cancelled'))
    const { client } = await startEventServer(ended(3), breaksAfter(hint, frame(1), frame(2)), again)
    expect(await seqsOf(client.events.stream(runId))).toEqual([1, 2, 3])
  })

  test.each(['SHUTTING_DOWN', 'DATABASE_UNAVAILABLE', 'CUSTOMER_MOVING'])(
    'that reported %s, it reconnects',
    async (code) => {
      const failure = `event: error\ndata: ${JSON.stringify(refusal('unavailable', code))}\n\n`
      const { client } = await startEventServer(ended(2), sends(frame(1), failure), sends(frame(2, 'run.cancelled')))
      expect(await seqsOf(client.events.stream(runId))).toEqual([1, 2])
    },
  )

  test('that reported a revoked key, it throws', async () => {
    const failure = `event: error\ndata: ${JSON.stringify(refusal('unauthorized', 'API_KEY_REVOKED'))}\n\n`
    const { client, streams } = await startEventServer(ended(2), sends(frame(1), failure))
    const expected = { name: 'RunwrightError', status: 401, reasonCode: 'API_KEY_REVOKED', requestId: 'req_1' }
    await expect(seqsOf(client.events.stream(runId))).rejects.toMatchObject(expected)
    expect(streams()).toHaveLength(1)
  })

  test('without data, it reconnects', async () => {
    const silent = sends(frame(2, 'run.cancelled'))
    const { client } = await startEventServer(ended(2), (response) => response.write(hint + frame(1)), silent)
    expect(await seqsOf(client.events.stream(runId, { idleTimeoutMs: 50 }))).toEqual([1, 2])
  })

  test('it says when one is open, and not when one is refused', async () => {
    const down = refuses(503, refusal('unavailable', 'OVERLOADED'))
    const { client } = await startEventServer(ended(2), down, sends(hint, frame(1)), sends(frame(2, 'run.cancelled')))
    const told: unknown[] = []
    for await (const { seq } of client.events.stream(runId, { onOpen: () => told.push('open') })) told.push(seq)
    expect(told).toEqual(['open', 1, 'open', 2])
  })

  test('refused with a transient error, it tries again', async () => {
    const busy = refuses(429, refusal('rate_limited', 'STREAM_LIMIT_REACHED'))
    const { client } = await startEventServer(ended(1), busy, refuses(502, '<html>'), sends(frame(1, 'run.cancelled')))
    expect(await seqsOf(client.events.stream(runId))).toEqual([1])
  })

  test.each([
    [400, 'EVENTS_QUERY_PARAMS_INVALID'],
    [401, 'API_KEY_INVALID'],
    [403, 'SCOPE_DENIED'],
    [404, 'RUN_NOT_FOUND'],
  ])('refused with %d, it throws', async (status, reasonCode) => {
    const { client, streams } = await startEventServer(ended(1), refuses(status, refusal('x', reasonCode)))
    await expect(seqsOf(client.events.stream(runId))).rejects.toMatchObject({ status, reasonCode })
    expect(streams()).toHaveLength(1)
  })

  test('after too many failures in a row, it throws the last one', async () => {
    const down = refuses(503, refusal('unavailable', 'OVERLOADED'))
    const { client, streams } = await startEventServer(ended(1), down, down, down, down, down)
    await expect(seqsOf(client.events.stream(runId))).rejects.toMatchObject({ reasonCode: 'OVERLOADED' })
    expect(streams()).toHaveLength(4)
  })

  test('an event resets the count of failures', async () => {
    const broken = [1, 2, 3, 4, 5].map((seq) => breaksAfter(hint, frame(seq)))
    const { client } = await startEventServer(ended(6), ...broken, sends(frame(6, 'run.cancelled')))
    expect(await seqsOf(client.events.stream(runId, { maxRetries: 1 }))).toEqual([1, 2, 3, 4, 5, 6])
  })
})

describe('the end of a run', () => {
  test('is detected when the cursor is at the last event', async () => {
    const { client } = await startEventServer(ended(9), sends(hint))
    expect(await seqsOf(client.events.stream(runId, { cursor: 9 }))).toEqual([])
  })

  test('that happened while a connection closed is not missed', async () => {
    const { client } = await startEventServer(ended(2), sends(hint, frame(1)), sends(frame(2, 'run.cancelled')))
    expect(await seqsOf(client.events.stream(runId))).toEqual([1, 2])
  })

  test('is not a failure that was retried', async () => {
    const history = [
      frame(1, 'run.worker.failed'),
      frame(2, 'run.worker.retry_scheduled'),
      frame(3, 'run.worker.succeeded'),
    ]
    const { client, streams } = await startEventServer(ended(3), sends(...history))
    expect(await seqsOf(client.events.stream(runId))).toEqual([1, 2, 3])
    expect(streams()).toHaveLength(1)
  })

  test('does not end a stream that is kept open', async () => {
    const next = sends(frame(2, 'run.worker.retry_scheduled'))
    const { client, streams } = await startEventServer(ended(1), sends(hint, frame(1, 'run.worker.failed')), next)
    const events = client.events.stream(runId, { keepOpen: true })
    expect([(await events.next()).value?.seq, (await events.next()).value?.seq]).toEqual([1, 2])
    await events.return()
    expect(streams()).toHaveLength(2)
  })
})

describe('a reader', () => {
  test('that stops reading closes the connection', async () => {
    let close = () => {}
    const closed = new Promise<void>((resolve) => {
      close = resolve
    })
    const { client } = await startEventServer(ended(9), (response) => {
      response.on('close', close).write(frame(1) + frame(2))
    })
    for await (const _event of client.events.stream(runId)) break
    await closed
  })

  test('that aborts while it waits for an event gets its reason', async () => {
    const controller = new AbortController()
    const { client } = await startEventServer(ended(9), (response) => response.write(frame(1)))
    const events = client.events.stream(runId, { signal: controller.signal, maxRetries: 0 })
    await events.next()
    const next = events.next()
    controller.abort(new Error('enough'))
    await expect(next).rejects.toThrow('enough')
  })

  test('that aborts while it waits for a reconnect gets its reason', async () => {
    const controller = new AbortController()
    const slow = sends('retry: 60000\n\n', frame(1))
    const run = { status: 'running', lastSeq: 1 }
    const { client, requests } = await startEventServer(run, slow)
    const reading = seqsOf(client.events.stream(runId, { signal: controller.signal }))
    await expect.poll(() => requests.map(({ path }) => path)).toContain(`/v1/runs/${runId}`)
    controller.abort(new Error('enough'))
    await expect(reading).rejects.toThrow('enough')
  })
})
