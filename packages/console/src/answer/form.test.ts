import { describe, expect, test } from 'vitest'
import { canSwitch, type Form, type FormDraft, formOf, readForm, startOf, switched, textOf } from './form.ts'

const schema = {
  type: 'object',
  properties: {
    to: { type: 'string', description: 'Who gets it.' },
    amount: { type: 'integer' },
    kind: { enum: ['bill', 'refund'] },
    urgent: { type: 'boolean' },
    note: { type: 'string' },
  },
  required: ['to', 'amount'],
}
const nested = { type: 'object', properties: { address: { type: 'object' } } }

const withTexts = (form: Form, texts: Record<string, string>): FormDraft => {
  const start = startOf(form)
  return { ...start, texts: { ...start.texts, ...texts } }
}
const withJson = (form: Form, json: string): FormDraft => ({ ...startOf(form), isJson: true, json })

describe('data that a schema describes', () => {
  const form = formOf(schema)

  test('has its fields, and what is optional and empty is left out', () => {
    expect(readForm(form, withTexts(form, { to: 'Ada', amount: '500', kind: 'bill' }))).toEqual({
      value: { to: 'Ada', amount: 500, kind: 'bill' },
    })
  })

  test('says which field is not right', () => {
    expect(readForm(form, withTexts(form, { amount: '1.5' }))).toEqual({
      problems: { fields: { to: 'This field is needed.', amount: 'Enter a whole number.' } },
    })
  })

  test.each([
    ['of nested data', nested],
    ['of a single value', { type: 'string' }],
    ['of nothing', {}],
  ])('is JSON alone for a schema %s', (_name, other) => {
    const jsonForm = formOf(other)
    expect(startOf(jsonForm).isJson).toBe(true)
    expect(canSwitch(jsonForm)).toBe(false)
    expect(readForm(jsonForm, withJson(jsonForm, '{"address":{"city":"Bonn"}}'))).toEqual({
      value: { address: { city: 'Bonn' } },
    })
  })
})

test('data without a schema has fields of any name', () => {
  const form = formOf(null)
  expect(startOf(form)).toMatchObject({ isJson: false, entries: [{ name: '' }] })
  expect(readForm(form, startOf(form))).toEqual({ problems: { whole: 'Enter at least one field.' } })
})

describe('arguments that are there already', () => {
  const given = { amount: 500, to: '***', note: '', urgent: false }
  const form = formOf(schema, given)

  test('are in the fields', () => {
    expect(startOf(form)).toMatchObject({
      isJson: false,
      texts: { amount: '500', to: '***', note: '', urgent: 'no' },
    })
  })

  test('stay as they are, in their order, where nobody has touched them', () => {
    expect(readForm(form, withTexts(form, { amount: '450' }))).toEqual({ value: { ...given, amount: 450 } })
    const text = '{\n  "amount": 450,\n  "to": "***",\n  "note": "",\n  "urgent": false\n}'
    expect(textOf(form, withTexts(form, { amount: '450' }))).toBe(text)
  })

  test('can be added and left out', () => {
    expect(readForm(form, withTexts(form, { kind: 'refund', urgent: '' }))).toEqual({
      value: { amount: 500, to: '***', note: '', kind: 'refund' },
    })
  })

  test.each([
    ['nested', { to: ['Ada'] }],
    ['an argument of no field', { to: 'Ada', amount: 1, other: 'x' }],
    ['no choice', { kind: 'gift' }],
    ['of another kind', { urgent: '***' }],
    ['no object', ['Ada']],
  ])('are JSON if a field cannot show them: %s', (_name, other) => {
    const jsonForm = formOf(schema, other)
    expect(startOf(jsonForm)).toMatchObject({ isJson: true, json: JSON.stringify(other, undefined, 2) })
    expect(canSwitch(jsonForm)).toBe(false)
  })

  test('are JSON without a schema', () => {
    expect(startOf(formOf(null, given)).isJson).toBe(true)
  })
})

describe('the other way to enter the same', () => {
  const form = formOf(schema)

  test('begins with what was entered', () => {
    const json = switched(form, withTexts(form, { to: 'Ada', amount: '500' }))
    expect(JSON.parse(json.json)).toEqual({ to: 'Ada', amount: 500 })
    expect(switched(form, { ...json, json: '{"to":"Bob","amount":1}' })).toMatchObject({
      isJson: false,
      texts: { to: 'Bob', amount: '1' },
    })
  })

  test('keeps what it had if nothing can be carried over', () => {
    const draft = withTexts(form, { amount: 'x' })
    expect(switched(form, draft)).toMatchObject({ isJson: true, json: '', texts: draft.texts })
    expect(switched(form, withJson(form, '{"to":["Ada"]}'))).toMatchObject({ isJson: false, texts: {} })
  })
})
