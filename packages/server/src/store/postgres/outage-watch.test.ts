import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { DatabaseUnavailableError } from './errors.ts'
import { OutageWatch } from './outage-watch.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const coded = (code: string) => Object.assign(new Error('refused'), { code })

async function answer(watch: OutageWatch, error?: Error): Promise<void> {
  vi.advanceTimersByTime(1_000)
  const work = () => (error ? Promise.reject(error) : Promise.resolve())
  await watch.watch(work).catch(() => undefined)
}

test.each([
  ['no server listens', new DatabaseUnavailableError(coded('ECONNREFUSED'))],
  ['the connection breaks', coded('ECONNRESET')],
  ['the server shuts down', coded('57P01')],
  ['the server became a standby', coded('25006')],
])('an outage lasts from the last answer to the next one: %s', async (_, error) => {
  const watch = new OutageWatch()
  await answer(watch)
  await answer(watch, error)
  await answer(watch, error)
  expect(watch.last).toBeUndefined()
  await answer(watch)
  expect(watch.last).toEqual({ ms: 3_000, endedAt: performance.now() })
  await answer(watch)
  expect(watch.last).toEqual({ ms: 3_000, endedAt: performance.now() - 1_000 })
})

test.each([
  ['a statement is refused', coded('23505')],
  ['a statement waits for a lock', new Error('Query read timeout')],
  ['all connections are in use', new DatabaseUnavailableError(new Error('timeout exceeded when trying to connect'))],
])('it is not an outage when %s', async (_, error) => {
  const watch = new OutageWatch()
  await answer(watch, error)
  await answer(watch)
  expect(watch.last).toBeUndefined()
})
