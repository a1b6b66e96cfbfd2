import { classifications, type SensitivityTag } from '@runwright/contract'
import { describe, expect, test } from 'vitest'
import { ServiceError } from '../service-error.ts'
import { checkSensitivity } from './check-sensitivity.ts'

const tag = (path: string, classification = 'pii'): SensitivityTag => ({ path, classification })

const refusal = (input: unknown, metadata: unknown, tags?: SensitivityTag[]) => {
  try {
    checkSensitivity({ input, metadata }, tags)
    return undefined
  } catch (error) {
    if (error instanceof ServiceError) return { reason: error.reason, message: error.message }
    throw error
  }
}
const reason = (...request: Parameters<typeof refusal>) => refusal(...request)?.reason

describe('tag paths', () => {
  test.each([['$.inputs'], ["$['input']"], ['$.output.a'], ['input.a'], [''], ['$.input['], ['$']])(
    'refuses %j',
    (path) => {
      expect(reason({}, {}, [tag(path)])).toBe('INPUT_SENSITIVITY_TAG_INVALID_PATH')
    },
  )

  test.each([['$.input'], ['$.metadata.a'], ['$.input..*'], ['$.input.a[?@.b == 1]']])('accepts %s', (path) => {
    expect(reason({}, {}, [tag(path)])).toBeUndefined()
  })

  test('a tag that selects nothing is accepted', () => {
    expect(reason({ a: 1 }, {}, [tag('$.input.missing.deep')])).toBeUndefined()
  })

  test('a path that takes too much work on this document is refused', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(63)}1${'}'.repeat(63)}`)
    expect(reason(deep, {}, [tag(`$.input${'..*'.repeat(30)}`)])).toBe('INPUT_SENSITIVITY_TAG_INVALID_PATH')
    expect(reason({}, {}, [tag(`$.input${'..*'.repeat(30)}`)])).toBeUndefined()
  })

  test('a hundred paths share one budget', () => {
    const list = { list: Array.from({ length: 20_000 }, (_, n) => n) }
    const tags = (count: number) => Array.from({ length: count }, (_, n) => tag(`$.input..k${n}`))
    expect(reason(list, {}, tags(8))).toBeUndefined()
    expect(reason(list, {}, tags(100))).toBe('INPUT_SENSITIVITY_TAG_INVALID_PATH')
  })

  test('the message names the tag and does not repeat the path', () => {
    const message = refusal({}, {}, [tag('$.input.a'), tag('$.input[?@.ssn == "078-05-1120"')])?.message
    expect(message).toContain('sensitivity_tags[1].path')
    expect(message).not.toContain('078-05-1120')
  })
})

describe('the number of secrets is limited', () => {
  const list = (length: number, value: (n: number) => unknown) => ({ list: Array.from({ length }, (_, n) => value(n)) })

  test('by the values that are selected', () => {
    expect(
      reason(
        list(1_000, () => 1),
        {},
        [tag('$.input.list[*]')],
      ),
    ).toBeUndefined()
    expect(
      refusal(
        list(1_001, () => 1),
        {},
        [tag('$.input.list[*]')],
      ),
    ).toEqual({
      reason: 'INPUT_PAYLOAD_INVALID',
      message: expect.stringContaining('select 1001 values; at most 1000'),
    })
    expect(
      reason(
        list(60_000, () => 1),
        {},
        [tag('$.input.list')],
      ),
    ).toBeUndefined()
    expect(
      reason(
        list(1_001, () => ({ pwd: 1 })),
        {},
        [tag('$.input.none')],
      ),
    ).toBe('INPUT_PAYLOAD_INVALID')
  })

  test('by the texts to search for in all their encodings', () => {
    const plain = (length: number) => list(length, (n) => `word${n}`)
    expect(reason(plain(1_000), {}, [tag('$.input')])).toBeUndefined()
    expect(refusal(plain(1_001), {}, [tag('$.input')])).toEqual({
      reason: 'INPUT_PAYLOAD_INVALID',
      message: expect.stringMatching(/more than 4000 ways.*one text/),
    })
    expect(
      reason(
        list(600, (n) => `Jane Doe ${n}`),
        {},
        [tag('$.input')],
      ),
    ).toBeUndefined()
    expect(
      reason(
        list(40_000, () => 'same'),
        {},
        [tag('$.input')],
      ),
    ).toBeUndefined()
  })
})

describe('classifications', () => {
  test.each(classifications.map((word) => [word]))('accepts %s', (word) => {
    expect(reason({}, {}, [tag('$.input.a', word)])).toBeUndefined()
  })

  test.each([['PII'], ['secret'], [''], ['pii '], ['toString']])('refuses %j', (word) => {
    expect(reason({}, {}, [tag('$.input.a', word)])).toBe('INPUT_SENSITIVITY_TAG_INVALID_CLASSIFICATION')
  })
})

describe('duplicate paths', () => {
  test.each([
    ['$.input.a', '$.input.a'],
    ['$.input.a', "$.input['a']"],
    ['$.input.*', '$.input[*]'],
  ])('rejects %s together with %s', (one, other) => {
    const refused = refusal({}, {}, [tag('$.metadata.x'), tag(one), tag(other)])
    expect(refused?.reason).toBe('INPUT_SENSITIVITY_TAG_DUPLICATE_PATH')
    expect(refused?.message).toContain('sensitivity_tags[2].path is a duplicate of sensitivity_tags[1].path')
  })

  test('different paths may select the same value', () => {
    expect(reason({ a: 1 }, {}, [tag('$.input.a'), tag('$.input.*')])).toBeUndefined()
  })
})

describe('sensitive keys', () => {
  test.each([
    ['in input', { password: 1 }, {}],
    ['in metadata', {}, { apiKey: 1 }],
    ['deep', { a: [{ b: { token: 1 } }] }, {}],
  ])('need tags: %s', (_, input, metadata) => {
    expect(reason(input, metadata)).toBe('INPUT_SENSITIVITY_TAG_REQUIRED')
    expect(reason(input, metadata, [])).toBe('INPUT_SENSITIVITY_TAG_REQUIRED')
  })

  test('are fine with at least one tag, whatever it selects', () => {
    expect(reason({ password: 1 }, {}, [tag('$.metadata.other')])).toBeUndefined()
  })

  test('no tags are needed without them', () => {
    expect(reason({ max_tokens: 1 }, { name: 'password' })).toBeUndefined()
    expect(reason({}, {}, [])).toBeUndefined()
  })

  test('the message names the keys, the first three of them, and no values', () => {
    const input = { password: 'hunter2', user: { ssn: '1', iban: '2' }, token: '3' }
    expect(refusal(input, {})?.message).toBe(
      'sensitivity_tags is required because the body has sensitive keys: input.password, input.user.ssn, input.user.iban and others.',
    )
  })
})

describe('order: path, classification, duplicate, sensitive keys', () => {
  test('a bad path is reported before an earlier bad classification', () => {
    expect(reason({}, {}, [tag('$.input.a', 'nope'), tag('$.nope')])).toBe('INPUT_SENSITIVITY_TAG_INVALID_PATH')
  })

  test('a bad classification is reported before an earlier duplicate', () => {
    const tags = [tag('$.input.a'), tag('$.input.a'), tag('$.input.b', 'nope')]
    expect(reason({}, {}, tags)).toBe('INPUT_SENSITIVITY_TAG_INVALID_CLASSIFICATION')
  })

  test('a duplicate answers although there are sensitive keys', () => {
    expect(reason({ password: 1 }, {}, [tag('$.input.a'), tag('$.input.a')])).toBe(
      'INPUT_SENSITIVITY_TAG_DUPLICATE_PATH',
    )
  })
})
