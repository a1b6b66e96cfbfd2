import type { PlanStep } from '@runwright/contract'
import { describe, expect, test } from 'vitest'
import { ServiceError } from '../service-error.ts'
import { parsePlan } from './plan.ts'
import { keepsPlan, keptSteps, planAgain, samePlan } from './plan-again.ts'

const anyTool = { has: () => true }
const agent = (id: string, part: object = {}) => ({ id, instruction: `do ${id}`, ...part })
const gate = (id: string, part: object = {}) => ({ id, await_input: { prompt: 'Ok?' }, ...part })

interface Given {
  readonly steps: readonly object[]
  readonly done?: readonly string[]
  readonly begun?: readonly string[]
  readonly isPlanners?: boolean
  readonly goal?: string
  readonly judge?: 'never'
}

const keep = ({ steps, done = [], begun = [], isPlanners = false, goal, judge }: Given) => {
  const plan = parsePlan({ steps, ...(goal && { goal }), ...(judge && { judge }) }, anyTool)
  return keptSteps({
    ...plan,
    isClients: () => !isPlanners,
    isDone: (id) => done.includes(id),
    hasBegun: (id) => begun.includes(id),
    generationOf: () => 0,
  })
}

const join = (given: Given, ...made: readonly object[]) => {
  const { wire, kept } = planAgain(keep(given), { steps: made })
  // What comes of it must be a plan.
  parsePlan(wire, anyTool, { literalBraces: true })
  return { wire, kept, steps: wire.steps.map(({ id, depends_on }) => `${id} < ${depends_on?.join(' ')}`) }
}
const find = ({ steps }: { steps: readonly PlanStep[] }, id: string) => steps.find((step) => step.id === id)

const letter = [agent('draft'), gate('gate'), agent('send')]

describe('what stays of a client’s plan', () => {
  test('is put back if the planner leaves it out, after the planner’s steps', () => {
    const { steps, kept } = join({ steps: letter, done: ['draft'] }, agent('check'), agent('draft2'))
    expect(steps).toEqual([
      'draft < ',
      'check < ',
      'draft2 < check',
      'gate < draft check draft2',
      'send < gate check draft2',
    ])
    expect(kept).toEqual(['draft', 'gate', 'send'])
  })

  test('is what the client said, if the planner repeats it with changes', () => {
    const { wire, kept } = join(
      { steps: letter, done: ['draft'] },
      agent('draft2'),
      { id: 'gate', await_input: { prompt: 'Whatever?' }, depends_on: [] },
      agent('send', { instruction: 'send it to everybody' }),
    )
    expect(find(wire, 'gate')).toMatchObject({ await_input: { prompt: 'Ok?' }, depends_on: ['draft', 'draft2'] })
    expect(find(wire, 'send')).toMatchObject({ instruction: 'do send' })
    expect(kept).toEqual(['draft', 'gate', 'send'])
  })

  test('cannot lose its id to a step of another kind', () => {
    const problem = 'plan.steps[0] ("gate"): has the id of a step that stays in the plan; choose another id.'
    expect(() => join({ steps: letter, done: ['draft'] }, agent('gate'))).toThrow(
      new ServiceError('INPUT_PLAN_INVALID', problem),
    )
  })

  test('does not lose its id to a step without one', () => {
    const unnamed = [{ instruction: 'a' }, { await_input: {} }, { instruction: 'b' }]
    const { steps } = join({ steps: unnamed, done: ['step_1'] }, { instruction: 'x' }, { instruction: 'y' })
    expect(steps.map((step) => step.split(' ')[0])).toEqual(['step_1', 'step_1_2', 'step_2_2', 'step_2', 'step_3'])
  })

  test('waits for the planner’s steps, but not for those that depend on it', () => {
    const { steps } = join(
      { steps: letter, done: ['draft'] },
      agent('first'),
      agent('after', { depends_on: ['gate'] }),
      agent('last'),
    )
    expect(steps).toContain('gate < draft first')
    expect(steps).toContain('after < gate')
    expect(steps).toContain('last < after')
  })

  test('keeps a finished step that the planner repeats finished', () => {
    const paid = [agent('pay', { approval: 'required' }), agent('look'), gate('gate')]
    const { wire, kept } = join({ steps: paid, done: ['pay'] }, agent('pay'), agent('look again'))
    expect(wire.steps.filter(({ id }) => id === 'pay')).toMatchObject([{ approval: 'required' }])
    expect(kept).toContain('pay')
  })

  test('is shown the new result of a step that the planner does again under its id', () => {
    const asking = [agent('draft'), gate('gate', { await_input: { prompt: 'Send {{steps.draft.content}}?' } })]
    const { steps, kept } = join({ steps: asking, done: ['draft'] }, agent('draft'))
    expect(steps).toEqual(['draft < ', 'gate < draft'])
    expect(kept).toEqual(['gate'])
  })

  test('keeps a step that its templates name, unless the planner makes it anew', () => {
    const steps = [agent('a'), agent('b'), agent('c'), gate('gate', { await_input: { prompt: '{{steps.b.content}}' } })]
    const left = join({ steps, done: ['a'] }, agent('x'))
    expect(left.steps).toEqual(['a < ', 'x < ', 'b < a', 'gate < b x'])
    const made = join({ steps, done: ['a'] }, agent('b', { instruction: 'do b better' }))
    expect(find(made.wire, 'b')).toMatchObject({ instruction: 'do b better' })
    expect(made.kept).toEqual(['a', 'gate'])
  })

  test('keeps its goal and when it is judged', () => {
    const { wire } = join({ steps: letter, done: ['draft'], goal: 'Answer', judge: 'never' }, agent('x'))
    expect(wire).toMatchObject({ goal: 'Answer', judge: 'never' })
  })
})

