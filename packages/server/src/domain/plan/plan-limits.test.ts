import { builtInTools, planSchema } from '@runwright/contract'
import { expect, test } from 'vitest'
import { parsePlan } from './plan.ts'

const parse = (plan: unknown) => parsePlan(plan, new Set<string>(builtInTools))

test('a goal has at most 10,000 characters', () => {
  const plan = { goal: '😀'.repeat(10_000), steps: [{ instruction: 'Do it' }] }
  expect(parse(plan).goal).toBe(plan.goal)
  const tooLong = { ...plan, goal: `${plan.goal}x` }
  expect(() => parse(tooLong)).toThrow('plan: goal must be at most 10000 characters long.')
  expect(planSchema.safeParse(tooLong).success).toBe(false)
})

test.each([
  ['instruction', { instruction: 'x'.repeat(100_001) }, 'instruction must be 1 to 100000 characters long'],
  ['prompt', { await_input: { prompt: 'x'.repeat(10_001) } }, 'await_input.prompt must be at most 10000'],
  ['name of a tool', { tool: 'x'.repeat(256) }, 'tool must be 1 to 255 characters long'],
  ['name of an agent', { instruction: 'x', agent: 'x'.repeat(256) }, 'agent must be 1 to 255 characters long'],
  ['name in tools', { instruction: 'x', tools: ['x'.repeat(256)] }, 'tools[0] must be 1 to 255 characters long'],
  ['list of tools', { instruction: 'x', tools: Array(1_001).fill('wait') }, 'tools must have at most 1000 items'],
  ['list of steps', { instruction: 'x', depends_on: Array(201).fill('a') }, 'depends_on must have at most 200 items'],
])('a long %s is refused, and the message names the field', (_, step, problem) => {
  expect(() => parse({ steps: [step] })).toThrow(`plan.steps[0]: ${problem}`)
  expect(planSchema.safeParse({ steps: [step] }).success).toBe(false)
})
