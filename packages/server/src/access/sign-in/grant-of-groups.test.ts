import { expect, test } from 'vitest'
import { grantsOfGroups } from './grant-of-groups.ts'
import type { GroupRule } from './oidc-file.ts'

const rules: GroupRule[] = [
  { group: 'finance', customer: 'acme', scopes: ['runs:read', 'runs:signal'], roles: ['finance'] },
  { group: 'board', customer: 'acme', scopes: ['runs:read'], roles: ['board', 'finance'] },
  { group: 'developers', customer: 'acme', scopes: ['runs:write'], roles: [] },
  { group: 'finance', customer: 'other', scopes: ['usage:read'], roles: [] },
]

test('a person has the scopes and roles of all of their groups, for each customer', () => {
  expect([...grantsOfGroups(rules, ['board', 'finance'])]).toEqual([
    ['acme', { scopes: ['runs:read', 'runs:signal'], roles: ['board', 'finance'] }],
    ['other', { scopes: ['usage:read'], roles: [] }],
  ])
})

test('the order of the groups changes nothing, and included scopes are left out', () => {
  const groups = ['finance', 'developers', 'board']
  const grant = grantsOfGroups(rules, groups).get('acme')
  expect(grantsOfGroups(rules, groups.toReversed()).get('acme')).toEqual(grant)
  expect(grant?.scopes).toEqual(['runs:read', 'runs:write'])
})

test.each([[[]], [['Finance']], [['finance ']], [['__proto__', 'constructor']]])('%j gives no access', (groups) => {
  expect(grantsOfGroups(rules, groups).size).toBe(0)
})
