import { describe, expect, test } from 'vitest'
import { finish } from '../domain/finish.ts'
import { prompts } from './load-prompt.ts'
import { type MadePlan, plannerMessages, plannerPrompt, planOutputSchema, readPlan } from './planner.ts'
import type { PromptContext } from './prompt.ts'

const context: PromptContext = {
  goal: undefined,
  input: { invoice: 17 },
  attachmentRefs: ['file_1'],
  date: '2026-11-16',
  plan: undefined,
  finished: [],
  answer: undefined,
  tokensLeft: 900,
  secondsLeft: 60,
}
const tools = [
  { name: 'calculator', description: 'Calculates.\nTakes an expression.', inputSchema: { secret: 'schema' } },
  { name: 'http_fetch', description: 'x'.repeat(500), inputSchema: {} },
]

type Planning = Parameters<typeof plannerMessages>[0]

function prompt(part: Partial<Planning> = {}): string {
  const [system, user] = plannerMessages({ context, tools, memory: '', replan: undefined, ...part })
  expect(system).toEqual({ from: 'system', text: prompts.planner.text })
  return (user as { text: string }).text
}

describe('the planner is told', () => {
  test('the task, with its attachments and the date', () => {
    for (const part of ['{"invoice":17}', 'file_1', '2026-11-16']) expect(prompt()).toContain(part)
  })

  test('the tools, with one line each and without their schemas', () => {
    const lines = prompt().split('\n')
    const start = lines.indexOf('Tools:')
    expect(lines[start + 1]).toBe('- calculator: Calculates.')
    expect(lines[start + 2]).toBe(`- http_fetch: ${'x'.repeat(160)}`)
    expect(lines).toHaveLength(start + 3)
    expect(prompt()).not.toContain('schema')
  })

  test('that there are none', () => {
    expect(prompt({ tools: [] })).toContain('There are no tools.')
  })

  test('what memory holds, first', () => {
    expect(prompt({ memory: 'NOTES' }).startsWith('NOTES\n\n')).toBe(true)
  })

  test('why it replans', () => {
    expect(prompt({ replan: { reason: 'The shop is closed.' } })).toContain('Plan again. Why: The shop is closed.')
    expect(prompt({ replan: { reason: undefined } })).toContain('Plan again. The plan before did not work.')
    expect(prompt()).not.toContain('Plan again')
  })

  test('which steps stay when it replans, and which it can only make anew', () => {
    const staying = [{ id: 'gate', what: 'waits for a person: Ok?' }]
    expect(prompt({ replan: { reason: undefined, staying } })).toContain(
      'These steps stay as they are, and wait for your steps:\n- gate: waits for a person: Ok?',
    )
    const needed = [{ id: 'b', what: 'Do b' }]
    expect(prompt({ replan: { reason: undefined, staying, needed } })).toContain(
      'unless you plan a step with its id:\n- b: Do b',
    )
    expect(prompt({ replan: { reason: undefined } })).not.toContain('stay as they are')
  })

  test('which steps are finished when it replans', () => {
    const finished = [{ stepId: 'check', content: 'It is fine.', output: null }]
    const told = prompt({ context: { ...context, finished }, replan: { reason: 'x' } })
    expect(told).toContain('<data name="result of check">\nIt is fine.\n</data>')
  })
})

const known = new Set(['calculator', 'http_fetch'])
const read = (said: unknown) =>
  finish(readPlan({ text: typeof said === 'string' ? said : JSON.stringify(said) }, { knownTools: known }))
const instructions = (said: unknown) =>
  (read(said) as MadePlan).wire.steps.map((step) => ('instruction' in step ? step.instruction : Object.keys(step)))

