import { describe, expect, test } from 'vitest'
import { routeRun } from './routing.ts'

const route = (part: Partial<Parameters<typeof routeRun>[0]>) =>
  routeRun({ hint: undefined, plan: undefined, input: {}, isSandbox: true, ...part })

describe('routeRun', () => {
  test.each([[undefined], ['skip_planning'], ['require_planning']] as const)(
    'a plan decides, whatever the hint (%s)',
    (hint) => {
      expect(route({ hint, plan: {} })).toEqual({ first_role: 'worker', decided_by: 'plan', reason: 'plan_given' })
    },
  )

  test('the hint decides without a plan, whatever the input', () => {
    const input = { question: 'Why?' }
    expect(route({ hint: 'skip_planning' })).toEqual({
      first_role: 'worker',
      decided_by: 'hint',
      reason: 'skip_planning',
    })
    expect(route({ hint: 'require_planning', input })).toEqual({
      first_role: 'planner',
      decided_by: 'hint',
      reason: 'require_planning',
    })
  })

  test.each([
    ['nothing', {}],
    ['a goal', { goal: 'Say hello' }],
    ['a short prompt', { prompt: 'What is 2+2?' }],
    ['a message', { message: 'hi' }],
    ['a sandbox script', { sandbox: { steps: [] } }],
    ['a question and a script', { question: 'Why?', sandbox: {} }],
    ['a question and context', { question: 'Why?', documents: [] }],
    ['a question that is not text', { question: ['Why?'] }],
    ['a question without a question mark', { question: 'Explain this' }],
    ['two questions', { question: 'Why? And how?' }],
    ['a statement and a question', { question: 'Sales fell. Why?' }],
    ['a list', { question: 'Why:\n- a\n- b?' }],
    ['a long question', { question: `Why ${'so '.repeat(50)}long?` }],
    ['a question of one character too many', { question: `${'a'.repeat(120)}?` }],
    ['only a question mark', { question: ' ?' }],
    ['an empty question', { question: '' }],
  ])('without either, the planner goes first: %s', (_, input) => {
    expect(route({ input })).toEqual({ first_role: 'planner', decided_by: 'heuristic', reason: 'open_task' })
  })

  test.each([['Why?'], ['  What is the capital of France?  '], [`${'a'.repeat(119)}?`]])(
    'one short question and nothing else goes to the worker: %s',
    (question) => {
      expect(route({ input: { question } })).toEqual({
        first_role: 'worker',
        decided_by: 'heuristic',
        reason: 'single_question',
      })
    },
  )

  describe('with a real model', () => {
    const first = (input: Readonly<Record<string, unknown>>) => route({ input, isSandbox: false }).first_role

    test.each([
      [{ question: 'What is the capital of France?' }],
      [{ goal: 'Say hello to Ada' }],
      [{ prompt: 'Translate this into German: good morning' }],
      [{ customer: 'Ada', order: 4711, express: true, note: 'Where is it?' }],
      [{ text: 'Summarize the report. Keep it short.', output_schema: { type: 'object' } }],
      [{ text: 'Summarize the report.', rubric: { criteria: 'First the cost, then the risk. '.repeat(50) } }],
      [{}],
    ])('a short request for one thing goes to the worker: %j', (input) => {
      expect(first(input)).toBe('worker')
    })

    test.each([
      [{ goal: 'Find the offers, then compare them' }],
      [{ goal: 'Do this:\n- find offers\n- compare them' }],
      [{ goal: '1. Find offers\n2. Compare them' }],
      [{ goal: 'First find the offers and finally write a mail' }],
      [{ tasks: ['find', 'compare'] }],
      [{ order: { items: [1, 2] } }],
      [{ text: 'word '.repeat(100) }],
      [{ text: 'Find it. Check it. Book it. Tell me.' }],
      [{ a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 }],
    ])('several actions, long or nested work goes to the planner: %j', (input) => {
      expect(first(input)).toBe('planner')
    })
  })
})
