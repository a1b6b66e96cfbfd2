import { expect, test } from 'vitest'
import { hasScope } from './session.ts'

test('a key may do what its scopes say, and what they include', () => {
  expect(hasScope(['runs:read'], 'runs:read')).toBe(true)
  expect(hasScope(['runs:read'], 'runs:signal')).toBe(false)
  expect(hasScope(['runs:write'], 'runs:signal')).toBe(true)
})

test('before the scopes are known, the service decides', () => {
  expect(hasScope(undefined, 'keys:admin')).toBe(true)
})
