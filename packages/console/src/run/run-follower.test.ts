import type { RunEvent } from '@runwright/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type OpenStream, RunFollower } from './run-follower.ts'

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
  const open: OpenStream = async function* (cursor, signal) {
    cursors.push(cursor)
    const stream = new ReadableStream<RunEvent>({
      start: (own) => {
        controller = own
      },
    })
    const reader = stream.getReader()
    signal.addEventListener('abort', () => void reader.cancel())
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  }
  return {
    open,
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
  const follower = new RunFollower(stream.open)
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
  const follower = new RunFollower(stream.open)
  follower.start()
  stream.send(event(1))
  stream.end()
  await vi.advanceTimersByTimeAsync(0)
  expect(follower.snapshot().connection).toEqual({ is: 'ended' })
  expect(seqsOf(follower)).toEqual([1])
})

test('a lost stream reports the error and keeps the earlier events', async () => {
  const stream = fakeStream()
  const follower = new RunFollower(stream.open)
  const error = new Error('the stream broke')
  follower.start()
  stream.send(event(1))
  await vi.advanceTimersByTimeAsync(100)
  stream.fail(error)
  await vi.advanceTimersByTimeAsync(0)
  expect(follower.snapshot().connection).toEqual({ is: 'broken', error })
  expect(seqsOf(follower)).toEqual([1])
})

test('started again, it continues after the last event', async () => {
  const stream = fakeStream()
  const follower = new RunFollower(stream.open)
  follower.start()
  stream.send(event(1), event(2))
  stream.end()
  await vi.advanceTimersByTimeAsync(0)
  follower.start()
  expect(follower.snapshot().connection).toEqual({ is: 'live' })
  stream.send(event(3))
  await vi.advanceTimersByTimeAsync(100)
  expect(stream.cursors).toEqual([0, 2])
  expect(seqsOf(follower)).toEqual([1, 2, 3])
})

test('after a stop, it reports nothing', async () => {
  const stream = fakeStream()
  const follower = new RunFollower(stream.open)
  follower.start()
  const listener = vi.fn()
  follower.subscribe(listener)
  stream.send(event(1))
  follower.stop()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(listener).not.toHaveBeenCalled()
})
