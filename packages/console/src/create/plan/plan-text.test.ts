import { expect, test } from 'vitest'
import {
  addStep,
  changeKind,
  changeStep,
  emptyPlan,
  kindOf,
  moveStep,
  readPlanText,
  removeStep,
  setField,
  writePlan,
} from './plan-text.ts'

const plan = {
  goal: 'kept',
  steps: [
    { id: 'a', instruction: 'x', max_attempts: 2 },
    { id: 'b', tool: 'calculator', depends_on: [] },
    { id: 'c', await_input: {}, depends_on: ['a', 'b'] },
  ],
}

test('no text is no plan, and a text that cards cannot show says why', () => {
  expect(readPlanText(' ')).toBeUndefined()
  expect(readPlanText('{')).toEqual({ problem: expect.stringContaining('not valid JSON') })
  expect(readPlanText('{"steps":[7]}')).toEqual({ problem: 'A plan needs "steps": a list of objects.' })
})

test('a text comes back as it was, with what the service would refuse', () => {
  expect(readPlanText(writePlan(plan))).toEqual({ plan, problems: [] })
  const unknown = { steps: [{ id: 'a', instruction: 'x', depends_on: ['z'] }] }
  expect(readPlanText(writePlan(unknown))).toMatchObject({
    problems: [{ step: { index: 0, id: 'a' }, field: 'depends_on', problem: 'depends on an unknown step: "z"' }],
  })
})

test('a step of each kind can be added, with an id that is free', () => {
  const added = addStep(addStep(addStep(emptyPlan, 'agent'), 'tool'), 'gate')
  expect(added.steps.map(kindOf)).toEqual(['agent', 'tool', 'gate'])
  expect(addStep({ steps: [{ id: 'step_2' }] }, 'agent').steps[1]?.id).toBe('step_3')
})

test('a new id is followed by the steps that depend on it', () => {
  const renamed = changeStep(plan, 0, { ...plan.steps[0], id: 'first' })
  expect(renamed.steps[2]).toMatchObject({ depends_on: ['first', 'b'] })
  expect(renamed.goal).toBe('kept')
})

test('a step that is removed is removed from the dependencies too', () => {
  expect(removeStep(plan, 1).steps).toEqual([plan.steps[0], { id: 'c', await_input: {}, depends_on: ['a'] }])
})

test('steps move, and nothing moves out of the list', () => {
  const ids = (moved: typeof plan | ReturnType<typeof moveStep>) => moved.steps.map(({ id }) => id)
  expect(ids(moveStep(plan, 0, 1))).toEqual(['b', 'a', 'c'])
  expect(ids(moveStep(plan, 2, -1))).toEqual(['a', 'c', 'b'])
  expect(ids(moveStep(plan, 2, 1))).toEqual(['a', 'b', 'c'])
})

test('another kind keeps what the kinds share', () => {
  expect(changeKind({ id: 'a', instruction: 'x', tools: [], approval: 'required', depends_on: ['b'] }, 'tool')).toEqual(
    {
      id: 'a',
      depends_on: ['b'],
      approval: 'required',
      tool: '',
    },
  )
  expect(changeKind({ id: 'a', tool: 'x', approval: 'required' }, 'gate')).not.toHaveProperty('approval')
})

test('a field without a value is left out', () => {
  expect(setField({ id: 'a', agent: 'clerk' }, 'agent', undefined)).toEqual({ id: 'a' })
  expect(Object.keys(setField({ id: 'a', agent: 'clerk', tools: [] }, 'agent', 'x'))).toEqual(['id', 'agent', 'tools'])
})
