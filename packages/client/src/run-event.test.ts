import { eventTypes, runStatuses, terminalEventTypes } from '@runwright/contract'
import { expect, test } from 'vitest'
import { isTerminalEvent, isTerminalStatus } from './run-event.ts'

test('the events that end a run are those of the contract', () => {
  expect(eventTypes.filter((type) => isTerminalEvent({ type }))).toEqual([...terminalEventTypes])
  expect(isTerminalEvent({ type: 'toString' })).toBe(false)
})

test('three statuses are terminal', () => {
  expect(runStatuses.filter(isTerminalStatus)).toEqual(['succeeded', 'failed', 'cancelled'])
})
