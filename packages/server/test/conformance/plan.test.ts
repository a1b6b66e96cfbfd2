// Plan v2 in a create request: what is a plan, what is none, and that the refusal names the step.
import type { Plan, RunDetail } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Caller, emptyRun, expectRefusal } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let acme: Caller
beforeAll(async () => {
  service = await startService()
  acme = new Caller(service.url, service.key)
})
afterAll(() => service.stop())

const createWith = (plan: unknown) => acme.create({ ...emptyRun, plan })
const agent = (id: string, more: object = {}) => ({ id, instruction: 'Look', ...more })
const uses = (id: string, template: string, more: object = {}) => agent(id, { instruction: `Use ${template}`, ...more })
const gate = (id: string, await_input: unknown = {}) => ({ id, await_input })

const example = {
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
    { id: 'gate', await_input: { input_kind: 'approval', reason_code: 'payment_over_limit', prompt: 'Pay?' } },
    { id: 'pay', instruction: '…', approval: 'required' },
  ],
}

describe('a valid plan', () => {
  const valid: [string, unknown][] = [
    ['is the example of the interface', example],
    ['has no version', { steps: [agent('a')] }],
    ['has no ids', { steps: [{ instruction: 'a' }, { tool: 'current_time' }, { await_input: {} }] }],
    ['has 200 steps', { steps: Array.from({ length: 200 }, (_, n) => agent(`s${n}`)) }],
    ['is one gate', { steps: [gate('g')] }],
    ['has an approval before a tool step', { steps: [{ id: 'a', tool: 'current_time', approval: 'required' }] }],
    ['has steps side by side', { steps: [agent('a', { depends_on: [] }), agent('b', { depends_on: [] })] }],
    [
      'has a diamond',
      {
        steps: [
          agent('a'),
          agent('b', { depends_on: ['a'] }),
          agent('c', { depends_on: ['a'] }),
          agent('d', { depends_on: ['b', 'c'] }),
        ],
      },
    ],
    ['depends on a later step', { steps: [agent('a', { depends_on: ['b'] }), agent('b', { depends_on: [] })] }],
    ['has no tools for a step', { steps: [agent('a', { tools: [] })] }],
    [
      'has every built-in tool',
      {
        steps: [
          agent('a', {
            tools: [
              'calculator',
              'current_time',
              'wait',
              'http_fetch',
              'run_javascript',
              'json_query',
              'memory_save',
              'memory_search',
            ],
          }),
        ],
      },
    ],
    ...['approval', 'rejection', 'payload'].map((kind): [string, unknown] => [
      `waits for ${kind}`,
      { steps: [gate('g', { input_kind: kind })] },
    ]),
    ['uses input and metadata', { steps: [uses('a', '{{input.x.y}} {{metadata.z}}')] }],
    ['uses the signal', { steps: [gate('g'), uses('a', '{{signal.payload}}')] }],
    ['uses the output of a gate', { steps: [gate('g'), uses('a', '{{steps.g.output}} {{steps.g.output.x}}')] }],
    ['uses the step before', { steps: [agent('a'), uses('b', '{{steps.a.content}}')] }],
    ['uses a step through others', { steps: [agent('a'), agent('b'), uses('c', '{{steps.a.output.x}}')] }],
    [
      'uses a named dependency',
      { steps: [agent('a'), agent('b', { depends_on: [] }), uses('c', '{{steps.a.content}}', { depends_on: ['a'] })] },
    ],
  ]
  test.each(valid)('%s', async (_case, plan) => {
    const reply = await createWith(plan)
    expect(reply.status, reply.text).toBe(201)
  })

  test('is in force at once and can be read back', async () => {
    const run = (await createWith(example)).json<{ id: string }>()
    const { plan } = (await acme.get(`/v1/runs/${run.id}?include=plan`)).json<RunDetail>()
    expect(plan).toMatchObject(example)
  })

  test('has ids for all its steps once it is in force, each its own', async () => {
    const run = (await createWith({ steps: [{ instruction: 'a' }, { instruction: 'b' }, agent('mine')] })).json<{
      id: string
    }>()
    const { plan } = (await acme.get(`/v1/runs/${run.id}?include=plan`)).json<{ plan: Plan }>()
    const ids = plan.steps.map(({ id }) => id)
    expect(new Set(ids).size).toBe(3)
    expect(ids).toEqual([expect.any(String), expect.any(String), 'mine'])
  })
})

describe('a plan is invalid as a whole when', () => {
  const steps = [agent('a')]
  test.each<[string, unknown]>([
    ['it is null', null],
    ['it is a list', []],
    ['it is text', 'v2'],
    ['it is a number', 2],
    ['it is true', true],
    ['it is empty', {}],
    ['its steps are empty', { steps: [] }],
    ['its steps are null', { steps: null }],
    ['its steps are an object', { steps: {} }],
    ['it has 201 steps', { steps: Array.from({ length: 201 }, (_, n) => agent(`s${n}`)) }],
    ['it is of version v1', { version: 'v1', steps }],
    ['it is of version 2', { version: 2, steps }],
    ['its version is null', { version: null, steps }],
    ['its goal is a number', { goal: 1, steps }],
    ['its goal is null', { goal: null, steps }],
    ['it has an unknown field', { steps, name: 'x' }],
  ])('%s', async (_case, plan) => {
    expectRefusal(await createWith(plan), 400, 'INPUT_PLAN_INVALID')
  })
})

