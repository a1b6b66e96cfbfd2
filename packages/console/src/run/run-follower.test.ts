import { type RunEvent, RunwrightError } from '@runwright/client'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { silenceMs } from '../parts/silence-watch.ts'
import { lateMs, portionMs, RunFollower, type RunSource } from './run-follower.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const event = (seq: number) =>
  ({
    seq,
    type: 'step.progress',
    timestamp: '2026-11-15T09:30:00.000Z',
    payload: { redacted: false, value: { kind: 'content_delta' } },
  }) satisfies RunEvent

/** A stream that the test controls, and the cursors it was opened with. */
const fakeStream = () => {
  const cursors: number[] = []
  let controller: ReadableStreamDefaultController<RunEvent> | undefined
  const refusals: Error[] = []
  const open: RunSource['open'] = async function* (cursor, { signal, onOpen }) {
    cursors.push(cursor)
    const refused = refusals.shift()
    if (refused) throw refused
    const stream = new ReadableStream<RunEvent>({
      start: (own) => {
        controller = own
      },
    })
    const reader = stream.getReader()
    await Promise.resolve()
    onOpen()
    // A stream that has failed cannot be cancelled.
    signal.addEventListener('abort', () => void reader.cancel().catch((error: unknown) => error))
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  }
  const probe = vi.fn(async () => undefined as unknown)
  return {
    open,
    probe,
    cursors,
    refusals,
    send: (...events: RunEvent[]) => {
      for (const one of events) controller?.enqueue(one)
    },
    end: () => controller?.close(),
    fail: (error: Error) => controller?.error(error),
  }
}

const seqsOf = (follower: RunFollower) => follower.snapshot().events.map(({ seq }) => seq)

test('events in quick succession are delivered together', async () => {
  const stream = fakeStream()
  const follower = new RunFollower(stream)
  const listener = vi.fn()
  follower.start()
  await vi.advanceTimersByTimeAsync(0)
  follower.subscribe(listener)
  stream.send(event(1), event(2), event(3))
  await vi.advanceTimersByTimeAsync(100)
  expect(seqsOf(follower)).toEqual([1, 2, 3])
  expect(listener).toHaveBeenCalledTimes(1)
})

test('the end of the run is reported with its last events', async () => {
  const stream = fakeStream()
  const follower = new RunFollower(stream)
  follower.start()
  stream.send(event(1))
  stream.end()
  await vi.advanceTimersByTimeAsync(0)
  expect(follower.snapshot().connection).toEqual({ kind: 'ended' })
  expect(seqsOf(follower)).toEqual([1])
})

test('a lost stream is opened again after the last event, once the service answers', async () => {
  const stream = fakeStream()
  const follower = new RunFollower(stream)
  follower.start()
  stream.send(event(1))
  await vi.advanceTimersByTimeAsync(100)
  stream.probe.mockRejectedValueOnce(new Error('still down'))
  stream.fail(new Error('the stream broke'))
  await vi.advanceTimersByTimeAsync(0)
  expect(follower.snapshot().connection).toEqual({ kind: 'reconnecting' })
  expect(seqsOf(follower)).toEqual([1])
  await vi.advanceTimersByTimeAsync(500)
  expect(follower.snapshot().connection).toEqual({ kind: 'reconnecting' })
  await vi.advanceTimersByTimeAsync(1_000)
  expect(follower.snapshot().connection).toEqual({ kind: 'live' })
  stream.send(event(2))
  await vi.advanceTimersByTimeAsync(100)
  expect(stream.cursors).toEqual([0, 1])
  expect(seqsOf(follower)).toEqual([1, 2])
})

test('it never gives up', async () => {
  const stream = fakeStream()
  const follower = new RunFollower(stream)
  stream.probe.mockRejectedValue(new RunwrightError('down', { status: 503 }))
  follower.start()
  stream.fail(new Error('the stream broke'))
  await vi.advanceTimersByTimeAsync(60_000)
  expect(follower.snapshot().connection).toEqual({ kind: 'reconnecting' })
  stream.probe.mockResolvedValue(undefined)
  await vi.advanceTimersByTimeAsync(3_000)
  expect(follower.snapshot().connection).toEqual({ kind: 'live' })
})

const kindsOf = (follower: RunFollower) => {
  const kinds: string[] = []
  follower.subscribe(() => kinds.push(follower.snapshot().connection.kind))
  return kinds
}

test('it is live once the stream answers, not before', async () => {
  const stream = fakeStream()
  const follower = new RunFollower(stream)
  const kinds = kindsOf(follower)
  follower.start()
  expect(kinds).toEqual(['connecting'])
  await vi.advanceTimersByTimeAsync(0)
  expect(kinds).toEqual(['connecting', 'live'])
})

