import { describe, expect, test } from 'vitest'
import { tidyPlan } from './tidy-plan.ts'

const tidyStep = (step: unknown): unknown => (tidyPlan({ steps: [step] }) as { steps: unknown[] }).steps[0]

test('a plan that is wrapped again and again does not overflow the stack', () => {
  const wrapped = Array.from({ length: 100_000 }).reduce<unknown>((plan) => ({ plan }), { steps: ['a'] })
  expect(tidyPlan(wrapped)).toEqual({ steps: [{ instruction: 'a' }] })
})

describe('a plan', () => {
  test.each([
    [{ plan: { steps: ['a'] } }],
    [{ result: { steps: ['a'] } }],
    [{ output: { plan: { steps: ['a'] } } }],
    [['a']],
    [{ plan: ['a'] }],
  ])('%j is unwrapped', (value) => {
    expect(tidyPlan(value)).toEqual({ steps: [{ instruction: 'a' }] })
  })

  test('keeps its goal and nothing else', () => {
    expect(tidyPlan({ goal: 'g', version: 'v9', plan: 'x', steps: [] })).toEqual({ goal: 'g', steps: [] })
    expect(tidyPlan({ goal: { text: 'g' }, steps: [] })).toEqual({ steps: [] })
  })

  test.each([null, 'text', 17, { steps: 'none' }, {}])('%j is left for the check to refuse', (value) => {
    const isObject = typeof value === 'object' && value !== null
    expect(tidyPlan(value)).toEqual(isObject ? { steps: (value as { steps?: unknown }).steps } : value)
  })
})

describe('a step', () => {
  test.each(['instruction', 'instructions', 'task', 'description', 'action', 'step', 'prompt'])(
    'may use %s for its instruction',
    (name) => {
      expect(tidyStep({ [name]: 'do it' })).toEqual({ instruction: 'do it' })
    },
  )

  test('prefers its instruction to other fields, unless it is empty', () => {
    expect(tidyStep({ description: 'why', instruction: 'what' })).toEqual({ instruction: 'what' })
    expect(tidyStep({ description: 'why', instruction: '' })).toEqual({ instruction: 'why' })
  })

  test('keeps the fields of plan v2; a null field counts as absent', () => {
    const fields = { id: 'a', max_attempts: 2, timeout_seconds: 9, output_schema: { type: 'object' }, tools: ['x'] }
    expect(tidyStep({ ...fields, instruction: 'i', role: 'worker', agent: 'me' })).toEqual({
      ...fields,
      instruction: 'i',
    })
    expect(tidyStep({ id: null, tools: null, depends_on: null, instruction: 'i' })).toEqual({ instruction: 'i' })
  })

  test('may have its free-form objects as JSON in a text', () => {
    expect(tidyStep({ tool: 'pay', input: '{"to": "Ada"}' })).toEqual({ tool: 'pay', input: { to: 'Ada' } })
    expect(tidyStep({ tool: 'pay', input: '' })).toEqual({ tool: 'pay' })
    expect(tidyStep({ instruction: 'i', output_schema: '{"type": "object"}' })).toEqual({
      instruction: 'i',
      output_schema: { type: 'object' },
    })
    expect(tidyStep({ instruction: 'i', output_schema: ' ' })).toEqual({ instruction: 'i' })
  })

  test('may have a number as its id', () => {
    expect(tidyStep({ id: 2, depends_on: [1], instruction: 'i' })).toEqual({
      id: '2',
      depends_on: ['1'],
      instruction: 'i',
    })
    expect(tidyStep({ depends_on: 'a', instruction: 'i' })).toEqual({ depends_on: ['a'], instruction: 'i' })
    expect(tidyStep({ depends_on: [], instruction: 'i' })).toEqual({ depends_on: [], instruction: 'i' })
  })

  test.each([
    [true, 'required'],
    ['required', 'required'],
    [false, undefined],
    ['none', undefined],
  ])('approval %j is %s', (approval, kept) => {
    expect(tidyStep({ instruction: 'i', approval })).toEqual({ instruction: 'i', ...(kept && { approval: kept }) })
  })

  test('with a tool and no instruction is a tool step', () => {
    expect(tidyStep({ id: 'a', tool: 'x', input: { n: 1 }, tools: [], description: 'why' })).toEqual({
      id: 'a',
      tool: 'x',
      input: { n: 1 },
    })
    expect(tidyStep({ tool: 'x', input: 'n=1' })).toEqual({ tool: 'x' })
  })

  test('with a tool and an instruction is an agent step that has this tool', () => {
    expect(tidyStep({ tool: 'x', instruction: 'i' })).toEqual({ instruction: 'i', tools: ['x'] })
  })

  test.each([[null], ['']])('with a tool and the instruction %j is a tool step', (instruction) => {
    expect(tidyStep({ tool: 'x', input: { a: 1 }, instruction })).toEqual({ tool: 'x', input: { a: 1 } })
  })

  test.each([
    [{ await_input: true, prompt: 'Ok?' }, { prompt: 'Ok?' }],
    [{ await_input: 'Ok?' }, { prompt: 'Ok?' }],
    [{ await_input: true }, {}],
  ])('%j is a gate, never a step for a model', (step, await_input) => {
    expect(tidyStep(step)).toEqual({ await_input })
  })

  test('with a question is a gate', () => {
    const question = { input_kind: 'approval', prompt: 'Ok?', reason_code: 'r' }
    const step = { id: 'g', await_input: { ...question, urgency: 1 }, instruction: 'ask', max_attempts: 3 }
    expect(tidyStep(step)).toEqual({ id: 'g', await_input: question })
  })

  test.each([null, 7, ['x']])('%j is left for the check to refuse', (step) => {
    expect(tidyStep(step)).toEqual(step)
  })
})

describe('the agent of a step', () => {
  const tidied = (step: object, keepsAgents: boolean) =>
    (tidyPlan({ plan: { steps: [step] } }, { keepsAgents }) as { steps: unknown[] }).steps[0]

  test('is kept if there are agents, and dropped like any unknown field otherwise', () => {
    const step = { instruction: 'x', agent: 'clerk' }
    expect(tidied(step, true)).toEqual(step)
    expect(tidied(step, false)).toEqual({ instruction: 'x' })
  })

  test.each([
    [{ instruction: 'x', agent: null }, { instruction: 'x' }],
    [{ instruction: 'x', agent: '' }, { instruction: 'x' }],
    [{ tool: 'calculator', agent: 'clerk' }, { tool: 'calculator' }],
    [{ await_input: { prompt: 'y' }, agent: 'clerk' }, { await_input: { prompt: 'y' } }],
  ])('%j becomes %j', (step, expected) => {
    expect(tidied(step, true)).toEqual(expected)
  })
})
