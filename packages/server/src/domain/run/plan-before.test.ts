// `RunProgress.planBefore`: what a planner is told about the plan that it replaces.
import { describe, expect, test } from 'vitest'
import { type FakeOptions, fakeProgress } from '../../../test/support/fake-execution.ts'
import { journalEntry } from './journal.ts'

const planOf = (...ids: string[]) => ({
  version: 'v2' as const,
  steps: ids.map((id) => ({ id, instruction: `do ${id}` })),
})

describe('the plan that a planner replaces', () => {
  test('is the client’s, the last planner’s, or none', () => {
    const stepsOf = (options: FakeOptions) =>
      fakeProgress(options)
        .planBefore()
        ?.steps.map(({ id }) => id)
    const [first, again] = [journalEntry('replan', '1', {}), journalEntry('replan', '2', {})]
    const made = journalEntry('plan', '1', planOf('x'))
    expect(stepsOf({ plan: planOf('a'), journal: [first] })).toEqual(['a'])
    expect(stepsOf({ plan: planOf('a'), journal: [first, made, again] })).toEqual(['x'])
    // A planner that was asked to plan again before it had written a plan.
    expect(stepsOf({ plan: planOf('a'), journal: [first, again] })).toEqual(['a'])
    expect(stepsOf({ journal: [journalEntry('unplanned', '1', {}), again], startsWithPlanner: true })).toBeUndefined()
    expect(stepsOf({ startsWithPlanner: true })).toBeUndefined()
  })

  test('knows which steps have begun by what they have left', () => {
    const reply = journalEntry('reply', '0/b:0', { text: '', calls: [], model: 'm' })
    const failed = journalEntry('fail', '0/c:0', { attempt: 1 })
    const journal = [journalEntry('replan', '1', { begun: ['0/d'] }), reply, failed]
    const before = fakeProgress({ plan: planOf('a', 'b', 'c', 'd', 'e'), journal }).planBefore()
    expect(['b', 'c', 'd', 'e'].map((id) => before?.hasBegun(id))).toEqual([true, true, true, false])
  })
})
