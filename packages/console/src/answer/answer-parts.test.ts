import type { AwaitingInput } from '@runwright/contract'
import { expect, test } from 'vitest'
import { hasApprove, partsOf } from './answer-parts.ts'

const call = { tool: 'pay', arguments_hash: 'ab' }
const schema = { approval_schema: {} }
const unknown = { reason_code: 'tool_outcome_unknown' } as const
const several = { calls: [{}, {}] as unknown as AwaitingInput['calls'] }

test.each<[string, Partial<AwaitingInput>, boolean, string]>([
  ['a question', { tool: null }, true, 'data'],
  ['a question for data', { tool: null, input_kind: 'payload' }, false, 'data'],
  ['a question with a schema', { tool: null, ...schema }, false, 'data'],
  ['a call', call, true, 'arguments deny result'],
  ['a call whose arguments depend on the answer', { tool: 'pay', arguments_hash: null }, true, 'deny data'],
  ['several calls', { ...call, ...several }, true, 'arguments deny result calls'],
  ['a call with a schema', { ...call, ...schema }, false, 'data arguments deny result'],
  ['several calls with a schema', { ...call, ...several, ...schema }, false, 'data arguments deny result'],
  ['a call whose outcome is not known', { ...call, ...unknown }, true, 'error result'],
  ['the same with a schema', { ...call, ...unknown, ...schema }, false, 'data error result'],
])('%s', (_name, own, approves, parts) => {
  const wait = { input_kind: 'approval', approval_schema: null, ...own } as AwaitingInput
  expect(hasApprove(wait)).toBe(approves)
  expect(partsOf(wait).join(' ')).toBe(parts)
})
