import type { SensitivityTag } from '@runwright/contract'
import { describe, expect, test } from 'vitest'
import { taggedLocations } from './tagged-locations.ts'

const tag = (path: string, rest: Partial<SensitivityTag> = {}): SensitivityTag => ({
  path,
  classification: 'pii',
  ...rest,
})
const document = (input: unknown, metadata: unknown = {}) => ({ input, metadata })
const summary = (input: unknown, ...tags: SensitivityTag[]) =>
  taggedLocations(document(input), tags).map(({ path, classification, redaction }) => [path, classification, redaction])

describe('taggedLocations', () => {
  test('gives place, path, value, classification and redaction', () => {
    expect(taggedLocations(document({ a: [{ 'b c': 7 }] }), [tag('$.input.a[*].*', { redaction: 'drop' })])).toEqual([
      {
        location: ['input', 'a', 0, 'b c'],
        path: "$.input.a[0]['b c']",
        value: 7,
        classification: 'pii',
        redaction: 'drop',
        allow: [],
      },
    ])
  })

  test('a tag masks unless it says drop', () => {
    expect(summary({ a: 1, b: 2 }, tag('$.input.a'), tag('$.input.b', { redaction: 'mask' }))).toEqual([
      ['$.input.a', 'pii', 'mask'],
      ['$.input.b', 'pii', 'mask'],
    ])
  })

  test('a sensitive key that no tag selects is hidden as credential / mask', () => {
    const input = { email: 'e', login: { password: 'p' }, list: [{ token: 't' }] }
    expect(summary(input, tag('$.input.email'))).toEqual([
      ['$.input.email', 'pii', 'mask'],
      ['$.input.login.password', 'credential', 'mask'],
      ['$.input.list[0].token', 'credential', 'mask'],
    ])
  })

  test('sensitive keys of metadata too', () => {
    const [secret] = taggedLocations(document({}, { apiKey: 'k' }), [tag('$.input.none')])
    expect(secret).toMatchObject({ path: '$.metadata.apiKey', value: 'k', classification: 'credential' })
  })

  test('a sensitive key that a tag selects keeps the settings of the tag', () => {
    expect(summary({ password: 'p' }, tag('$.input.password', { redaction: 'drop' }))).toEqual([
      ['$.input.password', 'pii', 'drop'],
    ])
  })

  test('locations inside a hidden value are not listed', () => {
    const input = { user: { name: 'n', password: 'p' } }
    const tags = [tag('$.input.user.name'), tag('$.input.user', { redaction: 'drop' }), tag('$.input.user.*')]
    expect(summary(input, ...tags)).toEqual([['$.input.user', 'pii', 'drop']])
  })

  test('an untagged sensitive key covers a tagged value inside it', () => {
    const input = { credentials: { name: 'n' } }
    expect(summary(input, tag('$.input.credentials.name'))).toEqual([['$.input.credentials', 'credential', 'mask']])
  })

  test('two tags on one place: the first classifies, drop wins', () => {
    const mild = tag('$.input.a')
    const strict = tag('$.input.*', { classification: 'health', redaction: 'drop' })
    expect(summary({ a: 1 }, mild, strict)).toEqual([['$.input.a', 'pii', 'drop']])
    expect(summary({ a: 1 }, strict, mild)).toEqual([['$.input.a', 'health', 'drop']])
  })

  const receiversOf = (input: unknown, ...tags: SensitivityTag[]) =>
    taggedLocations(document(input), tags).map(({ path, allow }) => [path, allow])

  test('a receiver must be allowed by every tag on a place, and by those inside it', () => {
    const one = tag('$.input.a', { allow: ['tool:x', 'tool:y'] })
    const other = tag('$.input.*', { allow: ['tool:y', 'tool:z'] })
    expect(receiversOf({ a: 1 }, one, other)).toEqual([['$.input.a', ['tool:y']]])
    expect(receiversOf({ a: { b: 1 } }, one, tag('$.input.a.b'))).toEqual([['$.input.a', []]])
  })

  test('a sensitive key without a tag allows no receiver, and changes nothing inside a tagged value', () => {
    const allow = ['host:api.example.com']
    expect(receiversOf({ login: { password: 'p' }, token: 't' }, tag('$.input.login', { allow }))).toEqual([
      ['$.input.login', allow],
      ['$.input.token', []],
    ])
    expect(receiversOf({ credentials: { name: 'n' } }, tag('$.input.credentials.name', { allow }))).toEqual([
      ['$.input.credentials', []],
    ])
  })

  test('the whole input can be secret', () => {
    expect(summary({ a: 1, password: 2 }, tag('$.input'))).toEqual([['$.input', 'pii', 'mask']])
  })

  test('nothing is secret without tags', () => {
    expect(taggedLocations(document({ a: 1 }), [])).toEqual([])
    expect(taggedLocations(document({ a: 1 }), undefined)).toEqual([])
  })

  test('an unchecked path is an error and does not reveal a secret', () => {
    expect(() => taggedLocations(document({ a: 1 }), [tag('a')])).toThrow('does not parse')
  })

  test('a hundred thousand locations are fast', () => {
    const list = Array.from({ length: 100_000 }, () => 1)
    expect(taggedLocations(document({ list }), [tag('$.input.list[*]')])).toHaveLength(100_000)
  })
})
