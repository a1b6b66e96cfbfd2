import type { AwaitingInput, Decision } from '@runwright/contract'
import { expect, test } from 'vitest'
import { answerOf } from './draft.ts'
import { sameDraft } from './same-answer.ts'

const wait = (own: Partial<AwaitingInput> = {}) =>
  ({
    input_kind: 'approval',
    tool: 'pay',
    arguments: { amount: 500, iban: '***' },
    arguments_hash: 'ab',
    calls: [{ call_id: 'call_1' }, { call_id: 'call_2' }],
    ...own,
  }) as AwaitingInput
const withSchema = wait({
  approval_schema: { type: 'object', properties: { centre: { type: 'integer' }, note: { type: 'string' } } },
})
const unknown = wait({ reason_code: 'tool_outcome_unknown' })
const said = (own: object): Decision =>
  ({ action: 'submit_input', payload: null, call: null, calls: null, ...own }) as Decision

test.each<[string, AwaitingInput, Decision]>([
  ['changed arguments', wait(), said({ call: { arguments: { iban: '***', amount: 450 } } })],
  ['a result', wait(), said({ call: { result: ['R-7'] } })],
  ['a result that is nothing', wait(), said({ call: { result: null } })],
  ['a failure', unknown, said({ call: { error: 'Declined.' } })],
  [
    'decisions about several calls',
    wait(),
    said({
      calls: [
        { call_id: 'call_2', approve: true },
        { call_id: 'call_1', deny: 'No' },
      ],
    }),
  ],
  ['an approval with data', withSchema, said({ action: 'approve', payload: { centre: 4100, note: '' } })],
  ['changed arguments with data', withSchema, said({ call: { arguments: { amount: 1 } }, payload: { centre: 4100 } })],
  ['data', wait({ tool: null, input_kind: 'payload' }), said({ payload: { account: 'DE' } })],
])('%s can be said again', (_name, question, decision) => {
  const draft = sameDraft(decision, question)
  const { action, payload, call, calls } = decision
  const again = draft?.open && answerOf(draft.open, draft, question)
  expect(again).toEqual({
    answer: {
      action,
      ...(payload !== null && { payload }),
      ...(call && { call }),
      ...(calls && { calls: expect.arrayContaining([...calls]) }),
    },
  })
})

test.each<[string, AwaitingInput, Decision]>([
  ['an approval alone: it has a button', wait(), said({ action: 'approve' })],
  ['data that is masked', withSchema, said({ action: 'approve', payload: { note: '***' } })],
  ['a result that is masked', wait(), said({ call: { result: { iban: '***' } } })],
  ['arguments with a value that is masked', wait(), said({ call: { arguments: { amount: 500, to: '***' } } })],
  ['data with the action of a program', withSchema, said({ payload: { centre: 4100 } })],
  ['edits of several calls', wait(), said({ calls: [{ call_id: 'call_1', arguments: {} }] })],
])('%s is not offered', (_name, question, decision) => {
  expect(sameDraft(decision, question)).toBeUndefined()
})
