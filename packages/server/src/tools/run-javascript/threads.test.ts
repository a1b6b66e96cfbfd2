import { maxJsonDepth } from '@runwright/contract'
import { expect, test } from 'vitest'
import { JavaScriptThreads } from './threads.ts'

const limits = { executionSeconds: 20, memoryMebibytes: 64, resultBytes: 1024, resultDepth: maxJsonDepth }
const idle = () => new AbortController().signal
const endless = { code: 'for (;;) {}', input: undefined }
const quick = { code: 'return 1', input: undefined }
const done = { json: '{"result":1}' }

test('the event loop is not blocked while code runs', async () => {
  const threads = new JavaScriptThreads({ ...limits, executionSeconds: 0.5 })
  let turns = 0
  const clock = setInterval(() => {
    turns += 1
  }, 5)
  expect(await threads.execute(endless, { customerId: 'a', signal: idle() })).toEqual({ ended: 'timed_out' })
  clearInterval(clock)
  expect(turns).toBeGreaterThan(10)
})

test('an abort ends code that runs, and code that waits', async () => {
  const threads = new JavaScriptThreads(limits, 1)
  const [running, waiting] = [new AbortController(), new AbortController()]
  const answers = [running, waiting].map(({ signal }) => threads.execute(endless, { customerId: 'a', signal }))
  const next = threads.execute(quick, { customerId: 'a', signal: idle() })
  waiting.abort()
  running.abort()
  expect(await Promise.all(answers)).toEqual([{ ended: 'aborted' }, { ended: 'aborted' }])
  expect(await next).toEqual(done)
})

test('code that came with an aborted signal is not run', async () => {
  const threads = new JavaScriptThreads(limits)
  const signal = AbortSignal.abort()
  expect(await threads.execute(endless, { customerId: 'a', signal })).toEqual({ ended: 'aborted' })
})

test('waiting in the queue does not count as execution time', async () => {
  const threads = new JavaScriptThreads({ ...limits, executionSeconds: 0.3 }, 1)
  const calls = [endless, endless, quick].map((job) => threads.execute(job, { customerId: 'a', signal: idle() }))
  expect(await Promise.all(calls)).toEqual([{ ended: 'timed_out' }, { ended: 'timed_out' }, done])
})

test('customers take turns', async () => {
  const threads = new JavaScriptThreads(limits, 1)
  const order: string[] = []
  const calls = ['a', 'a', 'a', 'a', 'b', 'c', 'b'].map(async (customerId) => {
    await threads.execute(quick, { customerId, signal: idle() })
    order.push(customerId)
  })
  await Promise.all(calls)
  expect(order.join('')).toBe('aabcaba')
})
