import { type RunEvent, RunwrightError } from '@runwright/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { RunFollower, type RunSource } from './run-follower.ts'

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
  const open: RunSource['open'] = async function* (cursor, signal) {
    cursors.push(cursor)
    const stream = new ReadableStream<RunEvent>({
      start: (own) => {
        controller = own
      },
    })
    const reader = stream.getReader()
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
  await vi.advanceTimersByTimeAsync(500)
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
  await vi.advanceTimersByTimeAsync(1_000)
  expect(follower.snapshot().connection).toEqual({ kind: 'live' })
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
  expect(follower.snapshot().connection).toEqual({ kind: 'live' })
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
