import { afterEach, describe, expect, test } from 'vitest'
import { type PoolOptions, ThreadPool } from './thread-pool.ts'

type Job = { readonly do: 'echo' | 'hang' | 'exit' | 'throw' | 'fill' } | { readonly hold: SharedArrayBuffer }

const file = new URL('../../../test/support/obedient-thread.mjs', import.meta.url)
const pools: ThreadPool<Job, string>[] = []
const newPool = (options: Partial<PoolOptions> = {}, jobSeconds = 60): ThreadPool<Job, string> => {
  const pool = new ThreadPool<Job, string>({
    thread: { file, resourceLimits: { maxOldGenerationSizeMb: 16 }, jobSeconds },
    maxThreads: 1,
    maxWaiting: { perCustomer: 100, total: 1_000 },
    ...options,
  })
  pools.push(pool)
  return pool
}
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.stop()
})

const echo: Job = { do: 'echo' }
const acme = { customerId: 'acme' }
const other = { customerId: 'other' }

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** A job that ends when it is released. */
function held() {
  const hold = new SharedArrayBuffer(4)
  const release = () => {
    Atomics.store(new Int32Array(hold), 0, 1)
    Atomics.notify(new Int32Array(hold), 0)
  }
  return { job: { hold }, release }
}

test('a thread does one job after another', async () => {
  const pool = newPool()
  expect(await pool.execute(echo, acme)).toBe('done')
  expect(await pool.execute(echo, acme)).toBe('done')
  expect(pool.startedThreads).toBe(1)
})

describe('a thread is replaced', () => {
  test.each([
    ['hangs', 'hang', 'timed_out', 1],
    ['exits', 'exit', 'crashed', 60],
    ['throws', 'throw', 'crashed', 60],
    ['runs out of memory', 'fill', 'crashed', 60],
  ] as const)('that %s', async (_, deed, ended, jobSeconds) => {
    const pool = newPool({}, jobSeconds)
    expect(await pool.execute({ do: deed }, acme)).toEqual({ ended })
    expect(await pool.execute(echo, acme)).toBe('done')
    expect(pool.startedThreads).toBe(2)
  })

  test('whose job is aborted, and a job that waits is not begun', async () => {
    const pool = newPool()
    const [running, waiting] = [new AbortController(), new AbortController()]
    const ends = [running, waiting].map(({ signal }) => pool.execute({ do: 'hang' }, { ...acme, signal }))
    const next = pool.execute(echo, acme)
    waiting.abort()
    running.abort()
    expect(await Promise.all(ends)).toEqual([{ ended: 'aborted' }, { ended: 'aborted' }])
    expect(await next).toBe('done')
    expect(pool.startedThreads).toBe(2)
  })
})

test('a job that came with an aborted signal starts no thread', async () => {
  const pool = newPool()
  expect(await pool.execute(echo, { ...acme, signal: AbortSignal.abort() })).toEqual({ ended: 'aborted' })
  expect(pool.startedThreads).toBe(0)
})

test('customers take turns', async () => {
  const pool = newPool()
  const order: string[] = []
  const jobs = ['a', 'a', 'a', 'a', 'b', 'c', 'b'].map(async (customerId) => {
    await pool.execute(echo, { customerId })
    order.push(customerId)
  })
  await Promise.all(jobs)
  expect(order.join('')).toBe('aabcaba')
})

test('a customer with its share of threads leaves the others to the next customer', async () => {
  const pool = newPool({ maxThreads: 2, maxThreadsPerCustomer: 1 })
  const long = [held(), held()]
  const ends = long.map(({ job }) => pool.execute(job, acme))
  expect(await pool.execute(echo, other)).toBe('done')
  for (const { release } of long) release()
  expect(await Promise.all(ends)).toEqual(['released', 'released'])
})

test('jobs above the limits of the queue are refused at once, and there is room again later', async () => {
  const pool = newPool({ maxWaiting: { perCustomer: 1, total: 2 } })
  const first = held()
  const running = pool.execute(first.job, acme)
  const waiting = [pool.execute(echo, acme), pool.execute(echo, other)]
  expect(await pool.execute(echo, acme)).toEqual({ ended: 'queue_full' })
  expect(await pool.execute(echo, { customerId: 'third' })).toEqual({ ended: 'queue_full' })
  first.release()
  expect(await Promise.all([running, ...waiting])).toEqual(['released', 'done', 'done'])
  expect(await pool.execute(echo, acme)).toBe('done')
})

test('a pool that is stopped ends its jobs', async () => {
  const pool = newPool()
  const ends = [pool.execute({ do: 'hang' }, acme), pool.execute(echo, acme)]
  await pool.stop()
  expect(await Promise.all(ends)).toEqual([{ ended: 'aborted' }, { ended: 'aborted' }])
})

test('a process that was stopped for longer than the limit does not end the job', async () => {
  const pool = newPool({}, 2)
  await pool.execute(echo, acme)
  const { job, release } = held()
  const end = pool.execute(job, acme)
  // The job begins, and its time runs.
  await pause(300)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500)
  // Timers that were due meanwhile fire now.
  await pause(100)
  release()
  expect(await end).toBe('released')
})
