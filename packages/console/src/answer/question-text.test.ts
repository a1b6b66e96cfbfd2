import { expect, test } from 'vitest'
import { questionText } from './question-text.ts'

const asked = {
  reason_code: 'approval_required',
  input_kind: 'approval',
  prompt: 'Call send_mail? Arguments: {"to":"ada"}',
  tool: 'send_mail',
  arguments: { to: 'ada' },
  arguments_hash: 'sha256:1',
  why: null,
  has_read: null,
  tool_call_id: 'call_1',
  idempotency_key: 'call_1',
} as const

test('a question about a tool call does not repeat the arguments, which are a table', () => {
  expect(questionText(asked)).toBe('Call send_mail?')
})

test('a question about the outcome of a call says what is known', () => {
  expect(questionText({ ...asked, reason_code: 'tool_outcome_unknown' })).toBe(asked.prompt)
})

test('without arguments to show, the question is shown as it was asked', () => {
  expect(questionText({ ...asked, arguments: null })).toBe(asked.prompt)
})

test('other questions are shown as they were asked, or as the reason says', () => {
  expect(questionText({ ...asked, tool: null, arguments: null, prompt: 'Pay?' })).toBe('Pay?')
  expect(questionText({ ...asked, tool: null, arguments: null, prompt: null })).toMatch(/^[A-Z].*\.$/)
  expect(questionText({ ...asked, tool: null, arguments: null, prompt: null, reason_code: 'over_limit' })).toContain(
    'over limit',
  )
})
