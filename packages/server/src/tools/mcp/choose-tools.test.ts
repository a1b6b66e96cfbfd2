import { expect, test } from 'vitest'
import { chooseTools } from './choose-tools.ts'
import type { McpServerConfig } from './config.ts'
import type { ListedTool } from './to-tool.ts'

const config: McpServerConfig = {
  name: 'a',
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
}
const tool = (name: string, more: Partial<ListedTool> = {}): ListedTool => ({
  name,
  inputSchema: { type: 'object' },
  ...more,
})
const chosen = (listed: readonly ListedTool[], changes: Partial<McpServerConfig> = {}) =>
  chooseTools({ ...config, ...changes }, listed)

test('all tools are taken, in the order of the server', () => {
  const { tools, warnings } = chosen([tool('b'), tool('a.b-c_1'), tool('a')])
  expect([...tools.keys()]).toEqual(['b', 'a.b-c_1', 'a'])
  expect(warnings).toEqual([])
})

test('of two tools with one name the first is taken', () => {
  const { tools } = chosen([tool('a', { title: 'first' }), tool('a', { title: 'second' })])
  expect(tools.get('a')?.title).toBe('first')
})

test('only tools that the config allows are chosen', () => {
  const { tools } = chosen([tool('a'), tool('b'), tool('c')], { allow: new Set(['a', 'b']), deny: new Set(['b']) })
  expect([...tools.keys()]).toEqual(['a'])
})

test('an unsupported name is ignored with a warning, even if it is not in allow', () => {
  const { tools, warnings } = chosen([tool('a/b'), tool('a')], { allow: new Set(['a']) })
  expect([...tools.keys()]).toEqual(['a'])
  expect(warnings).toEqual(['Tools with unsupported names are ignored: "a/b".'])
})

test('a tool that requires tasks is ignored', () => {
  const { tools } = chosen([
    tool('a', { execution: { taskSupport: 'required' } }),
    tool('b', { execution: { taskSupport: 'optional' } }),
  ])
  expect([...tools.keys()]).toEqual(['b'])
})

test('a tool with an input schema that is too large or too deep is ignored with a warning', () => {
  const deep = JSON.parse(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`)
  const { tools, warnings } = chosen([
    tool('deep', { inputSchema: { type: 'object', properties: deep } }),
    tool('large', { inputSchema: { type: 'object', description: 'x'.repeat(65_536) } }),
    tool('a'),
  ])
  expect([...tools.keys()]).toEqual(['a'])
  expect(warnings).toEqual(['Tools whose input schema is too large or too deep are ignored: "deep", "large".'])
})

test('a config that names unknown tools gives a warning', () => {
  const { warnings } = chosen([tool('a')], { deny: new Set(['delete_al']) })
  expect(warnings).toEqual(['The config names tools that the server does not have: "delete_al".'])
})
