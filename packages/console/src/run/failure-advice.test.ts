import { eventReasons, limitTypes } from '@runwright/contract'
import { describe, expect, test } from 'vitest'
import { adviceFor } from './failure-advice.ts'

const ends = [
  ...Object.keys(eventReasons).slice(0, Object.keys(eventReasons).indexOf('plan_ready')),
  ...limitTypes,
  'a_code_of_a_plan',
]

describe.each(ends)('%s', (code) => {
  test('says in words what happened and what to do', () => {
    const { sentence, advice } = adviceFor(code)
    expect(sentence).toMatch(/^[A-Z].*\.$/)
    expect(advice).toMatch(/^[A-Z].*\.$/)
  })
})

test('a retry is offered only where it can help', () => {
  expect(adviceFor('template_unresolved').actions).not.toContain('retry')
  expect(adviceFor('provider_unavailable').actions).toEqual(['retry'])
})

test('a run that ran out of time or tokens is offered a longer class', () => {
  for (const limit of limitTypes) expect(adviceFor(limit).actions[0]).toBe('run again in class long')
})

test('a stalled run is offered to resume', () => {
  for (const code of ['heartbeat_lost', 'lease_lost', 'step_timeout']) expect(adviceFor(code).actions[0]).toBe('resume')
})
