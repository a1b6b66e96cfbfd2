import { builtInTools, maxPlanSteps, type Plan, planSchema } from '@runwright/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ServiceError } from '../service-error.ts'
import { parsePlan, type ResolvedStep, templatedPart, toWire } from './plan.ts'

const tools = new Set<string>(builtInTools)
const parse = (plan: unknown) => parsePlan(plan, tools)
const withSteps = (...steps: unknown[]) => ({ steps })
const agent = (fields: object = {}) => ({ instruction: 'Do it', ...fields })
const gate = (fields: object = {}) => ({ await_input: {}, ...fields })

const refusal = (plan: unknown): string => {
  try {
    parse(plan)
  } catch (error) {
    if (error instanceof ServiceError && error.reason === 'INPUT_PLAN_INVALID') return error.message
    throw error
  }
  throw new Error('the plan was accepted')
}
const onlyStep = (step: unknown): ResolvedStep => parse(withSteps(step)).steps[0] as ResolvedStep

describe('the plan of the documentation', () => {
  const plan = {
    version: 'v2',
    goal: 'optional',
    steps: [
      {
        id: 'research',
        instruction: 'Find…',
        tools: ['http_fetch'],
        depends_on: [],
        max_attempts: 3,
        timeout_seconds: 300,
      },
      { id: 'total', tool: 'calculator', input: { expression: '{{steps.research.output.price}} * 1.2' } },
      {
        id: 'gate',
        await_input: { input_kind: 'approval', reason_code: 'payment_over_limit', prompt: 'Pay?' },
      },
      { id: 'pay', instruction: '…', approval: 'required' },
    ],
  }

  test('is resolved', () => {
    expect(parse(plan)).toMatchObject({
      goal: 'optional',
      steps: [
        { kind: 'agent', id: 'research', tools: ['http_fetch'], dependsOn: [], maxAttempts: 3, timeoutSeconds: 300 },
        { kind: 'tool', id: 'total', tool: 'calculator', dependsOn: ['research'], approvalRequired: false },
        { kind: 'gate', id: 'gate', inputKind: 'approval', reasonCode: 'payment_over_limit', prompt: 'Pay?' },
        { kind: 'agent', id: 'pay', dependsOn: ['gate'], approvalRequired: true, maxAttempts: 3 },
      ],
    })
  })

  test('goes back on the wire with dependencies spelled out and nothing else added', () => {
    const [research, total, gateStep, pay] = plan.steps
    expect(toWire(parse(plan))).toEqual({
      version: 'v2',
      goal: 'optional',
      steps: [
        research,
        { ...total, depends_on: ['research'] },
        { ...gateStep, depends_on: ['total'] },
        { ...pay, depends_on: ['gate'] },
      ],
    })
  })
})

describe('defaults', () => {
  test('of an agent step', () => {
    expect(onlyStep({ instruction: 'Go' })).toEqual({
      kind: 'agent',
      id: 'step_1',
      dependsOn: [],
      instruction: 'Go',
      tools: undefined,
      maxAttempts: 3,
      timeoutSeconds: undefined,
      approvalRequired: false,
      wire: { id: 'step_1', instruction: 'Go', depends_on: [] },
    })
  })

  test('of a tool step', () => {
    expect(onlyStep({ tool: 'current_time' })).toMatchObject({ kind: 'tool', input: {}, maxAttempts: 3 })
  })

  test('of a gate', () => {
    expect(onlyStep({ await_input: {} })).toMatchObject({
      kind: 'gate',
      inputKind: undefined,
      reasonCode: 'input_required',
      prompt: undefined,
    })
  })

  test('an empty list of tools is not the same as an omitted one', () => {
    expect(onlyStep(agent({ tools: [] }))).toMatchObject({ tools: [] })
    expect(onlyStep(agent({ tools: ['wait', 'wait'] }))).toMatchObject({ tools: ['wait'] })
  })

  test('version and goal are optional', () => {
    expect(toWire(parse(withSteps(agent())))).toEqual({
      version: 'v2',
      steps: [{ id: 'step_1', instruction: 'Do it', depends_on: [] }],
    })
  })
})

