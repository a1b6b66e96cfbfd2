import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { DueJobs } from './due-jobs.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())
beforeEach(() => fresh.database.run({ text: 'delete from job_times' }))

const onError = vi.fn()
const { signal } = new AbortController()
beforeEach(() => onError.mockClear())

/** A process with two jobs, and how often each has run in it. */
function startProcess(trim: (signal: AbortSignal) => Promise<unknown> = async () => undefined) {
  const ran = { trim: 0, archive: 0 }
  const count = (name: 'trim' | 'archive', work: typeof trim) => (stopping: AbortSignal) => {
    ran[name] += 1
    return work(stopping)
  }
  const jobs = new DueJobs({
    database: fresh.database,
    onError,
    jobs: [
      { name: 'trim', everySeconds: 600, runOnce: count('trim', trim) },
      { name: 'archive', everySeconds: 3_600, runOnce: count('archive', async () => undefined) },
    ],
  })
  const runOnce = async (stopping = signal) => {
    await jobs.runOnce(stopping)
    await jobs.ended()
  }
  return { ran, jobs, runOnce }
}

const passTime = (interval: string) =>
  fresh.database.run({ text: 'update job_times set ended_at = ended_at - $1::interval', values: [interval] })

test('a new database has all jobs due at once, and then none', async () => {
  const { ran, runOnce } = startProcess()
  await runOnce()
  await runOnce()
  expect(ran).toEqual({ trim: 1, archive: 1 })
})

test('the time counts over restarts and processes', async () => {
  await startProcess().runOnce()
  await passTime('11 minutes')
  const { ran, runOnce } = startProcess()
  await runOnce()
  expect(ran).toEqual({ trim: 1, archive: 0 })
  await passTime('50 minutes')
  await startProcess().runOnce()
  await runOnce()
  expect(ran).toEqual({ trim: 1, archive: 0 })
})

test('a job that the end of its process interrupted is due at once', async () => {
  const stopping = new AbortController()
  await startProcess(async () => stopping.abort()).runOnce(stopping.signal)
  const { ran, runOnce } = startProcess()
  await runOnce()
  expect(ran.trim).toBe(1)
})

test('a job that fails is told, and waits for its time', async () => {
  const { ran, runOnce } = startProcess(() => Promise.reject(new Error('no table')))
  await runOnce()
  await runOnce()
  expect(ran).toEqual({ trim: 1, archive: 1 })
  expect(onError.mock.calls).toEqual([[new Error('no table'), 'trim']])
})

test('a job that takes long runs once, and does not delay the others', async () => {
  const finish = new AbortController()
  const { ran, jobs } = startProcess(() => new Promise((resolve) => finish.signal.addEventListener('abort', resolve)))
  await jobs.runOnce(signal)
  const archived = () =>
    fresh.database.run({
      text: `update job_times set ended_at = now() - interval '2 hours' where job = 'archive' returning 1`,
    })
  await expect.poll(async () => (await archived()).length).toBe(1)
  expect(await jobs.runOnce(signal)).toEqual({ started: 1 })
  finish.abort()
  await jobs.ended()
  expect(ran).toEqual({ trim: 1, archive: 2 })
})
