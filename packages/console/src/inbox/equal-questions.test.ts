import type { AwaitingInput } from '@runwright/contract'
import { expect, test } from 'vitest'
import { equalQuestions } from './equal-questions.ts'
import type { WaitingRun } from './waiting-runs.ts'

const asks = (id: string, changes: Partial<AwaitingInput> = {}): WaitingRun =>
  ({
    id,
    awaiting_input: {
      reason_code: 'approval_required',
      input_kind: 'approval',
      tool: 'pay',
      arguments: { invoice: id, amount: 100 },
      arguments_hash: id,
      why: 'Policy requires approval for this tool.',
      has_read: ['private'],
      calls: [{}],
      approval_schema: null,
      approvers: ['finance', 'legal'],
      approvals: 1,
      not_requester: false,
      escalate_to: null,
      reauth: false,
      ...changes,
    },
  }) as WaitingRun

const first = asks('run_1')
const idsOf = (...others: WaitingRun[]) => equalQuestions(first, [first, ...others]).map(({ id }) => id)

test('the values of the arguments and the order of their fields may differ', () => {
  expect(idsOf(asks('run_2', { arguments: { amount: 7, invoice: 'x' }, approvers: ['legal', 'finance'] }))).toEqual([
    'run_1',
    'run_2',
  ])
})

test.each<[string, Partial<AwaitingInput>]>([
  ['another tool', { tool: 'refund' }],
  ['another reason', { why: 'The amount is above 500.' }],
  ['another reason code', { reason_code: 'needs_review' }],
  ['one more field', { arguments: { invoice: 'a', amount: 1, urgent: true } }],
  ['a field of another kind', { arguments: { invoice: 'a', amount: '1' } }],
  ['a list where the other has one value', { arguments: { invoice: ['a'], amount: 1 } }],
  ['a run that has read untrusted text', { has_read: ['private', 'untrusted'] }],
  ['other approvers', { approvers: ['finance'] }],
  ['four eyes', { approvals: 2 }],
  ['others from some time on', { escalate_to: ['board'] }],
  ['another kind of answer', { input_kind: null }],
  ['several calls', { calls: [{}, {}] as unknown as AwaitingInput['calls'] }],
  ['data that the approval needs', { approval_schema: {} }],
  ['an unknown outcome', { reason_code: 'tool_outcome_unknown' }],
])('not equal: %s', (_name, changes) => {
  expect(idsOf(asks('run_2', changes))).toEqual([])
})

test('a question without a tool call stands alone', () => {
  const [one, other] = [asks('run_1', { tool: null }), asks('run_2', { tool: null })]
  expect(equalQuestions(one, [one, other])).toEqual([])
})

test('a question that wants a new sign-in stands alone', () => {
  const [one, other] = [asks('run_1', { reauth: true }), asks('run_2', { reauth: true })]
  expect(equalQuestions(one, [one, other])).toEqual([])
})
