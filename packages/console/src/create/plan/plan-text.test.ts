import { expect, test } from 'vitest'
import {
  addStep,
  changeKind,
  emptyPlan,
  kindOf,
  moveStep,
  readPlanText,
  removeStep,
  renameStep,
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

test('a new name is followed by the steps that depend on it', () => {
  const renamed = renameStep(plan, { index: 0, from: 'a', to: 'first' })
  expect(renamed?.steps.map(({ id }) => id)).toEqual(['first', 'b', 'c'])
  expect(renamed?.steps[2]).toMatchObject({ depends_on: ['first', 'b'] })
  expect(renamed?.goal).toBe('kept')
  const unnamed = { steps: [{ instruction: 'x' }, { id: 'b', tool: 'y', depends_on: ['step_1'] }] }
  expect(renameStep(unnamed, { index: 0, from: 'step_1', to: 'a' })?.steps).toMatchObject([
    { id: 'a' },
    { depends_on: ['a'] },
  ])
})

test('a name that another step has is refused, also the number that a step without a name gets', () => {
  expect(renameStep(plan, { index: 0, from: 'a', to: 'b' })).toBeUndefined()
  expect(renameStep({ steps: [{ id: 'a' }, { id: 'step_1' }] }, { index: 0, from: 'a', to: '' })).toBeUndefined()
  expect(renameStep(plan, { index: 0, from: 'a', to: '' })?.steps).toMatchObject([
    { instruction: 'x' },
    { id: 'b' },
    { depends_on: ['step_1', 'b'] },
  ])
})

test('the step that had the name is renamed, wherever it stands by now', () => {
  const moved = renameStep(moveStep(plan, 0, 1), { index: 0, from: 'a', to: 'first' })
  expect(moved?.steps.map(({ id }) => id)).toEqual(['b', 'first', 'c'])
})

test('of two steps with one name, the chosen one is renamed, and who depends on the name keeps the other', () => {
  const twice = { steps: [{ id: 'a' }, { id: 'a' }, { id: 'c', depends_on: ['a'] }] }
  expect(renameStep(twice, { index: 1, from: 'a', to: 'b' })?.steps).toEqual([
    { id: 'a' },
    { id: 'b' },
    { id: 'c', depends_on: ['a'] },
  ])
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

const common = { id: 'a', depends_on: ['b'], max_attempts: 5, timeout_seconds: 60, approval: 'required' }

test('another kind keeps what the kinds share', () => {
  const agent = { ...common, instruction: 'x', tools: [], judge: 'never' }
  expect(changeKind(agent, 'tool')).toEqual({ ...common, tool: '' })
  expect(changeKind({ ...common, tool: 'x', input: {} }, 'agent')).toEqual({ ...common, instruction: '' })
  expect(changeKind(agent, 'gate')).toEqual({
    id: 'a',
    depends_on: ['b'],
    await_input: { input_kind: 'approval', prompt: '' },
  })
})

test('a step of two kinds keeps what the chosen one has', () => {
  expect(changeKind({ id: 'a', instruction: 'x', tool: 'y', input: { n: 1 } }, 'tool')).toEqual({
    id: 'a',
    tool: 'y',
    input: { n: 1 },
  })
})

test('a field without a value is left out', () => {
  expect(setField({ id: 'a', agent: 'clerk' }, 'agent', undefined)).toEqual({ id: 'a' })
  expect(Object.keys(setField({ id: 'a', agent: 'clerk', tools: [] }, 'agent', 'x'))).toEqual(['id', 'agent', 'tools'])
})
