import {
  agentStepSchema,
  createRunSchema,
  placesOfRun,
  placesOfSignal,
  placesOfStep,
  signalSchema,
  toolStepSchema,
} from '@runwright/contract'
import { expect, test } from 'vitest'
import { intakeContext as context } from '../../../test/support/intake-context.ts'
import { finish } from '../finish.ts'
import { readCreateRun, readSignal } from './intake.ts'

const messageOf = (read: () => unknown): string => {
  try {
    read()
    return 'accepted'
  } catch (error) {
    return (error as Error).message
  }
}
const create = (body: object) => messageOf(() => finish(readCreateRun(JSON.stringify(body), context)))
const withStep = (step: object) => create({ input: {}, metadata: {}, plan: { steps: [step] } })

test.each([
  [{ agent: 'clerk', input: {}, metadata: {} }, 'agent is not a known field: use metadata.agent.'],
  [{ prompt: 'Say hello' }, 'prompt is not a known field: say what the run should do in input.goal.'],
  [{ input: {}, steps: [] }, 'steps is not a known field: use plan.steps.'],
  [{ input: {}, idempotency_key: 'a' }, 'idempotency_key is not a known field: send the header idempotency-key.'],
])('a create request that is refused says where a field belongs: %j', (body, message) => {
  expect(create(body)).toBe(message)
})

test('a field of which nothing is known is only named, also one that every object has', () => {
  const body = { input: {}, metadata: {} }
  expect(create({ ...body, colour: 1 })).toBe('colour is not a known field.')
  expect(create({ ...body, constructor: 1 })).toBe('constructor is not a known field.')
  expect(create({ ...body, metadata: { agent: 'x', prompt: 'y' } })).not.toContain('known field')
})

test('so does a step of a plan, also if it lacks what it should do', () => {
  expect(withStep({ instruction: 'x', dependsOn: [] })).toContain('dependsOn is not a known field: use depends_on')
  expect(withStep({ tool: 'calculator', arguments: {} })).toContain('arguments is not a known field: use input')
  expect(withStep({ prompt: 'Say hello' })).toContain(
    'must have exactly one of instruction, tool, await_input; prompt is not a known field: use instruction',
  )
})

test('so does a signal', () => {
  const signal = (body: object) => messageOf(() => finish(readSignal(JSON.stringify(body))))
  expect(signal({ type: 'approve' })).toBe('type is not a known field: use action.')
  expect(signal({ action: 'reject', reason: 'no' })).toBe('reason is not a known field: use payload.reason.')
})

test('no field of the tables is a known one', () => {
  const known = (...schemas: { shape: object }[]) => new Set(schemas.flatMap(({ shape }) => Object.keys(shape)))
  const isKnown = (fields: object, names: Set<string>) => Object.keys(fields).filter((field) => names.has(field))
  expect(isKnown(placesOfRun, known(createRunSchema))).toEqual([])
  expect(isKnown(placesOfSignal, known(signalSchema))).toEqual([])
  expect(isKnown(placesOfStep, known(agentStepSchema, toolStepSchema))).toEqual([])
})
