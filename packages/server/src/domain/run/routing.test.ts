import { describe, expect, test } from 'vitest'
import { routeRun } from './routing.ts'

const route = (part: Partial<Parameters<typeof routeRun>[0]>) =>
  routeRun({ hint: undefined, plan: undefined, input: {}, ...part })

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
    ['a question that is no text', { question: ['Why?'] }],
    ['a question without a question mark', { question: 'Explain this' }],
    ['two questions', { question: 'Why? And how?' }],
    ['a statement and a question', { question: 'Sales fell. Why?' }],
    ['a list', { question: 'Why:\n- a\n- b?' }],
    ['a long question', { question: `Why ${'so '.repeat(50)}long?` }],
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
})