describe('a plan', () => {
  test.each<[string, unknown]>([
    ['as it should be', { goal: 'g', steps: [{ instruction: 'do it' }] }],
    [
      'in a fence, with prose around it',
      'Here is my plan:\n```json\n{"steps":[{"instruction":"do it"}]}\n```\nGood luck!',
    ],
    ['in prose without a fence', 'My plan: {"steps":[{"instruction":"do it"}]} - that is all.'],
    ['after a <think> block that holds another', '<think>{"steps":[]}</think>{"steps":[{"instruction":"do it"}]}'],
    ['with trailing commas', '{"steps":[{"instruction":"do it",},],}'],
    ['with steps as strings', { steps: ['do it'] }],
    ['as a bare list', ['do it']],
    ['with extra keys', { thoughts: 'hm', steps: [{ instruction: 'do it', agent: 'me', priority: 1 }], risk: 'low' }],
    ['wrapped in {plan: …}', { plan: { steps: [{ instruction: 'do it' }] } }],
    ['wrapped in {plan: […]}', { plan: [{ task: 'do it' }] }],
  ])('%s works', (_, said) => {
    expect(instructions(said)).toEqual(['do it'])
  })

  test('braces that are not a reference stay as they are', () => {
    expect(instructions({ steps: ['Write "Dear {{first_name}}," and {{ }}'] })).toEqual([
      'Write "Dear {{first_name}}," and {{ }}',
    ])
  })

  test('has agent, tool and gate steps with their dependencies', () => {
    const made = read({
      goal: 'Pay',
      steps: [
        { id: 'a', instruction: 'x', tools: ['http_fetch'], approval: 'required' },
        { id: 'b', tool: 'calculator', input: { expression: '{{steps.a.output.price}} * 2' }, depends_on: ['a'] },
        { id: 'c', await_input: { input_kind: 'approval', prompt: 'Ok?' } },
      ],
    }) as MadePlan
    expect(made.wire).toMatchObject({
      goal: 'Pay',
      steps: [
        { instruction: 'x', tools: ['http_fetch'], approval: 'required' },
        { tool: 'calculator', depends_on: ['a'] },
        { await_input: { input_kind: 'approval', prompt: 'Ok?' }, depends_on: ['b'] },
      ],
    })
    expect(finish(readPlan({ text: '', output: made.wire }, { knownTools: known }))).toEqual(made)
  })

  test.each<[string, unknown, RegExp]>([
    ['an unknown tool step', { steps: [{ tool: 'teleport', input: {} }] }, /teleport/],
    ['an unknown tool of a step', { steps: [{ instruction: 'x', tools: ['teleport'] }] }, /teleport/],
    ['no steps', { steps: [] }, /steps/],
    ['something else', { answer: 42 }, /steps/],
    ['an unknown dependency', { steps: [{ id: 'a', instruction: 'x', depends_on: ['b'] }] }, /"b"/],
    ['prose', 'I would first look around.', /^the answer holds no JSON$/],
    ['nothing', '', /^the answer is empty$/],
  ])('%s is refused in a sentence without a full stop', (_, said, problem) => {
    expect(read(said)).toMatch(problem)
    expect(read(said)).not.toMatch(/\.$/)
  })
})

describe('agents', () => {
  const agents = [
    { name: 'clerk', description: 'Sorts letters.\nIn detail: …' },
    { name: 'writer', description: 'Writes letters.' },
  ]

  test('without any, the prompt, its version and the schema do not mention them', () => {
    expect(prompt()).not.toContain('Agents')
    expect(plannerPrompt(false)).toBe(prompts.planner)
    expect(JSON.stringify(planOutputSchema([]))).not.toContain('agent')
  })

  test('are listed with one line each, and the system prompt says how to use them', () => {
    const [system, user] = plannerMessages({ context, tools, agents, memory: '', replan: undefined })
    expect((user as { text: string }).text).toContain('Agents:\n- clerk: Sorts letters.\n- writer: Writes letters.')
    const text = `${prompts.planner.text}\n\n${prompts['planner-agents'].text}`
    expect(system).toEqual({ from: 'system', text })
    expect(plannerPrompt(true).version).toBe(`${prompts.planner.version}+${prompts['planner-agents'].version}`)
    expect(planOutputSchema(['clerk'])).toMatchObject({
      properties: { steps: { items: { properties: { agent: { enum: ['clerk'] } } } } },
    })
  })

  test('a step may name one that is known', () => {
    const known = { names: ['clerk'], has: (name: string) => name === 'clerk' }
    const said = (agent: string) => ({ text: JSON.stringify({ steps: [{ instruction: 'x', agent }] }) })
    expect(finish(readPlan(said('clerk'), { knownTools: new Set(), agents: known }))).toMatchObject({
      wire: { steps: [{ agent: 'clerk' }] },
    })
    expect(finish(readPlan(said('nobody'), { knownTools: new Set(), agents: known }))).toContain(
      'names an unknown agent: "nobody"',
    )
    expect((finish(readPlan(said('nobody'), { knownTools: new Set() })) as MadePlan).wire.steps[0]).not.toHaveProperty(
      'agent',
    )
  })
})
