import type { SensitivityTag } from '@runwright/contract'
import { expect, test } from 'vitest'
import { replaceTagged } from './replace-tagged.ts'
import { taggedLocations } from './tagged-locations.ts'

const tag = (path: string): SensitivityTag => ({ path, classification: 'pii' })
const replace = (document: { input: unknown; metadata: unknown }, ...tags: SensitivityTag[]) =>
  replaceTagged(document, taggedLocations(document, tags), ({ path }) => path)

test('every tagged place gets something else, whatever stood there', () => {
  const document = { input: { a: { deep: [1] }, b: null, list: [1, 2], d: 4 }, metadata: { e: 'x' } }
  const tags = ['$.input.a', '$.input.b', '$.input.list[1]', '$.metadata.e'].map(tag)
  expect(replace(document, ...tags)).toEqual({
    input: { a: '$.input.a', b: '$.input.b', list: [1, '$.input.list[1]'], d: 4 },
    metadata: { e: '$.metadata.e' },
  })
})

test('sensitive keys that no tag selects are replaced too', () => {
  const document = { input: { password: 'hunter2', note: 'n' }, metadata: {} }
  expect(replace(document, tag('$.input.none')).input).toEqual({ password: '$.input.password', note: 'n' })
})

test('a tagged value is replaced as a whole, and input itself can be tagged', () => {
  const document = { input: { user: { name: 'n' } }, metadata: {} }
  expect(replace(document, tag('$.input.user'), tag('$.input.user.name')).input).toEqual({ user: '$.input.user' })
  expect(replace(document, tag('$.input')).input).toBe('$.input')
})

test('the original stays as it was, untouched parts are shared and keys keep their order', () => {
  const document = { input: { z: 1, m: { secret: 1 }, a: { c: [1] } }, metadata: { d: 1 } }
  const before = structuredClone(document)
  const shown = replace(document, tag('$.input.none'))
  expect(document).toEqual(before)
  expect((shown.input as typeof document.input).a).toBe(document.input.a)
  expect(shown.metadata).toBe(document.metadata)
  expect(Object.keys(shown.input as object)).toEqual(['z', 'm', 'a'])
})