describe('ids', () => {
  const idsOf = (...steps: unknown[]) => parse(withSteps(...steps)).steps.map((step) => step.id)

  test('are generated from the position if omitted', () => {
    expect(idsOf(agent(), agent({ id: 'named' }), gate())).toEqual(['step_1', 'named', 'step_3'])
  })

  test('generated ids avoid the given ones', () => {
    expect(idsOf(agent(), agent({ id: 'step_1' }), agent({ id: 'step_1_2' }))).toEqual([
      'step_1_3',
      'step_1',
      'step_1_2',
    ])
  })

  test('given twice are refused', () => {
    expect(refusal(withSteps(agent({ id: 'a' }), agent(), agent({ id: 'a' })))).toBe(
      'plan.steps[2] ("a"): has the same id as plan.steps[0].',
    )
  })

  test.each([[''], ['x'.repeat(129)], [null], [7]])('%j is not a valid id', (id) => {
    expect(refusal(withSteps(agent({ id })))).toContain('plan.steps[0]')
  })

  test('128 characters and any text are fine', () => {
    expect(idsOf(agent({ id: 'é'.repeat(128) }), agent({ id: 'v1.2 final' }))).toHaveLength(2)
    expect(idsOf(agent({ id: '😀'.repeat(128) }))).toHaveLength(1)
  })
})

describe('dependencies', () => {
  const dependenciesOf = (...steps: unknown[]) => parse(withSteps(...steps)).steps.map((step) => step.dependsOn)

  test('default to the step before', () => {
    expect(dependenciesOf(agent(), gate(), agent())).toEqual([[], ['step_1'], ['step_2']])
  })

  test('can be none, several, later steps, and generated ids', () => {
    const steps = [
      agent({ id: 'a', depends_on: ['c'] }),
      agent({ depends_on: [] }),
      agent({ id: 'c', depends_on: ['step_2'] }),
    ]
    expect(dependenciesOf(...steps)).toEqual([['c'], [], ['step_2']])
  })

  test('named twice count once', () => {
    expect(dependenciesOf(agent({ id: 'a' }), agent({ depends_on: ['a', 'a'] }))).toEqual([[], ['a']])
  })

  test('on unknown steps are refused', () => {
    expect(refusal(withSteps(agent({ id: 'a', depends_on: ['nope'] })))).toBe(
      'plan.steps[0] ("a"): depends on an unknown step: "nope".',
    )
  })

  test('on itself are refused', () => {
    expect(refusal(withSteps(agent({ id: 'a', depends_on: ['a'] })))).toBe('plan.steps[0] ("a"): depends on itself.')
  })

  test('in a cycle are rejected with the cycle', () => {
    const steps = [
      agent({ id: 'a', depends_on: ['b'] }),
      agent({ id: 'b', depends_on: ['c'] }),
      agent({ id: 'c', depends_on: ['a'] }),
    ]
    expect(refusal(withSteps(...steps))).toContain('"a" → "b" → "c" → "a"')
  })

  test('a cycle of default and given dependencies is found, too', () => {
    expect(refusal(withSteps(agent({ id: 'a', depends_on: ['b'] }), agent({ id: 'b' })))).toContain('cycle')
  })

  test('a lattice without cycles is accepted quickly', () => {
    const ids = Array.from({ length: maxPlanSteps }, (_, n) => `s${n}`)
    const steps = ids.map((id, n) => agent({ id, depends_on: ids.slice(0, n), instruction: `{{steps.s0.content}}` }))
    steps[0] = agent({ id: 's0', depends_on: [] })
    expect(parse(withSteps(...steps)).steps).toHaveLength(maxPlanSteps)
  })
})

