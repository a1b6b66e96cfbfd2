import { expect, test } from 'vitest'
import type { Message, ModelRequest } from '../../port/model.ts'
import { IncomingReply } from '../reply/incoming-reply.ts'
import { toProviderCall } from './call.ts'
import { providerToolNames } from './tool-names.ts'

const namesFor = (names: readonly string[], messages: readonly Message[] = []) =>
  providerToolNames({ tools: names.map((name) => ({ name, description: '', inputSchema: {} })), messages })

const given = (names: readonly string[]) => names.map(namesFor(names).toProvider)

test('a name that fits stays as it is', () => {
  expect(given(['calculator', 'a__b', 'x-1'])).toEqual(['calculator', 'a__b', 'x-1'])
})

test('a tool of a server gets two underscores for its dot', () => {
  expect(given(['github.create_issue', 'a.b.c'])).toEqual(['github__create_issue', 'a__b__c'])
})

test('every name fits and is mapped back to the original', () => {
  const names = ['calculator', 'a.b', 'a__b', 'a.b__c', 'a__b.c', `${'s'.repeat(64)}.${'t'.repeat(128)}`, 'söm.é']
  const { toProvider, fromProvider } = namesFor(names)
  expect(new Set(names.map(toProvider)).size).toBe(names.length)
  for (const name of names) {
    expect(toProvider(name)).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    expect(fromProvider(toProvider(name))).toBe(name)
  }
})

test('of two names that would collide, the one that fits is kept', () => {
  expect(given(['a.b', 'a__b'])).toEqual([expect.stringMatching(/^a__b_[0-9a-f]{10}$/), 'a__b'])
})

test('long names that differ only at their end stay distinct', () => {
  const names = ['1', '2'].map((end) => `server.${'x'.repeat(100)}${end}`)
  expect(new Set(given(names)).size).toBe(2)
})

test('the order of the tools does not matter', () => {
  const names = ['a.b__c', 'a__b.c', 'a.b', 'a__b', 'plain']
  expect(given(names.toReversed()).toReversed()).toEqual(given(names))
})

test('calls of earlier turns are mapped too, even if their tool no longer exists', () => {
  const call = { id: '1', name: 'gone.tool', input: {} }
  const { toProvider } = namesFor(
    [],
    [
      { from: 'user', text: 'hello' },
      { from: 'assistant', text: '', toolCalls: [call] },
      { from: 'tool', callId: '1', name: 'gone.other', result: null, failed: false },
    ],
  )
  expect([toProvider('gone.tool'), toProvider('gone.other')]).toEqual(['gone__tool', 'gone__other'])
})

test('a name that the model invented is passed on', () => {
  expect(namesFor(['a.b']).fromProvider('no_such_tool')).toBe('no_such_tool')
})

test('requests contain the provider’s names, and replies contain ours', async () => {
  const request: ModelRequest = {
    role: 'worker',
    messages: [
      { from: 'assistant', text: '', toolCalls: [{ id: '1', name: 'web.fetch', input: {} }] },
      { from: 'tool', callId: '1', name: 'web.fetch', result: 'ok', failed: false },
    ],
    tools: [{ name: 'web.fetch', description: 'Fetches.', inputSchema: {} }],
    outputSchema: undefined,
    maxOutputTokens: undefined,
    signal: new AbortController().signal,
    onText: () => undefined,
    rehearsal: { script: undefined, agentStep: 0, failures: 0, turn: 0, isLast: undefined },
  }
  const sent = toProviderCall(request)
  expect(sent.tools).toMatchObject([{ name: 'web__fetch' }])
  expect(sent.prompt).toMatchObject([
    { role: 'assistant', content: [{ type: 'tool-call', toolName: 'web__fetch' }] },
    { role: 'tool', content: [{ type: 'tool-result', toolName: 'web__fetch' }] },
  ])
  const reply = new IncomingReply(request)
  await reply.take({ type: 'tool-call', toolCallId: '2', toolName: 'web__fetch', input: '{}' })
  expect(reply.toolCalls).toEqual([{ id: '2', name: 'web.fetch', input: {} }])
})
