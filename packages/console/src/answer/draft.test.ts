import type { AwaitingInput } from '@runwright/contract'
import { describe, expect, test } from 'vitest'
import { answerOf, type Draft, emptyDraft } from './draft.ts'
import type { Entry } from './entries.ts'
import type { FormDraft } from './form.ts'

const asking = (own: Partial<AwaitingInput> = {}) => ({ input_kind: 'approval', tool: null, ...own }) as AwaitingInput
const calling = (own: Partial<AwaitingInput> = {}) =>
  asking({ tool: 'pay', arguments: { amount: 500 }, arguments_hash: 'ab', ...own })
const draft = (own: Partial<Draft>): Draft => ({ ...emptyDraft(asking()), ...own })
const blank: FormDraft = { isJson: false, texts: {}, entries: [], json: '' }
const entered = (...entries: Entry[]): FormDraft => ({ ...blank, entries })
const typed = (json: string): FormDraft => ({ ...blank, isJson: true, json })
const filled = (texts: FormDraft['texts']): FormDraft => ({ ...blank, texts })
const entry = (name: string, value: string, type: Entry['type'] = 'text'): Entry => ({ name, value, type })

test.each([
  ['approval', undefined],
  ['rejection', 'reason'],
  ['payload', 'data'],
  [null, undefined],
] as const)('a wait for %s opens %s first', (input_kind, open) => {
  expect(emptyDraft(asking({ input_kind })).open).toBe(open)
})

test('a rejection carries the reason', () => {
  expect(answerOf('reason', draft({ reason: ' Paid already ' }), asking())).toEqual({
    answer: { action: 'reject', payload: { reason: 'Paid already' } },
  })
})

test('a rejection without a reason has no payload', () => {
  expect(answerOf('reason', draft({ reason: ' ' }), asking())).toEqual({ answer: { action: 'reject' } })
})

describe('fields', () => {
  test('become one object with values of their type', () => {
    const data = entered(
      entry('account', 'DE-42'),
      entry('amount', '12.50', 'number'),
      entry('urgent', 'yes', 'yes or no'),
      entry('', ''),
    )
    expect(answerOf('data', draft({ data }), asking())).toEqual({
      answer: { action: 'submit_input', payload: { account: 'DE-42', amount: 12.5, urgent: true } },
    })
  })

  test('a field named like a property of all objects is a field like any other', () => {
    const result = answerOf('data', draft({ data: entered(entry('__proto__', 'x')) }), asking())
    expect(JSON.stringify(result)).toBe('{"answer":{"action":"submit_input","payload":{"__proto__":"x"}}}')
  })

  test.each([
    [[entry('', '')], 'Enter at least one field.'],
    [[entry('', 'x')], 'Name the field with the value “x”.'],
    [[entry('a', 'x'), entry('a', 'y')], '“a” is there twice.'],
    [[entry('a', 'twelve', 'number')], '“a” must be a number, such as 12.5.'],
    [[entry('a', '9007199254740993', 'number')], '“a” is too large to be sent exactly. Send it as text.'],
  ])('%j are refused', (entries, problem) => {
    expect(answerOf('data', draft({ data: entered(...entries) }), asking())).toEqual({
      problems: { data: { whole: problem } },
    })
  })
})

test('JSON is sent as entered', () => {
  expect(answerOf('data', draft({ data: typed('{"account":1}') }), asking())).toEqual({
    answer: { action: 'submit_input', payload: { account: 1 } },
  })
})

test('invalid JSON is not sent', () => {
  expect(answerOf('data', draft({ data: typed('{') }), asking())).toEqual({
    problems: { data: { whole: expect.stringContaining('not valid JSON') } },
  })
})