describe('shape', () => {
  test.each([
    ['null', null],
    ['an array', []],
    ['a string', 'plan'],
    ['a number', 2],
    ['no steps', {}],
    ['empty steps', { steps: [] }],
    ['steps that are no array', { steps: {} }],
    ['steps null', { steps: null }],
    ['too many steps', { steps: Array.from({ length: maxPlanSteps + 1 }, () => agent()) }],
    ['another version', { version: 'v1', ...withSteps(agent()) }],
    ['a version that is a number', { version: 2, ...withSteps(agent()) }],
    ['a version that is null', { version: null, ...withSteps(agent()) }],
    ['a goal that is null', { goal: null, ...withSteps(agent()) }],
    ['a goal that is no text', { goal: 1, ...withSteps(agent()) }],
    ['an unknown field', { name: 'x', ...withSteps(agent()) }],
  ])('refuses %s, and so does the published schema', (_, plan) => {
    expect(refusal(plan)).toMatch(/^plan: /)
    expect(planSchema.safeParse(plan).success).toBe(false)
  })

  test('exactly 200 steps are accepted', () => {
    expect(parse({ steps: Array.from({ length: maxPlanSteps }, () => agent()) }).steps).toHaveLength(maxPlanSteps)
  })

  test.each([
    ['null', null, 'must be an object'],
    ['a string', 'do', 'must be an object'],
    ['an array', [], 'must be an object'],
    ['nothing to do', {}, 'exactly one of instruction, tool, await_input'],
    ['two kinds', { instruction: 'x', tool: 'wait' }, 'exactly one of'],
    ['a second kind that is null', { instruction: 'x', tool: null }, 'exactly one of'],
    ['an instruction that is null', { instruction: null }, 'instruction must be a string, not null'],
    ['an empty instruction', { instruction: '' }, 'instruction must be 1 to 100000 characters long'],
    ['an unknown field', agent({ retries: 3 }), 'retries is not a known field'],
    ['tools of a tool step', { tool: 'wait', tools: [] }, 'tools is not a known field'],
    ['input of an agent step', agent({ input: {} }), 'input is not a known field'],
    ['input that is no object', { tool: 'wait', input: [] }, 'input must be an object'],
    ['input that is null', { tool: 'wait', input: null }, 'input must be an object, not null'],
    ['attempts of a gate', gate({ max_attempts: 1 }), 'max_attempts is not a known field'],
    ['a timeout of a gate', gate({ timeout_seconds: 1 }), 'timeout_seconds is not a known field'],
    ['approval of a gate', gate({ approval: 'required' }), 'approval is not a known field'],
    ['a gate that is no object', { await_input: true }, 'await_input must be an object'],
    ['an unknown field of a gate', { await_input: { kind: 'approval' } }, 'await_input.kind is not a known field'],
    [
      'an unknown input kind',
      { await_input: { input_kind: 'yes' } },
      'await_input.input_kind must be one of "approval"',
    ],
    ['a prompt that is null', { await_input: { prompt: null } }, 'await_input.prompt must be a string, not null'],
    ['no attempts', agent({ max_attempts: 0 }), 'max_attempts must be at least 1'],
    ['too many attempts', agent({ max_attempts: 101 }), 'max_attempts must be at most 100'],
    ['half an attempt', agent({ max_attempts: 1.5 }), 'max_attempts must be an integer'],
    ['attempts as text', agent({ max_attempts: '3' }), 'max_attempts must be a number'],
    ['no time', agent({ timeout_seconds: 0 }), 'timeout_seconds must be more than 0'],
    ['more than a week', agent({ timeout_seconds: 604_801 }), 'timeout_seconds must be at most 604800'],
    ['another approval', agent({ approval: 'optional' }), 'approval must be "required"'],
    ['approval true', agent({ approval: true }), 'approval must be "required"'],
    ['depends_on that is null', agent({ depends_on: null }), 'depends_on must be an array, not null'],
    ['depends_on that is text', agent({ depends_on: 'a' }), 'depends_on must be an array'],
    ['a dependency that is no text', agent({ depends_on: [1] }), 'depends_on[0] must be a string'],
    ['tools null', agent({ tools: null }), 'tools must be an array, not null'],
  ])('refuses a step, and so does the published schema: %s', (_, step, problem) => {
    expect(planSchema.safeParse(withSteps(agent(), step)).success).toBe(false)
    const message = refusal(withSteps(agent(), step))
    expect(message).toMatch(/^plan\.steps\[1\]: /)
    expect(message).toContain(problem)
  })

  test('the step is named by its id too', () => {
    expect(refusal(withSteps(agent({ id: 'pay', retries: 1 })))).toBe(
      'plan.steps[0] ("pay"): retries is not a known field: use max_attempts.',
    )
  })

  test.each([
    [agent({ max_attempts: 1, timeout_seconds: 0.001 })],
    [agent({ max_attempts: 100, timeout_seconds: 604_800 })],
  ])('accepts the bounds: %j', (step) => {
    expect(onlyStep(step)).toMatchObject({ kind: 'agent' })
  })
})

