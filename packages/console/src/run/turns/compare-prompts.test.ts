import type { Turn, TurnMessage } from '@runwright/contract'
import { expect, test } from 'vitest'
import { comparePrompts, nameTurns } from './compare-prompts.ts'

const user = (text: string): TurnMessage => ({ from: 'user', text })

test('a prompt shows what is new, what has changed, and what stays', () => {
  const before = [user('Rules, version 1'), user('Go.')]
  const after = [user('Rules, version 2'), user('Go.'), user('And now?')]
  expect(comparePrompts(after, before).map(({ kind, before: was }) => [kind, was])).toEqual([
    ['changed', 'Rules, version 1'],
    ['same', undefined],
    ['new', undefined],
  ])
})

test('a message is the same if only the ids that models give to their calls differ', () => {
  const called = (call: string, { customer = 'cust_1', order = 'order_1' } = {}): TurnMessage[] => [
    { from: 'assistant', text: '', tool_calls: [{ id: call, name: 'get_customer', input: { id: customer } }] },
    { from: 'tool', call_id: call, name: 'get_customer', result: { orders: [{ id: order }] }, failed: false },
  ]
  const kinds = (messages: TurnMessage[]) => comparePrompts(messages, called('call_1')).map(({ kind }) => kind)
  expect(kinds(called('call_2'))).toEqual(['same', 'same'])
  expect(kinds(called('call_1', { customer: 'cust_2', order: 'order_2' }))).toEqual(['changed', 'changed'])
})

test('turns are counted for each step and role', () => {
  const turn = (step_id: string, role: string) => ({ step_id, role, task_id: `task_${step_id}` }) as Turn
  const turns = [turn('#2', 'worker'), turn('#2', 'worker'), turn('#2', 'judge'), turn('order', 'worker')]
  const named = nameTurns(turns)
  expect(named.map(({ name }) => name)).toEqual([
    'step 3 · turn 1',
    'step 3 · turn 2',
    'step 3 · turn 1',
    'order · turn 1',
  ])
  expect(named.map(({ previous }) => previous)).toEqual([undefined, turns[0], undefined, undefined])
})

test('a step that begins again under another plan is another round, and its number cannot be taken for its id', () => {
  const turn = (step_id: string, task_id: string) => ({ step_id, role: 'worker', task_id }) as Turn
  const turns = [turn('#0', 'a'), turn('step 1', 'b'), turn('#0', 'a'), turn('#0', 'c'), turn('#x', 'd')]
  const named = nameTurns(turns)
  expect(named.map(({ name }) => name)).toEqual([
    'step 1 · turn 1',
    'step 1 · turn 1 of round 2',
    'step 1 · turn 2',
    'step 1 · turn 1 of round 3',
    '#x · turn 1',
  ])
  expect(named.map(({ previous }) => previous)).toEqual([undefined, undefined, turns[0], undefined, undefined])
})
