import { expect, test } from 'vitest'
import { findUnknownNames, type McpServerConfig, mayExist, ruleFor } from './config.ts'

const server = (name: string, changes: Partial<McpServerConfig> = {}): McpServerConfig => ({
  name,
  endpoint: { kind: 'http', url: 'http://127.0.0.1', headers: {} },
  timeoutSeconds: 60,
  allow: undefined,
  deny: new Set(),
  errors: new Map(),
  effects: new Map(),
  policies: new Map(),
  exposures: new Map(),
  secrets: [],
  pin: false,
  ...changes,
})

const servers = [
  server('open'),
  server('closed', { allow: new Set(['a', 'b']), deny: new Set(['b']) }),
  server('careful', { deny: new Set(['x']) }),
]

test.each([
  ['open.anything', true],
  ['open.with.dots', true],
  ['closed.a', true],
  ['careful.y', true],
  ['closed.b', false],
  ['closed.c', false],
  ['careful.x', false],
  ['nobody.a', false],
  ['open', false],
  ['open.', false],
  ['.open', false],
  ['open.two words', false],
  [`open.${'x'.repeat(129)}`, false],
])('a tool named %s may exist: %s', (name, expected) => {
  expect(mayExist(servers, name)).toBe(expected)
})

test('a rule for a tool is stronger than that for all', () => {
  const rules = new Map([
    ['pay', 'once'],
    ['*', 'read'],
  ])
  expect([ruleFor(rules, 'pay'), ruleFor(rules, 'look'), ruleFor(new Map(), 'look')]).toEqual([
    'once',
    'read',
    undefined,
  ])
})

test('names that the server does not have are found wherever they stand', () => {
  const config = server('a', {
    allow: new Set(['there', 'one']),
    deny: new Set(['two']),
    effects: new Map([
      ['three', 'read'],
      ['*', 'once'],
    ]),
    policies: new Map([['four', 'ask']]),
  })
  expect(findUnknownNames(config, new Set(['there']))).toEqual(['one', 'two', 'three', 'four'])
})
