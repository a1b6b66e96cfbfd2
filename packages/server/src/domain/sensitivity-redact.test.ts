import type { SensitivityTag } from '@runwright/contract'
import { describe, expect, test } from 'vitest'
import { taggedLocations } from './sensitivity-locations.ts'
import { redactDocument } from './sensitivity-redact.ts'

const tag = (path: string, redaction?: 'mask' | 'drop'): SensitivityTag => ({
  path,
  classification: 'pii',
  ...(redaction === undefined ? {} : { redaction }),
})
const redact = (document: { input: unknown; metadata: unknown }, ...tags: SensitivityTag[]) =>
  redactDocument(document, taggedLocations(document, tags))

describe('redactDocument', () => {
  test('masks values of any type and drops keys', () => {
    const document = { input: { a: { deep: [1] }, b: null, c: 3, d: 4 }, metadata: { e: 'x' } }
    const tags = [tag('$.input.a'), tag('$.input.b'), tag('$.input.c', 'drop'), tag('$.metadata.e', 'drop')]
    expect(redact(document, ...tags)).toEqual({
      document: { input: { a: '***', b: '***', d: 4 }, metadata: {} },
      redacted: true,
    })
  })

  test('inside arrays a mask keeps the place and a drop takes the element away', () => {
    const document = { input: { list: [1, 2, 3, 4], rows: [{ id: 1, x: 'a' }, { id: 2 }] }, metadata: {} }
    const tags = [tag('$.input.list[0]'), tag('$.input.list[1:3]', 'drop'), tag('$.input.rows[*].x', 'drop')]
    expect(redact(document, ...tags).document.input).toEqual({ list: ['***', 4], rows: [{ id: 1 }, { id: 2 }] })
  })

  test('hides sensitive keys that no tag selects', () => {
    const document = { input: { password: 'hunter2', note: 'n' }, metadata: {} }
    expect(redact(document, tag('$.input.note', 'drop')).document.input).toEqual({ password: '***' })
  })

  test('what lies inside a hidden value goes with it', () => {
    const document = { input: { user: { name: 'n', email: 'e' } }, metadata: {} }
    const tags = [tag('$.input.user'), tag('$.input.user.name', 'drop')]
    expect(redact(document, ...tags).document.input).toEqual({ user: '***' })
  })

  test('input itself can be masked or dropped', () => {
    const document = { input: { a: 1 }, metadata: { b: 1 } }
    expect(redact(document, tag('$.input')).document).toEqual({ input: '***', metadata: { b: 1 } })
    expect(redact(document, tag('$.input', 'drop')).document).toEqual({ metadata: { b: 1 } })
  })

  test('the original stays as it was and untouched parts are shared', () => {
    const document = { input: { a: { secret: 1 }, b: { c: [1] } }, metadata: { d: 1 } }
    const before = structuredClone(document)
    const { document: shown } = redact(document, tag('$.input.none'))
    expect(document).toEqual(before)
    expect(shown.metadata).toBe(document.metadata)
    expect((shown.input as typeof document.input).b).toBe(document.input.b)
  })

  test('says so when there was nothing to hide, and gives the same document back', () => {
    const document = { input: { a: 1 }, metadata: {} }
    const result = redact(document, tag('$.input.none'))
    expect(result.redacted).toBe(false)
    expect(result.document).toBe(document)
  })

  test('a value that already reads "***" counts as hidden', () => {
    expect(redact({ input: { a: '***' }, metadata: {} }, tag('$.input.a')).redacted).toBe(true)
  })

  test('key order is kept', () => {
    const document = { input: { z: 1, m: 2, a: 3 }, metadata: {} }
    expect(Object.keys(redact(document, tag('$.input.m')).document.input as object)).toEqual(['z', 'm', 'a'])
  })
})
