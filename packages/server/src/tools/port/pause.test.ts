import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { pause } from './pause.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const start = (seconds: number, signal = new AbortController().signal) => {
  const ended = vi.fn()
  void pause(seconds, signal).then(ended)
  return ended
}

test('ends when its time is over and not before', async () => {
  const ended = start(2.5)
  await vi.advanceTimersByTimeAsync(2499)
  expect(ended).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(ended).toHaveBeenCalledExactlyOnceWith(true)
})

test('of no time ends at once', async () => {
  expect(await pause(0, new AbortController().signal)).toBe(true)
})

test('may be longer than a timer can hold', async () => {
  const days = 24 * 3600
  const ended = start(60 * days)
  await vi.advanceTimersByTimeAsync(59 * days * 1000)
  expect(ended).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1 * days * 1000)
  expect(ended).toHaveBeenCalledExactlyOnceWith(true)
})

test('an abort ends it and leaves no timer behind', async () => {
  const controller = new AbortController()
  const ended = start(Number.POSITIVE_INFINITY, controller.signal)
  await vi.advanceTimersByTimeAsync(1000)
  expect(ended).not.toHaveBeenCalled()
  controller.abort()
  await vi.advanceTimersByTimeAsync(0)
  expect(ended).toHaveBeenCalledExactlyOnceWith(false)
  expect(vi.getTimerCount()).toBe(0)
})

test('a signal that aborted before lets no time pass', async () => {
  expect(await pause(10, AbortSignal.abort())).toBe(false)
})
