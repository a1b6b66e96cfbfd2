import { describe, expect, test } from 'vitest'
import { stepsAfterStop, stepsThatStay } from './lasting-steps.ts'
import { parsePlan } from './plan.ts'

const anyTool = { has: () => true }
const agent = (id: string, part: object = {}) => ({ id, instruction: `do ${id}`, ...part })
const gate = (id: string, part: object = {}) => ({ id, await_input: {}, ...part })

interface Given {
  readonly isClients?: boolean
  readonly done?: readonly string[]
}

const planOf = (steps: readonly object[], { isClients = false, done = [] }: Given = {}) => ({
  steps: parsePlan({ steps }, anyTool).steps,
  isClients: () => isClients,
  isDone: (id: string) => done.includes(id),
})
const afterStop = (steps: readonly object[], given?: Given) => [...stepsAfterStop(planOf(steps, given))].toSorted()
const staying = (steps: readonly object[], given?: Given) => [...stepsThatStay(planOf(steps, given))]

describe('after a stop', () => {
  test('all steps of a client’s plan happen', () => {
    expect(afterStop([agent('a'), agent('b'), agent('c')], { isClients: true, done: ['a'] })).toEqual(['b', 'c'])
  })

  test('no step of a planner’s plan happens that asks nobody', () => {
    expect(afterStop([agent('a'), agent('b'), { id: 't', tool: 'x' }], { done: ['a'] })).toEqual([])
  })

  test('a gate of a planner’s plan happens, with what it needs and what comes after it', () => {
    const steps = [
      agent('a'),
      agent('b'),
      agent('beside', { depends_on: ['a'] }),
      gate('g', { depends_on: ['b'] }),
      agent('c'),
    ]
    expect(afterStop(steps, { done: ['a'] })).toEqual(['b', 'c', 'g'])
  })

  test('so does a step that needs approval', () => {
    const steps = [
      agent('a'),
      agent('b', { depends_on: ['a'] }),
      agent('pay', { approval: 'required', depends_on: ['a'] }),
    ]
    expect(afterStop(steps, { done: ['a'] })).toEqual(['pay'])
  })

  test('what follows a gate that was answered may be left out', () => {
    expect(afterStop([gate('g'), agent('a'), agent('b')], { done: ['g', 'a'] })).toEqual([])
  })
})

describe('in a new plan', () => {
  const steps = [agent('a'), gate('g'), agent('b'), agent('c', { depends_on: ['a'] })]

  test('a client’s gates, approvals and what depends on them stay', () => {
    expect(staying(steps, { isClients: true })).toEqual(['g', 'b'])
    const paid = [agent('a'), agent('pay', { approval: 'required' }), agent('tell')]
    expect(staying(paid, { isClients: true })).toEqual(['pay', 'tell'])
  })

  test('also those that are done', () => {
    expect(staying(steps, { isClients: true, done: ['a', 'g', 'b'] })).toEqual(['g', 'b'])
  })

  test('of a planner’s plan, what depends on them may change', () => {
    expect(staying(steps)).toEqual(['g'])
  })
})
