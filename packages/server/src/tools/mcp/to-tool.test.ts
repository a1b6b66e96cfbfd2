import { expect, test } from 'vitest'
import type { ToolCallContext } from '../port/tool.ts'
import type { McpServerConfig } from './config.ts'
import { type ListedTool, type McpCall, toTool } from './to-tool.ts'

const config = (changes: Partial<McpServerConfig> = {}): McpServerConfig => ({
  name: 'files',
  endpoint: { kind: 'http', url: 'http://127.0.0.1', headers: {} },
  timeoutSeconds: 7,
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

const listed = (changes: Partial<ListedTool> = {}): ListedTool => ({
  name: 'read',
  description: 'Reads.',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
  ...changes,
})

const made = (tool = listed(), changes: Partial<McpServerConfig> = {}) =>
  toTool(tool, config(changes), async () => ({ content: [] }))

test('a tool has the name of its server, its own schema and the time of the config', () => {
  expect(made()).toMatchObject({
    name: 'files.read',
    description: 'Reads.',
    inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
    timeoutSeconds: 7,
  })
})

test('a description is cut, and defaults to the title', () => {
  expect(made(listed({ description: 'x'.repeat(10_000) })).description).toHaveLength(4_000)
  expect(made(listed({ description: undefined, title: 'Read' })).description).toBe('Read')
})

test.each([
  [undefined, 'once'],
  [{ readOnlyHint: true }, 'read'],
  [{ idempotentHint: true }, 'idempotent'],
  [{ readOnlyHint: false, idempotentHint: false }, 'once'],
  [{ readOnlyHint: true, idempotentHint: true }, 'read'],
])('with the hints %o its effect is %s', (annotations, effect) => {
  expect(made(listed({ annotations })).effectOf({})).toBe(effect)
})

test('the effect that the operator names is stronger than any hint', () => {
  const tool = listed({ annotations: { readOnlyHint: true } })
  expect(made(tool, { effects: new Map([['*', 'once']]) }).effectOf({})).toBe('once')
  expect(made(tool, { effects: new Map([['other', 'once']]) }).effectOf({})).toBe('read')
})

test('policy is the configured one, or undefined', () => {
  expect(made().policy).toBeUndefined()
  expect(made(listed(), { policies: new Map([['read', 'ask']]) }).policy).toBe('ask')
})

test('it reads private data, takes in untrusted text and sends data out, whatever its server says', () => {
  const tool = made(listed({ annotations: { openWorldHint: false, readOnlyHint: true } }))
  expect(tool.exposureOf?.({})).toEqual({ readsPrivate: true, takesUntrusted: true, sendsOut: true })
})

test('the exposure that the operator names replaces that of the tool', () => {
  const exposures = new Map([['read', { readsPrivate: true }]])
  expect(made(listed(), { exposures }).exposureOf?.({})).toEqual({ readsPrivate: true })
  expect(made(listed({ name: 'other' }), { exposures }).exposureOf?.({})).toMatchObject({ sendsOut: true })
})

test('a call carries input, signal and whose call it is', async () => {
  const calls: McpCall[] = []
  const tool = toTool(listed(), config(), async (call) => {
    calls.push(call)
    return { content: [{ type: 'text', text: 'done' }] }
  })
  const context = {
    signal: new AbortController().signal,
    runId: '01890000-0000-7000-8000-000000000000',
    toolCallId: 'call_1',
    idempotencyKey: 'key_1',
  } as ToolCallContext
  expect(await tool.run({ path: 'a' }, context)).toBe('done')
  expect(calls).toEqual([
    {
      tool: 'read',
      input: { path: 'a' },
      meta: {
        'runwright/idempotency_key': 'key_1',
        'runwright/run_id': 'run_01h4000000e008000000000000',
        'runwright/tool_call_id': 'call_1',
      },
      signal: context.signal,
    },
  ])
  await tool.run({ path: 'a' }, { ...context, traceparent: '00-trace' })
  expect(calls[1]?.meta).toMatchObject({ 'runwright/tool_call_id': 'call_1', traceparent: '00-trace' })
})
