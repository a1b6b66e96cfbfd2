import { scopes } from '@runwright/contract'
import { expect, test } from 'vitest'
import { grantedScopes, withoutIncluded } from './granted-scopes.ts'

test('runs:write grants runs:signal, and not the reverse', () => {
  expect(grantedScopes(['runs:write'])).toEqual(new Set(['runs:write', 'runs:signal']))
  expect(grantedScopes(['runs:signal', 'runs:read'])).toEqual(new Set(['runs:signal', 'runs:read']))
})

test('a scope that another one includes is not listed', () => {
  expect(withoutIncluded(scopes)).toEqual([
    'runs:read',
    'runs:write',
    'runs:admin',
    'usage:read',
    'memory:read',
    'keys:admin',
    'webhooks:admin',
    'audit:read',
    'tokens:create',
    'links:create',
  ])
  expect(withoutIncluded(['runs:read', 'runs:signal'])).toEqual(['runs:read', 'runs:signal'])
})
