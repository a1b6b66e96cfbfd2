import { describe, expect, test } from 'vitest'
import { parsePlan, toWire } from './plan.ts'

const tools = new Set(['calculator'])

describe('the agent of a step', () => {
  const agents = { names: ['clerk'], has: (name: string) => name === 'clerk' }
  const withAgent = (agent: unknown) => ({ steps: [{ id: 'a', instruction: 'x', agent }] })

  test('is kept, also on the wire', () => {
    const plan = parsePlan(withAgent('clerk'), tools, { agents })
    expect(plan.steps[0]).toMatchObject({ kind: 'agent', agent: 'clerk' })
    expect(parsePlan(toWire(plan), tools, { agents })).toEqual(plan)
  })

  test.each([
    ['nobody', agents, 'plan.steps[0] ("a"): names an unknown agent: "nobody"; the agents are "clerk".'],
    ['clerk', undefined, 'plan.steps[0] ("a"): names an unknown agent: "clerk"; no agents are configured.'],
    [17, agents, 'plan.steps[0] ("a"): agent must be a string.'],
  ])('%j is refused where it is unknown', (agent, known, message) => {
    expect(() => parsePlan(withAgent(agent), tools, { agents: known })).toThrow(message)
  })

  test('is refused in tool steps and gates', () => {
    for (const step of [{ tool: 'calculator' }, { await_input: {} }])
      expect(() => parsePlan({ steps: [{ ...step, agent: 'clerk' }] }, tools, { agents })).toThrow(
        'agent is not a known field.',
      )
  })
})
