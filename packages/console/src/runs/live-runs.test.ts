import { RunwrightError } from '@runwright/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { answerMs, silenceMs } from '../parts/silence-watch.ts'
import { LiveRuns, type RunPage } from './live-runs.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const page: RunPage = { runs: [], next_cursor: null }

/** Each time it is opened, a list sends a page. Then it is silent until it fails. */
const source = () => {
  const fails: ((error: Error) => void)[] = []
  async function* watch({ signal }: { signal: AbortSignal }) {
    yield page
    await new Promise((_, reject) => {
      fails.push(reject)
      signal.addEventListener('abort', () => reject(new Error('aborted')))
    })
  }
  const isThere = vi.fn(async (signal: AbortSignal): Promise<unknown> => signal)
  return { watch, isThere, fails }
}

const opened = async (list: ReturnType<typeof source>) => {
  const runs = new LiveRuns(list)
  const close = runs.subscribe(() => undefined)
  await vi.advanceTimersByTimeAsync(0)
  expect(runs.snapshot()).toEqual({ page, error: undefined, isReconnecting: false })
  return { runs, close }
}

test.each([undefined, 400, 418, 502])('after an unexpected answer with status %s, it opens again', async (status) => {
  const list = source()
  const { runs } = await opened(list)
  list.fails[0]?.(new RunwrightError('a proxy answers', { status }))
  await vi.advanceTimersByTimeAsync(0)
  expect(runs.snapshot()).toMatchObject({ page, error: undefined, isReconnecting: true })
  await vi.advanceTimersByTimeAsync(1_000)
  expect(runs.snapshot().isReconnecting).toBe(false)
  expect(list.fails).toHaveLength(2)
})

test.each([
  [401, undefined],
  [403, undefined],
  [404, undefined],
  [400, 'QUERY_PARAMS_INVALID'],
])('a refusal with %d %s ends it', async (status, reasonCode) => {
  const list = source()
  const { runs } = await opened(list)
  const error = new RunwrightError('refused', { status, reasonCode })
  list.fails[0]?.(error)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(runs.snapshot()).toEqual({ page, error, isReconnecting: false })
  expect(list.fails).toHaveLength(1)
})

test('a quiet list stays as long as the service is there', async () => {
  const list = source()
  const { runs } = await opened(list)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(list.isThere.mock.calls.length).toBeGreaterThan(10)
  expect(runs.snapshot().isReconnecting).toBe(false)
  expect(list.fails).toHaveLength(1)
})

test('a list that is silent because the service is gone says so within 10 seconds', async () => {
  const list = source()
  const { runs } = await opened(list)
  list.isThere.mockImplementation(
    (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  )
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    const timeout = new AbortController()
    setTimeout(() => timeout.abort(), ms)
    return timeout.signal
  })
  expect(silenceMs + answerMs).toBeLessThan(10_000)
  await vi.advanceTimersByTimeAsync(silenceMs + answerMs)
  expect(runs.snapshot()).toMatchObject({ page, isReconnecting: true })
  vi.restoreAllMocks()
})

test('after the last listener has gone, nothing is asked', async () => {
  const list = source()
  const { close } = await opened(list)
  close()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(list.isThere).not.toHaveBeenCalled()
})
