// How the side thread tells from the beats whether the event loop turns.
import inspector from 'node:inspector'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Heartbeat } from './heartbeat.ts'
import { Silence } from './watch.mjs'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

function watched() {
  const heartbeat = new Heartbeat()
  heartbeat.start()
  const silence = new Silence(heartbeat.shared)
  silence.tick()
  return { heartbeat, silence }
}

test('every tick without a beat counts, and a beat ends the count', () => {
  const { silence } = watched()
  expect([silence.tick(), silence.tick()]).toEqual([1, 2])
  vi.advanceTimersByTime(250)
  expect([silence.tick(), silence.tick()]).toEqual([0, 1])
})

test('a heartbeat that was stopped is silent', () => {
  const { heartbeat, silence } = watched()
  heartbeat.stop()
  vi.advanceTimersByTime(1_000)
  expect(silence.tick()).toBe(1)
})

test('ticks do not count while a debugger may have stopped the event loop', () => {
  const { heartbeat, silence } = watched()
  inspector.open(0, '127.0.0.1')
  try {
    heartbeat.beat()
    expect([silence.tick(), silence.tick(), silence.tick()]).toEqual([0, 0, 0])
  } finally {
    inspector.close()
  }
  heartbeat.beat()
  expect([silence.tick(), silence.tick()]).toEqual([0, 1])
})
