import { expect, test } from 'vitest'
import { listProblems } from './plan-problem.ts'
import { findPlanProblems } from './read-plan.ts'

const problemsOf = (...steps: unknown[]) => listProblems(findPlanProblems({ steps }))

test('a plan that the service accepts has no problems', () => {
  const gate = { id: 'gate', depends_on: ['total'], await_input: { prompt: 'Pay {{steps.total.output.result}}?' } }
  expect(problemsOf(gate, { id: 'total', tool: 'calculator', depends_on: [], input: { expression: '1' } })).toEqual([])
})

test('the steps with problems of their own are all named', () => {
  expect(problemsOf({ id: 'a' }, { instruction: '' })).toEqual([
    'plan.steps[0] ("a"): must have exactly one of instruction, tool, await_input',
    'plan.steps[1]: instruction must be 1 to 100000 characters long',
  ])
})

test.each([
  [
    'an id that is there twice',
    [
      { id: 'a', instruction: 'x' },
      { id: 'a', instruction: 'y' },
    ],
    'has the same id as',
  ],
  ['an unknown step', [{ id: 'a', instruction: 'x', depends_on: ['b'] }], 'depends on an unknown step: "b"'],
  [
    'a circle',
    [
      { id: 'a', instruction: 'x', depends_on: ['b'] },
      { id: 'b', instruction: 'y' },
    ],
    'dependency cycle',
  ],
  [
    'a result that is not there yet',
    [
      { id: 'a', instruction: '{{steps.b.content}}' },
      { id: 'b', instruction: 'y' },
    ],
    'refers to "b", which this step does not depend on',
  ],
])('%s is found', (_, steps, words) => {
  expect(problemsOf(...steps)).toEqual([expect.stringContaining(words)])
})

test('a plan without steps is refused as a whole', () => {
  expect(listProblems(findPlanProblems({ steps: [] }))).toEqual(['plan: steps must have at least 1 item'])
  expect(listProblems(findPlanProblems(7))).toEqual(['plan: must be an object with at least one step'])
})