describe('a question with a schema', () => {
  const properties = { supplier: { type: 'string' }, total: { type: 'number' } }
  const approval_schema = { type: 'object', properties, required: ['supplier'] }
  const wait = calling({ approval_schema })
  const data = filled({ supplier: 'Oakline', total: '' })
  const payload = { supplier: 'Oakline' }

  test('starts with its fields', () => {
    expect(emptyDraft(wait)).toMatchObject({ open: 'data', data: { isJson: false } })
  })

  test('is approved with its data', () => {
    expect(answerOf('data', draft({ data }), wait)).toEqual({ answer: { action: 'approve', payload } })
  })

  test('that wants data and no approval gets the data', () => {
    const question = asking({ input_kind: 'payload', approval_schema })
    expect(answerOf('data', draft({ data }), question)).toEqual({ answer: { action: 'submit_input', payload } })
  })

  test.each([
    ['arguments', { arguments: typed('{"amount":450}') }, { arguments: { amount: 450 } }],
    ['result', { result: typed('"R-7"') }, { result: 'R-7' }],
    ['error', { error: ' Declined. ' }, { error: 'Declined.' }],
  ] as const)('gets its data with the %s of the call, too', (part, own, call) => {
    expect(answerOf(part, draft({ ...own, data }), wait)).toEqual({
      answer: { action: 'submit_input', call, payload },
    })
  })

  test('is not answered without its data, except with a no', () => {
    const said = { error: 'Declined.', deny: 'Paid already.' }
    expect(answerOf('error', draft(said), wait)).toEqual({
      problems: { data: { fields: { supplier: 'This field is needed.' } } },
    })
    expect(answerOf('deny', draft(said), wait)).toEqual({
      answer: { action: 'submit_input', call: { deny: 'Paid already.' } },
    })
  })
})

describe('about a call whose outcome is not known', () => {
  const unknown = { reason_code: 'tool_outcome_unknown' as const }
  const approval_schema = { type: 'object', properties: { centre: { type: 'number' } } }
  const given = { result: typed('{"receipt":"R-7"}'), data: filled({ centre: '4100' }) }

  test('nothing is open at first: what opens by itself could make the call again', () => {
    expect(emptyDraft(calling({ ...unknown, approval_schema })).open).toBeUndefined()
  })

  test.each([
    ['without a schema', {}, {}],
    ['with a schema', { approval_schema }, { payload: { centre: 4100 } }],
  ])('its result is never an approval, which makes it again: %s', (_name, own, payload) => {
    expect(answerOf('result', draft(given), calling({ ...unknown, ...own }))).toEqual({
      answer: { action: 'submit_input', call: { result: { receipt: 'R-7' } }, ...payload },
    })
  })
})

test('a call is denied with a reason', () => {
  expect(answerOf('deny', draft({ deny: ' Ask the bank first. ' }), calling())).toEqual({
    answer: { action: 'submit_input', call: { deny: 'Ask the bank first.' } },
  })
})

describe('changed arguments', () => {
  test('are sent as an object', () => {
    expect(answerOf('arguments', draft({ arguments: typed('{"amount":12}') }), calling())).toEqual({
      answer: { action: 'submit_input', call: { arguments: { amount: 12 } } },
    })
  })

  test.each(['[1]', '"text"', '{'])('are refused if they are %s', (text) => {
    expect(answerOf('arguments', draft({ arguments: typed(text) }), calling())).toHaveProperty('problems.arguments')
  })

  describe('of which some are masked', () => {
    const masked = calling({
      arguments: { iban: '***', note: 'Pay now', amount: 500 },
      arguments_schema: {
        type: 'object',
        properties: { iban: { type: 'string' }, note: { type: 'string' }, amount: { type: 'number' } },
      },
    })
    const changed = (texts: FormDraft['texts']) => {
      const start = emptyDraft(masked)
      return { ...start, arguments: { ...start.arguments, texts: { ...start.arguments.texts, ...texts } } }
    }

    test('are sent with the mask where it was shown', () => {
      expect(answerOf('arguments', changed({ amount: '450' }), masked)).toEqual({
        answer: {
          action: 'submit_input',
          call: { arguments: { iban: '***', note: 'Pay now', amount: 450 } },
        },
      })
    })

    test('are refused with a mask anywhere else, and the words name the field', () => {
      expect(answerOf('arguments', changed({ note: 'Pay to ***' }), masked)).toEqual({
        problems: { arguments: { fields: { note: expect.stringMatching(/^note: \*\*\* stands for a value/) } } },
      })
      const json = typed('{"iban":"***","to":{"name":"***"}}')
      expect(answerOf('arguments', draft({ arguments: json }), masked)).toEqual({
        problems: { arguments: { whole: expect.stringMatching(/^to\.name: /) } },
      })
    })
  })
})
