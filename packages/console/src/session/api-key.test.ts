import { describe, expect, test } from 'vitest'
import { isWellFormedKey } from './api-key.ts'

describe('a key is well-formed', () => {
  test.each(['key_01m7:secret', 'key:se:cret', 'k:+/='])('%s', (key) => {
    expect(isWellFormedKey(key)).toBe(true)
  })
})

describe('a key is refused before anything is sent', () => {
  test.each([
    '',
    'key_01m7',
    ':secret',
    'key_01m7:',
    'key 01m7:secret',
    'key:sec ret',
    'key:sécret',
    'key:a\nb',
    'Bearer key:secret',
  ])('%j', (key) => {
    expect(isWellFormedKey(key)).toBe(false)
  })
})
