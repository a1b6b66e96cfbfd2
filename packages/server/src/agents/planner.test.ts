import { describe, expect, test } from 'vitest'
import { finish } from '../domain/finish.ts'
import type { TemplateScope } from '../domain/plan/fill-templates.ts'
import type { ResolvedAgentStep } from '../domain/plan/plan.ts'
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
  answers: [],
  tokensLeft: 900,
  secondsLeft: 60,
}
const tools = [
  {
    name: 'calculator',
    description: 'Calculates.\nTakes an expression.',
    inputSchema: { properties: { expression: { type: 'string', description: 'secret' } }, required: ['expression'] },
  },
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

  test('the tools, with their arguments in one line each, and which of them ask a person', () => {
    const lines = prompt().split('\n')
    const start = lines.indexOf('Tools:')
    expect(lines[start + 1]).toBe('- calculator(expression: string): Calculates.')
    expect(lines[start + 2]).toBe(`- http_fetch(): ${'x'.repeat(160)}`)
    expect(lines).toHaveLength(start + 3)
    expect(prompt()).not.toContain('secret')
    const asking = tools.map((tool) => ({ ...tool, asksPerson: true }))
    expect(prompt({ tools: asking })).toContain('- calculator(expression: string) [asks a person]: Calculates.')
  })

  test('of very many tools the first with their arguments, others by name, and how many are left out', () => {
    const properties = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`field_${n}`, { type: 'string' }]))
    const many = Array.from({ length: 2_000 }, (_, n) => ({
      name: `crm.get_${String(n).padStart(4, '0')}`,
      description: 'x'.repeat(500),
      inputSchema: { type: 'object', properties },
      asksPerson: n === 100,
    }))
    const text = prompt({ tools: many })
    expect(text.length).toBeLessThan(45_000)
    expect(text).toContain('- crm.get_0000(field_0?: string')
    expect(text).toContain('There is no room for the arguments of the following tools.')
    expect(text).toContain('\n- crm.get_0100 [asks a person]\n')
    const listed = text.match(/^- crm\./gm)?.length ?? 0
    expect(text).toContain(`${2_000 - listed} more tools are not listed.`)
    expect(prompt({ tools: many.slice(0, 30) })).not.toContain('no room')
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

  test('all plans before with what was done, and why each was replaced, when it replans', () => {
    const step = (id: string, isDone = false) => ({ id, what: `Do ${id}`, isDone })
    const past = [
      { steps: [step('a', true), step('b')], reason: 'b did not work.' },
      { steps: [step('c')], reason: undefined },
    ]
    expect(prompt({ replan: { reason: 'x', past } })).toContain(
      'Plan 1:\n- [done] a: Do a\n- [not done] b: Do b\nIt was replaced because: b did not work.\n\n' +
        'Plan 2:\n- [not done] c: Do c\nIt was replaced.',
    )
    const long = {
      steps: Array.from({ length: 20 }, (_, n) => ({ ...step(`s${n}`), what: 'x'.repeat(900) })),
      reason: 'y',
    }
    const shown = prompt({ replan: { reason: 'x', past: [long, long, past[1] as (typeof past)[1]] } })
    expect(shown).toContain('Plan 3:\n- [not done] c: Do c')
    expect(shown).not.toContain('Plan 1:')
    expect(shown.length).toBeLessThan(18_000)
  })

  test('which steps are finished when it replans', () => {
    const finished = [{ stepId: 'check', content: 'It is fine.', output: null }]
    const told = prompt({ context: { ...context, finished }, replan: { reason: 'x' } })
    expect(told).toContain('<data name="result of check">\nIt is fine.\n</data>')
  })
})

const known = new Set(['calculator', 'http_fetch'])
const scope: TemplateScope = {
  input: { invoice: 17 },
  metadata: {},
  stepIds: new Set(),
  steps: new Map(),
  signal: undefined,
}
const givers = { scope, schemaOf: ({ outputSchema }: ResolvedAgentStep) => outputSchema }
const readBy = (said: Parameters<typeof readPlan>[0], options: Partial<Parameters<typeof readPlan>[1]> = {}) => {
  const made = finish(readPlan(said, { knownTools: known, givers, ...options }))
  return typeof made === 'string' || made.problems.length === 0 ? made : made.problems.join('; ')
}
const read = (said: unknown) => readBy({ text: typeof said === 'string' ? said : JSON.stringify(said) })
const priced = { type: 'object', properties: { price: { type: 'number' } } }
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
        { id: 'a', instruction: 'x', tools: ['http_fetch'], approval: 'required', output_schema: priced },
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
    expect(readBy({ text: '', output: made.wire })).toMatchObject({ wire: made.wire, resolved: made.resolved })
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

