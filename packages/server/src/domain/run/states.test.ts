import { runStatuses } from '@runwright/contract'
import { describe, expect, test } from 'vitest'
import {
  raisesEpoch,
  runStates,
  runTriggers,
  statesBehind,
  statesThatAllow,
  targetOf,
  terminalStates,
  wireStatus,
} from './states.ts'

describe('the table of run states', () => {
  test('every trigger is allowed in some state, and leads to one state or keeps the current one', () => {
    for (const trigger of runTriggers) expect(statesThatAllow(trigger)).not.toEqual([])
    const keeping = runTriggers.filter((trigger) => targetOf(trigger) === undefined)
    expect(keeping).toEqual(['progress', 'meter'])
  })

  test('a worker that holds the run may keep writing only after these triggers', () => {
    const keeping = runTriggers.filter((trigger) => !raisesEpoch(trigger))
    expect(keeping).toEqual(['progress', 'meter', 'await_input', 'approve', 'submit_input', 'signal_timeout_replan'])
  })

  test('tokens are metered in every state', () => {
    expect(statesThatAllow('meter')).toEqual(runStates)
  })

  test.each([
    ['retry', ['failed']],
    ['resume', ['stalled']],
    ['cancel', ['queued', 'running', 'awaiting_input', 'stalled']],
    ['exceed_limit', ['queued', 'running', 'awaiting_input', 'stalled']],
    ['approve', ['awaiting_input']],
    ['reject', ['awaiting_input']],
    ['submit_input', ['awaiting_input']],
  ] as const)('%s is allowed from %j only', (trigger, states) => {
    expect(statesThatAllow(trigger)).toEqual(states)
  })

  test('the terminal states are succeeded, failed and cancelled', () => {
    expect(terminalStates).toEqual(['succeeded', 'failed', 'cancelled'])
  })

  test('waiting shows as running on the wire, every other state as itself', () => {
    expect(runStates.map(wireStatus).filter((status) => !runStatuses.includes(status))).toEqual([])
    expect(statesBehind('running')).toEqual(['running', 'awaiting_input'])
  })
})