describe('a step that has begun', () => {
  test('stays, and waits for nothing new', () => {
    const steps = [agent('a'), agent('b', { depends_on: [] }), agent('c')]
    const { steps: joined, kept } = join({ steps, done: ['a'], begun: ['b'] }, agent('x'))
    expect(joined).toEqual(['x < ', 'b < '])
    expect(kept).toEqual(['b'])
  })
})

test('without anything that stays, the new plan is the planner’s alone', () => {
  const steps = [agent('a'), agent('b'), { id: 't', tool: 'x' }]
  expect(join({ steps, done: ['a'] }, agent('b'), agent('a')).steps).toEqual(['b < ', 'a < b'])
  expect(
    planAgain(keep({ steps, goal: 'Old', isPlanners: true }), { goal: 'New', steps: [agent('x')] }).wire.goal,
  ).toBe('New')
})

describe('a planner’s own plan', () => {
  test('keeps its gates, but not what depends on them', () => {
    const { steps } = join({ steps: letter, done: ['draft'], isPlanners: true }, agent('x'))
    expect(steps).toEqual(['draft < ', 'x < ', 'gate < draft x'])
  })
})

describe('if no new plan can be used', () => {
  test('a plan with steps that stay is followed as it is', () => {
    const given = { steps: letter, done: ['draft'], isPlanners: true }
    expect(keepsPlan(keep(given))).toBe(true)
    expect(samePlan(keep(given))).toMatchObject({ kept: ['draft', 'gate', 'send'], wire: { steps: [{}, {}, {}] } })
  })

  test('so is a client’s plan, while steps are left', () => {
    expect(keepsPlan(keep({ steps: [agent('a'), agent('b')], done: ['a'] }))).toBe(true)
    expect(keepsPlan(keep({ steps: [agent('a')], done: ['a'] }))).toBe(false)
    expect(keepsPlan(keep({ steps: [agent('a'), agent('b')], done: ['a'], isPlanners: true }))).toBe(false)
  })
})
