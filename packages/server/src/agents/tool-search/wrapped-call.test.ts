import { expect, test } from 'vitest'
import { fakeTool } from '../../../test/support/fake-execution.ts'
import type { AskedToolCall, ModelReply } from '../../models/port/model.ts'
import { ToolCatalogue } from '../../tools/port/catalogue.ts'
import { unwrapCalls, wrapCall } from './wrapped-call.ts'

const reply = (toolCalls: readonly AskedToolCall[]): ModelReply => ({
  kind: 'reply',
  text: '',
  toolCalls,
  finish: 'complete',
  usage: undefined,
})
const tools = new ToolCatalogue(['bank.pay', 'a.b_c', 'a.b__c', 'a__b.c', 'plain'].map((name) => fakeTool(name)))
const callsOf = (call: AskedToolCall) => (unwrapCalls(reply([call]), tools) as ModelReply).toolCalls
const unwrap = (input: unknown) => callsOf({ id: '1', name: 'call_tool', input })
const nameOf = (name: string) => callsOf({ id: '1', name, input: {} })[0]?.name

test('a wrapped call becomes the call that the model means, and back what the model wrote', () => {
  const input = { name: 'bank.pay', input: { to: 'Ada' } }
  const [call] = unwrap(input)
  expect(call).toEqual({ id: '1', name: 'bank.pay', input: { to: 'Ada' }, via: 'call_tool' })
  expect(wrapCall(call as AskedToolCall)).toEqual({ name: 'call_tool', input })
})

test.each([
  ['without arguments', { name: 'a.b' }, {}],
  ['with their other name', { name: 'a.b', arguments: { n: 1 } }, { n: 1 }],
  ['as JSON in a text', { name: 'a.b', input: '{"n": 1}' }, { n: 1 }],
  ['that are no object', { name: 'a.b', input: 'what?' }, 'what?'],
])('arguments %s', (_, input, meant) => {
  expect(unwrap(input)).toEqual([{ id: '1', name: 'a.b', input: meant, via: 'call_tool' }])
})

test.each([
  [{}],
  ['text'],
  [null],
  [[]],
  [{ name: 5, input: {} }],
  [{ name: 'call_tool', input: { name: 'call_tool', input: { name: 'a.b' } } }],
])('%j names no tool, so the call stays as it is', (input) => {
  expect(unwrap(input)).toEqual([{ id: '1', name: 'call_tool', input }])
})

test('other calls and outcomes stay the same', () => {
  const direct = reply([{ id: '1', name: 'bank.pay', input: { name: 'x' } }])
  expect(unwrapCalls(direct, tools)).toBe(direct)
  expect(wrapCall({ name: 'bank.pay', input: 1 })).toEqual({ name: 'bank.pay', input: 1 })
  const aborted = { kind: 'aborted', text: '', usage: undefined } as const
  expect(unwrapCalls(aborted, tools)).toBe(aborted)
})

test('a tool that was not offered is known by the name that providers would give it, also in a wrapped call', () => {
  expect(nameOf('bank__pay')).toBe('bank.pay')
  expect(nameOf('a__b_c')).toBe('a.b_c')
  expect(unwrap({ name: 'bank__pay', input: {} })).toEqual([{ id: '1', name: 'bank.pay', input: {}, via: 'call_tool' }])
})

test.each(['plain', 'bank.pay', 'unknown', 'a__b__c', 'bank_pay'])('the name %s stays as it is', (name) => {
  expect(nameOf(name)).toBe(name)
})
