import { describe, expect, test } from 'vitest'
import { noSuspects } from '../store/run-log/run-claimer.ts'
import { recoveryAfterLossMs, recoveryDelayMs, suspectRule } from './recovery.ts'
import { lossChange } from './stall-run.ts'

const rule = { delaySeconds: 5, maxRecoveries: 3 }
const lost = (lostWorkers: number, wasAlone = false) => ({ recoveries: lostWorkers, lostWorkers, wasAlone })

test('the delay doubles each time, up to five minutes', () => {
  const delays = [0, 1, 5, 9].map((recoveries) => recoveryDelayMs({ ...rule, maxRecoveries: 10 }, recoveries))
  expect(delays).toEqual([5_000, 10_000, 160_000, 300_000])
})

test('a run that stalls by itself is recovered so many times', () => {
  expect([2, 3].map((recoveries) => recoveryDelayMs(rule, recoveries))).toEqual([20_000, undefined])
})

describe('a run whose worker vanished', () => {
  test('is recovered until a worker vanishes that executed nothing else', () => {
    expect([0, 1, 2, 3].map((losses) => recoveryAfterLossMs(rule, lost(losses)))).toEqual([
      5_000, 10_000, 20_000, 40_000,
    ])
    expect(recoveryAfterLossMs(rule, lost(3, true))).toBeUndefined()
  })

  test('is not recovered for ever if it never comes to be alone', () => {
    expect([5, 6].map((losses) => recoveryAfterLossMs(rule, lost(losses)))).toEqual([160_000, undefined])
  })

  test('is not recovered if there are no recoveries', () => {
    const none = { ...rule, maxRecoveries: 0 }
    expect(recoveryAfterLossMs(none, lost(0))).toBeUndefined()
    expect(suspectRule(none)).toBe(noSuspects)
  })

  test.each([
    { maxRecoveries: 1, suspectFrom: 1, aloneFrom: 1 },
    { maxRecoveries: 2, suspectFrom: 2, aloneFrom: 2 },
    { maxRecoveries: 3, suspectFrom: 2, aloneFrom: 3 },
    { maxRecoveries: 9, suspectFrom: 2, aloneFrom: 9 },
  ])('with $maxRecoveries recoveries is alone the last time', ({ maxRecoveries, ...expected }) => {
    expect(suspectRule({ ...rule, maxRecoveries })).toEqual(expected)
  })

  const run = { runId: 'a', customerId: 'b', epoch: 1, requestId: 'req', isStepOverdue: false }
  const reasonOf = (change: ReturnType<typeof lossChange>) => change.events?.[0]?.payload.reason_code

  test('is counted, and says so when it is to blame', () => {
    expect(lossChange({ ...run, ...lost(2) }, rule)).toMatchObject({ losesWorker: true, readyInMs: 20_000 })
    expect(reasonOf(lossChange({ ...run, ...lost(2) }, rule))).toBe('heartbeat_lost')
    const last = lossChange({ ...run, ...lost(3, true) }, rule)
    expect([reasonOf(last), last.readyInMs]).toEqual(['crashes_worker', undefined])
    expect(reasonOf(lossChange({ ...run, ...lost(0) }, { ...rule, maxRecoveries: 0 }))).toBe('heartbeat_lost')
  })
})