describe('what the templates of a plan refer to', () => {
  const plan = (reference: string, before: object) => ({
    steps: [
      { id: 'a', ...before },
      { id: 'b', instruction: `Say ${reference}` },
    ],
  })
  const agent = { instruction: 'Find the price' }
  const array = { type: 'object', properties: { items: { type: 'array', items: priced } } }

  test.each<[string, string, object]>([
    ['the text of a step', '{{steps.a.content}}', agent],
    ['a property of its schema', '{{steps.a.output.price}}', { ...agent, output_schema: priced }],
    ['an item of its schema', '{{steps.a.output.items[0].price}}', { ...agent, output_schema: array }],
    ['a schema that allows more', '{{steps.a.output.x}}', { ...agent, output_schema: { anyOf: [priced, {}] } }],
    ['what a tool gives', '{{steps.a.output.result}}', { tool: 'calculator', input: {} }],
    ['what a person answers', '{{steps.a.output.account}}', { await_input: { prompt: 'Which?' } }],
    ['the input', '{{input.invoice}}', agent],
    ['an answer that is not known yet', '{{signal.payload.x}}', agent],
    ['nothing: braces are text', '{{first_name}}', agent],
  ])('%s can be used', (_, reference, before) => {
    expect(read(plan(reference, before))).toMatchObject({ problems: [] })
  })

  test.each<[string, string, object, string]>([
    [
      'a value of a step that gives text',
      '{{steps.a.output.price}}',
      agent,
      'the step has no output_schema, so it gives only text; add output_schema to step a, or use {{steps.a.content}}',
    ],
    [
      'a property that its schema does not have',
      '{{steps.a.output.cost}}',
      { ...agent, output_schema: priced },
      '"cost"',
    ],
    ['an item without that property', '{{steps.a.output.items[0].x}}', { ...agent, output_schema: array }, '"x"'],
    ['the text of a gate', '{{steps.a.content}}', { await_input: { prompt: 'Which?' } }, 'use {{steps.a.output}}'],
    ['a field that the input does not have', '{{input.order}}', agent, '{{input.order}} has no value'],
  ])('%s is refused, with the repair', (_, reference, before, problem) => {
    expect(read(plan(reference, before))).toMatch(/^plan\.steps\[1\] \("b"\): /)
    expect(read(plan(reference, before))).toContain(problem)
  })

  test('all problems are named at once', () => {
    const steps = [
      { id: 'a', instruction: 'x', tools: ['teleport'] },
      { id: 'b', instruction: '{{steps.a.output.price}} {{steps.a.output.price}}' },
      { id: 'c', instruction: '{{input.order}}' },
    ]
    const said = String(read({ steps }))
    expect(said.split('; plan.steps').map((part) => part.slice(0, 24))).toHaveLength(3)
    for (const part of ['"teleport"', 'to step a', '{{input.order}} has no value']) expect(said).toContain(part)
    expect(said.split('{{steps.a.output.price}}')).toHaveLength(2)
  })

  test('a reply with very many references takes no longer than one with as many braces', () => {
    const said = (reference: string) => ({ steps: [{ id: 'a', instruction: reference.repeat(40_000) }] })
    const time = (reference: string) => {
      const startedAt = process.cpuUsage()
      expect(read(said(reference))).toBeDefined()
      return process.cpuUsage(startedAt).user
    }
    time('{{input.x}}')
    expect(time('{{input.x}}')).toBeLessThan(20 * time('{{inputs.x}}') + 500_000)
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
    expect(readBy(said('clerk'), { agents: known })).toMatchObject({
      wire: { steps: [{ agent: 'clerk' }] },
    })
    expect(readBy(said('nobody'), { agents: known })).toContain('names an unknown agent: "nobody"')
    expect((readBy(said('nobody')) as MadePlan).wire.steps[0]).not.toHaveProperty('agent')
  })
})
