import { maxJsonDepth } from '@runwright/contract'
import { expect, test } from 'vitest'
import { javascriptThreads } from './javascript-threads.ts'

const limits = { executionSeconds: 0.3, memoryMebibytes: 64, resultBytes: 1024, resultDepth: maxJsonDepth }
const acme = { customerId: 'acme' }
const job = (code: string) => ({ code, input: undefined })
const endless = job('for (;;) {}')
const quick = job('return 1')
const done = { json: '{"result":1}' }

test('the event loop is not blocked while code runs', async () => {
  const threads = javascriptThreads({ ...limits, executionSeconds: 0.5 })
  let turns = 0
  const clock = setInterval(() => {
    turns += 1
  }, 5)
  expect(await threads.execute(endless, acme)).toEqual({ ended: 'timed_out' })
  clearInterval(clock)
  expect(turns).toBeGreaterThan(10)
})

test('waiting in the queue does not count as execution time', async () => {
  const threads = javascriptThreads(limits, 1)
  const calls = [endless, endless, quick].map((code) => threads.execute(code, acme))
  expect(await Promise.all(calls)).toEqual([{ ended: 'timed_out' }, { ended: 'timed_out' }, done])
})

test('a thread whose code was interrupted or failed executes the next job', async () => {
  const threads = javascriptThreads(limits, 1)
  expect(await threads.execute(endless, acme)).toEqual({ ended: 'timed_out' })
  expect(await threads.execute(job('throw 1'), acme)).toEqual({ thrown: '{"value":"1"}', isOutOfMemory: false })
  expect(await threads.execute(quick, acme)).toEqual(done)
  expect(threads.startedThreads).toBe(1)
})

test('the time of the code begins when its engine is ready', async () => {
  const threads = javascriptThreads({ ...limits, executionSeconds: 0.0001 }, 1)
  expect(await threads.execute(endless, acme)).toEqual({ ended: 'timed_out' })
})

test('a thread that ignores the interruption is replaced', async () => {
  const threads = javascriptThreads(limits, 1)
  const ignoring = job('new Array(2 ** 32 - 1).indexOf(1)')
  expect(await threads.execute(ignoring, acme)).toEqual({ ended: 'timed_out' })
  expect(await threads.execute(quick, acme)).toEqual(done)
  expect(threads.startedThreads).toBe(2)
})