describe('a plan is invalid and the message names the step when the step', () => {
  const bad = (step: unknown) => ({ steps: [agent('first'), step] })
  test.each<[string, unknown]>([
    ['has no kind', bad({ id: 'culprit' })],
    ['has two kinds', bad({ id: 'culprit', instruction: 'x', tool: 'calculator' })],
    ['has all three kinds', bad({ id: 'culprit', instruction: 'x', tool: 'calculator', await_input: {} })],
    ['has an unknown field', bad(agent('culprit', { retries: 1 }))],
    ['has an instruction that is no text', bad({ id: 'culprit', instruction: 1 })],
    ['has a null instruction', bad({ id: 'culprit', instruction: null })],
    ['has a tool that is no text', bad({ id: 'culprit', tool: {} })],
    ['has tools that are no list', bad(agent('culprit', { tools: 'calculator' }))],
    ['has null tools', bad(agent('culprit', { tools: null }))],
    ['has the input of a tool as text', bad({ id: 'culprit', tool: 'calculator', input: 'x' })],
    ['has an input without a tool', bad(agent('culprit', { input: {} }))],
    ['has tools on a tool step', bad({ id: 'culprit', tool: 'calculator', tools: [] })],
    ['calls an unknown tool', bad({ id: 'culprit', tool: 'nosuch' })],
    ['offers an unknown tool', bad(agent('culprit', { tools: ['calculator', 'nosuch'] }))],
    ['depends on an unknown step', bad(agent('culprit', { depends_on: ['nosuch'] }))],
    ['depends on itself', bad(agent('culprit', { depends_on: ['culprit'] }))],
    ['has dependencies that are no list', bad(agent('culprit', { depends_on: 'first' }))],
    ['has null dependencies', bad(agent('culprit', { depends_on: null }))],
    ['has the id of another', { steps: [agent('culprit'), agent('b'), agent('culprit')] }],
    ['may try no time', bad(agent('culprit', { max_attempts: 0 }))],
    ['may try one and a half times', bad(agent('culprit', { max_attempts: 1.5 }))],
    ['may try in words', bad(agent('culprit', { max_attempts: '3' }))],
    ['has a null number of attempts', bad(agent('culprit', { max_attempts: null }))],
    ['has no time', bad(agent('culprit', { timeout_seconds: 0 }))],
    ['has a negative time', bad(agent('culprit', { timeout_seconds: -1 }))],
    ['has a time in words', bad(agent('culprit', { timeout_seconds: '5m' }))],
    ['has another approval', bad(agent('culprit', { approval: 'optional' }))],
    ['has a null approval', bad(agent('culprit', { approval: null }))],
    ['is a gate with an approval', bad({ id: 'culprit', await_input: {}, approval: 'required' })],
    ['is a gate that is null', bad(gate('culprit', null))],
    ['is a gate that is true', bad(gate('culprit', true))],
    ['is a gate with an unknown kind', bad(gate('culprit', { input_kind: 'money' }))],
    ['is a gate with a null kind', bad(gate('culprit', { input_kind: null }))],
    ['is a gate with an unknown field', bad(gate('culprit', { timeout: 1 }))],
    ['is a gate with a prompt that is no text', bad(gate('culprit', { prompt: 1 }))],
    ['uses a step that does not exist', bad(uses('culprit', '{{steps.nosuch.content}}'))],
    ['uses itself', bad(uses('culprit', '{{steps.culprit.content}}'))],
    ['uses a later step', { steps: [uses('culprit', '{{steps.b.content}}'), agent('b')] }],
    ['uses a step it does not wait for', bad(uses('culprit', '{{steps.first.output}}', { depends_on: [] }))],
    [
      'uses it inside the input of a tool',
      bad({ id: 'culprit', tool: 'calculator', input: { a: [{ b: '{{steps.nosuch.output}}' }] } }),
    ],
  ])('%s', async (_case, plan) => {
    const reply = await createWith(plan)
    expectRefusal(reply, 400, 'INPUT_PLAN_INVALID')
    expect(reply.json().message).toContain('culprit')
  })

  test.each<[string, unknown]>([
    ['is null', null],
    ['is text', 'look'],
    ['is a list', []],
    ['has a number as its id', { id: 1, instruction: 'x' }],
    ['has a null id', { id: null, instruction: 'x' }],
    ['has an empty id', { id: '', instruction: 'x' }],
  ])('has no name but its place: %s', async (_case, step) => {
    expectRefusal(await createWith(bad(step)), 400, 'INPUT_PLAN_INVALID')
  })

  test('stands in a circle', async () => {
    const steps = [
      agent('a', { depends_on: ['c'] }),
      agent('b', { depends_on: ['a'] }),
      agent('c', { depends_on: ['b'] }),
    ]
    const reply = await createWith({ steps })
    expectRefusal(reply, 400, 'INPUT_PLAN_INVALID')
    expect(reply.json().message).toMatch(/\b[abc]\b/)
  })
})
