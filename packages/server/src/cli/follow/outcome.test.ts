import type { RunDetail, RunEvent } from '@runwright/client'
import { expect, test } from 'vitest'
import { styleFor } from '../output/style.ts'
import { describeOutcome, exitCodeOf } from './outcome.ts'

const run = { id: 'run_1', status: 'cancelled' } as RunDetail
const cancelled = (value: object) => ({ type: 'run.cancelled', payload: { value } }) as RunEvent

test.each([
  ['a client', cancelled({}), '■ Cancelled.'],
  ['the end of a wait', cancelled({ reason_code: 'signal_timeout' }), '■ Cancelled: no answer in time.'],
])('a run that was cancelled by %s', (_by, last, line) => {
  expect(describeOutcome(run, last, styleFor(false))).toBe(line)
  expect(exitCodeOf(run, last)).toBe(3)
})