test('a stream that is refused beside a service that answers is never called live, and asked for less and less', async () => {
  const stream = fakeStream()
  stream.refusals.push(...Array.from({ length: 20 }, () => new RunwrightError('a proxy refuses', { status: 418 })))
  const follower = new RunFollower(stream)
  const kinds = kindsOf(follower)
  follower.start()
  await vi.advanceTimersByTimeAsync(0)
  for (const [afterMs, asked] of [
    [500, 2],
    [1_000, 3],
    [2_000, 4],
    [3_000, 5],
    [30_000, 15],
  ] as const) {
    await vi.advanceTimersByTimeAsync(afterMs)
    expect(stream.cursors).toHaveLength(asked)
  }
  expect(kinds).toEqual(['connecting', 'reconnecting'])
  await vi.advanceTimersByTimeAsync(30_000)
  expect(kinds).toEqual(['connecting', 'reconnecting', 'live'])
})

test('it waits as long as a refusal asks, up to a minute', async () => {
  const stream = fakeStream()
  const limit = { status: 429, reasonCode: 'STREAM_LIMIT_REACHED' }
  stream.refusals.push(
    new RunwrightError('too many', { ...limit, retryAfter: 5 }),
    new RunwrightError('too many', { ...limit, retryAfter: 3_600 }),
  )
  const follower = new RunFollower(stream)
  follower.start()
  await vi.advanceTimersByTimeAsync(4_999)
  expect(stream.cursors).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(stream.cursors).toHaveLength(2)
  await vi.advanceTimersByTimeAsync(59_999)
  expect(stream.cursors).toHaveLength(2)
  await vi.advanceTimersByTimeAsync(1)
  expect(follower.snapshot().connection).toEqual({ kind: 'live' })
})

describe('a silent stream', () => {
  const silent = async (newest: { seq: number | undefined }) => {
    const stream = fakeStream()
    const findNext = vi.fn(async (cursor: number) => {
      const { seq } = newest
      return seq !== undefined && seq > cursor ? seq : undefined
    })
    const follower = new RunFollower({ ...stream, isThere: async () => undefined, findNext })
    follower.start()
    await vi.advanceTimersByTimeAsync(0)
    stream.send(event(1))
    await vi.advanceTimersByTimeAsync(portionMs)
    return { stream, follower, findNext }
  }

  test('of a quiet run stays live', async () => {
    const { stream, follower, findNext } = await silent({ seq: 1 })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(findNext.mock.calls.length).toBeGreaterThan(10)
    expect(follower.snapshot().connection).toEqual({ kind: 'live' })
    expect(stream.cursors).toEqual([0])
  })

  test('that keeps back an event is dead within 10 seconds, although the service answers', async () => {
    const { stream, follower } = await silent({ seq: 2 })
    const kinds = kindsOf(follower)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(kinds[0]).toBe('reconnecting')
    expect(stream.cursors.slice(0, 2)).toEqual([0, 1])
  })

  test('that delivers the event a moment later is not', async () => {
    const newest = { seq: 1 }
    const { stream, follower } = await silent(newest)
    newest.seq = 2
    const kinds = kindsOf(follower)
    await vi.advanceTimersByTimeAsync(silenceMs - portionMs + lateMs - 1)
    stream.send(event(2))
    await vi.advanceTimersByTimeAsync(silenceMs - 1)
    expect(kinds).toEqual(['live'])
    expect(stream.cursors).toEqual([0])
  })
})

test.each([401, 403, 404])('a refusal with %d ends it', async (status) => {
  const stream = fakeStream()
  const follower = new RunFollower(stream)
  const error = new RunwrightError('refused', { status })
  follower.start()
  await vi.advanceTimersByTimeAsync(0)
  stream.fail(error)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(follower.snapshot().connection).toEqual({ kind: 'broken', error })
  expect(stream.probe).not.toHaveBeenCalled()
})

test.each([400, 418, 502])('an unexpected %d passes', async (status) => {
  const stream = fakeStream()
  const follower = new RunFollower(stream)
  follower.start()
  await vi.advanceTimersByTimeAsync(0)
  stream.fail(new RunwrightError('a proxy answers', { status }))
  await vi.advanceTimersByTimeAsync(500)
  expect(follower.snapshot().connection).toEqual({ kind: 'live' })
})

test('started again, it continues after the last event', async () => {
  const stream = fakeStream()
  const follower = new RunFollower(stream)
  follower.start()
  stream.send(event(1), event(2))
  stream.end()
  await vi.advanceTimersByTimeAsync(0)
  follower.start()
  expect(follower.snapshot().connection).toEqual({ kind: 'connecting' })
  stream.send(event(3))
  await vi.advanceTimersByTimeAsync(100)
  expect(stream.cursors).toEqual([0, 2])
  expect(seqsOf(follower)).toEqual([1, 2, 3])
})

test('after a stop, it reports nothing', async () => {
  const stream = fakeStream()
  const follower = new RunFollower(stream)
  follower.start()
  const listener = vi.fn()
  follower.subscribe(listener)
  stream.send(event(1))
  follower.stop()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(listener).not.toHaveBeenCalled()
})
