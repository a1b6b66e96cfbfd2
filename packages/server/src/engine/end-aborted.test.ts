import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { fakeExecution } from '../../test/support/fake-execution.ts'
import { endAborted } from './end-aborted.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

test('a hand-over releases the run at once, without an event', async () => {
  const { context, log } = fakeExecution()
  await endAborted(context, 'hand_over')
  expect(log.changes).toMatchObject([{ trigger: 'hand_over', readyInMs: 0, epoch: 3 }])
  expect(log.events).toEqual([])
})

test('the deadline ends the run, and the event says how long it took', async () => {
  const { context, log } = fakeExecution({ run: { durationSeconds: 10, remainingMs: 500 } })
  vi.advanceTimersByTime(750)
  await endAborted(context, 'deadline')
  expect(log.changes).toMatchObject([{ trigger: 'exceed_limit' }])
  const payload = { limitType: 'duration_limit', currentValue: 10.25, threshold: 10, unit: 'seconds' }
  expect(log.events).toMatchObject([{ type: 'run.limit_exceeded', payload, terminal: true }])
})

test('the reported duration is never below the limit, even if the timer fires early', async () => {
  const { context, log } = fakeExecution({ run: { durationSeconds: 10, remainingMs: 500 } })
  await endAborted(context, 'deadline')
  expect(log.events[0]?.payload).toMatchObject({ currentValue: 10 })
})

test.each([
  ['step_timeout', 'step_timeout'],
  ['lease_given_up', 'lease_lost'],
] as const)('%s stalls the run as %s, to be recovered later each time', async (reason, reasonCode) => {
  const { context, log } = fakeExecution({ run: { recoveries: 1 } })
  await endAborted(context, reason)
  expect(log.changes).toMatchObject([{ trigger: 'stall', readyInMs: 20_000 }])
  expect(log.events).toMatchObject([{ type: 'run.worker.stalled', payload: { reason_code: reasonCode } }])
})

test('a run that was recovered too many times stays stalled', async () => {
  const { context, log } = fakeExecution({ run: { recoveries: 3 } })
  await endAborted(context, 'step_timeout')
  expect(log.changes[0]).not.toHaveProperty('readyInMs')
})

test('a run that has already failed is not changed', async () => {
  const { context, log } = fakeExecution()
  await endAborted(context, 'run_failed')
  expect(log.changes).toEqual([])
})