describe('tools', () => {
  test.each([
    [{ id: 'a', tool: 'nope' }],
    [agent({ id: 'a', tools: ['wait', 'nope'] })],
    [{ id: 'a', tool: 'nope', input: {} }],
  ])('unknown ones are refused: %j', (step) => {
    expect(refusal(withSteps(step))).toBe('plan.steps[0] ("a"): names an unknown tool: "nope".')
  })

  test('property names of Object.prototype are not tools', () => {
    expect(refusal(withSteps({ tool: 'toString' }))).toContain('names an unknown tool')
  })
})

describe('templates', () => {
  const before = agent({ id: 'before' })

  test.each([
    ['an instruction', agent({ instruction: 'Use {{steps.before.content}} for {{input.name}}' })],
    ['a tool input at any depth', { tool: 'wait', input: { a: [{ b: '{{steps.before.output.x[0]}}' }] } }],
    ['a prompt', { await_input: { prompt: 'Pay {{steps.before.output.total}}?' } }],
    ['a signal', agent({ instruction: '{{signal.payload.note}}' })],
  ])('may stand in %s', (_, step) => {
    expect(parse(withSteps(before, step)).steps).toHaveLength(2)
  })

  test.each([
    ['an unknown root', agent({ id: 'x', instruction: '{{env.HOME}}' }), 'must name input'],
    ['an unclosed one', agent({ id: 'x', instruction: 'Hi {{input.name' }), 'not closed'],
    ['a malformed path', { id: 'x', tool: 'wait', input: { a: ['{{input..a}}'] } }, 'malformed path'],
    ['an unknown step', agent({ id: 'x', instruction: '{{steps.nope.content}}' }), 'names an unknown step'],
    [
      'the step itself',
      agent({ id: 'x', instruction: '{{steps.x.content}}' }),
      'refers to "x", which this step does not depend on',
    ],
    ['a broken prompt', { id: 'x', await_input: { prompt: '{{nope}}' } }, 'must name input'],
  ])('are refused: %s', (_, step, problem) => {
    const message = refusal(withSteps(before, step))
    expect(message).toMatch(/^plan\.steps\[1\] \("x"\): /)
    expect(message).toContain(problem)
  })

  test('may name a dependency of a dependency', () => {
    const steps = [
      before,
      gate({ id: 'gate' }),
      agent({ instruction: '{{steps.before.content}} {{steps.gate.output}}' }),
    ]
    expect(parse(withSteps(...steps)).steps).toHaveLength(3)
  })

  test('may not name an earlier step that is not a dependency', () => {
    const steps = [before, agent({ id: 'x', depends_on: [], instruction: '{{steps.before.content}}' })]
    expect(refusal(withSteps(...steps))).toContain('refers to "before", which this step does not depend on')
  })

  test('may not name a later step', () => {
    expect(refusal(withSteps(agent({ instruction: '{{steps.b.content}}' }), agent({ id: 'b' })))).toContain(
      'does not depend on',
    )
  })

  test('may name generated ids', () => {
    expect(parse(withSteps(agent(), agent({ instruction: '{{steps.step_1.content}}' }))).steps).toHaveLength(2)
  })

  test('templatedPart returns the part with templates', () => {
    const steps = parse(
      withSteps(agent(), { tool: 'wait', input: { a: 1 } }, gate(), gate({ await_input: { prompt: 'p' } })),
    ).steps
    expect(steps.map(templatedPart)).toEqual(['Do it', { a: 1 }, undefined, 'p'])
  })
})

test('a resolved plan on the wire is published as valid and reads back as itself', () => {
  const step = fc.oneof(
    fc.record(
      { instruction: fc.constant('Go'), tools: fc.constant(['wait']), max_attempts: fc.integer({ min: 1, max: 100 }) },
      { requiredKeys: ['instruction'] },
    ),
    fc.record(
      {
        tool: fc.constant('wait'),
        input: fc.dictionary(fc.string(), fc.constant(1)),
        approval: fc.constant('required'),
      },
      { requiredKeys: ['tool'] },
    ),
    fc.record({ await_input: fc.record({ prompt: fc.constant('Well?') }, { requiredKeys: [] }) }),
  )
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 8 }), (steps) => {
      const plan = parse({ steps })
      const wire: Plan = planSchema.parse(toWire(plan))
      expect(parse(JSON.parse(JSON.stringify(wire)))).toEqual(plan)
    }),
  )
})
