import { maxJsonDepth } from '@runwright/contract'
import { expect, test } from 'vitest'
import { JavaScriptThread } from './thread.ts'

const limits = { executionSeconds: 0.3, memoryMebibytes: 64, resultBytes: 1024, resultDepth: maxJsonDepth }
const signal = new AbortController().signal
const job = (code: string) => ({ code, input: undefined })

test('a thread whose code was interrupted or failed executes the next job', async () => {
  const thread = new JavaScriptThread(limits)
  expect(await thread.execute(job('for (;;) {}'), signal)).toEqual({ ended: 'timed_out' })
  expect(await thread.execute(job('throw 1'), signal)).toEqual({ thrown: '{"value":"1"}', isOutOfMemory: false })
  expect(await thread.execute(job('return 1'), signal)).toEqual({ json: '{"result":1}' })
  expect(thread.isAlive).toBe(true)
})

test('the time of the code begins when its engine is ready', async () => {
  const thread = new JavaScriptThread({ ...limits, executionSeconds: 0.0001 })
  expect(await thread.execute(job('for (;;) {}'), signal)).toEqual({ ended: 'timed_out' })
})

test('a thread that ignores the interruption is terminated', async () => {
  const thread = new JavaScriptThread(limits)
  expect(await thread.execute(job('new Array(2 ** 32 - 1).indexOf(1)'), signal)).toEqual({ ended: 'timed_out' })
  expect(thread.isAlive).toBe(false)
})
