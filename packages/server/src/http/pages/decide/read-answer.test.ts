import { describe, expect, test } from 'vitest'
import { answerBody } from './read-answer.ts'

type Asked = Parameters<typeof answerBody>[1]
const call = { tool: 'pay', callId: 'call_1' } as unknown as Asked['call']
const question = (part: Partial<Asked> = {}): Asked => ({
  inputKind: 'approval',
  rules: {},
  call,
  reasonCode: 'approval_required',
  ...part,
})
const unknown = question({ reasonCode: 'tool_outcome_unknown' })
const withSchema = (asked: Asked): Asked => ({ ...asked, rules: { approval_schema: { type: 'object' } } })
const answer = (form: string, asked = question()) => JSON.parse(answerBody(new URLSearchParams(form), asked))
const data = 'data={"centre":7}'
const payload = { centre: 7 }

describe('an answer', () => {
  test.each<[string, Asked, string, object]>([
    ['an approval', question(), 'answer=approve', { action: 'approve' }],
    ['a rejection', question(), 'answer=reject&reason=No', { action: 'reject', payload: { reason: 'No' } }],
    ['a denial', question(), 'answer=deny&reason=No', { action: 'submit_input', call: { deny: 'No' } }],
    ['a failed call', unknown, 'answer=error&reason=No', { action: 'submit_input', call: { error: 'No' } }],
    ['a result', unknown, 'answer=result&result=1', { action: 'submit_input', call: { result: 1 } }],
  ])('is %s', (_, asked, form, body) => {
    expect(answer(form, asked)).toEqual(body)
  })

  test.each<[string, Asked, string, object]>([
    ['an approval', question(), `answer=approve&${data}`, { action: 'approve', payload }],
    [
      'a failed call',
      unknown,
      `answer=error&reason=No&${data}`,
      { action: 'submit_input', call: { error: 'No' }, payload },
    ],
    ['a result', unknown, `answer=result&result=1&${data}`, { action: 'submit_input', call: { result: 1 }, payload }],
  ])('with data for a schema is %s', (_, asked, form, body) => {
    expect(answer(form, withSchema(asked))).toEqual(body)
  })

  test.each(['approve', 'error&reason=No', 'result&result=1'])('with a schema needs data: %s', (form) => {
    expect(() => answer(`answer=${form}`, withSchema(unknown))).toThrow('this question needs an answer')
  })

  test.each(['answer=approve&answer=reject', 'answer=approve&reason=a&reason=b'])('is refused: %s', (form) => {
    expect(() => answer(form)).toThrow('the form has the same field twice.')
  })
})
