import type { Key } from '@runwright/contract'
import { expect, test } from 'vitest'
import { keyLabel, keyStateOf } from './key-state.ts'

const key: Key = {
  id: 'key_1',
  name: null,
  scopes: ['runs:read'],
  roles: [],
  person: null,
  signs_in: false,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  expires_at: null,
  revoked_at: null,
  last_used_at: null,
}
const expires_at = '2026-02-01T00:00:00.000Z'
const end = Date.parse(expires_at)

test('a key works until it expires', () => {
  expect(keyStateOf(key, end)).toBe('active')
  expect(keyStateOf({ ...key, expires_at }, end - 1)).toBe('active')
  expect(keyStateOf({ ...key, expires_at }, end)).toBe('expired')
})

test('a revoked key is revoked, also after it expired', () => {
  expect(keyStateOf({ ...key, expires_at, revoked_at: expires_at }, end + 1)).toBe('revoked')
})

test('a key is called by its name, or by its id', () => {
  expect(keyLabel(key)).toBe('key_1')
  expect(keyLabel({ ...key, name: 'ci' })).toBe('ci')
})
