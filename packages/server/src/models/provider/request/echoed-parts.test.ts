import { expect, test } from 'vitest'
import type { ModelRequest } from '../../port/model.ts'
import { toProviderCall } from './call.ts'
import { EchoedParts } from './echoed-parts.ts'

type Part = Parameters<EchoedParts['take']>[0]

/** The echo of these parts, whose text is their deltas. */
function echoOf(...parts: Part[]) {
  const echoed = new EchoedParts()
  let length = 0
  for (const part of parts) {
    echoed.take(part, length)
    if (part.type === 'text-delta') length += part.delta.length
  }
  return echoed.echo(length, 'test/m')
}

const signed = (signature: string) => ({ google: { thoughtSignature: signature } })
const text = (id: string, delta: string): Part[] => [
  { type: 'text-start', id },
  { type: 'text-delta', id, delta },
  { type: 'text-end', id },
]
const reasoning = (id: string, delta: string, signature: string): Part[] => [
  { type: 'reasoning-start', id },
  { type: 'reasoning-delta', id, delta },
  { type: 'reasoning-end', id, providerMetadata: signed(signature) },
]

test('a reply without provider metadata has no echo', () => {
  const parts: Part[] = [
    { type: 'reasoning-start', id: 'r' },
    { type: 'reasoning-delta', id: 'r', delta: 'hm' },
    { type: 'reasoning-end', id: 'r' },
    ...text('t', 'hi'),
    { type: 'tool-call', toolCallId: 'c', toolName: 'x', input: '{}' },
  ]
  expect(echoOf(...parts)).toBeUndefined()
})

test('reasoning with metadata is kept whole and in order, with the metadata of all its parts', () => {
  const echo = echoOf(
    { type: 'reasoning-start', id: 'a', providerMetadata: { openai: { itemId: 'rs_1' } } },
    { type: 'reasoning-start', id: 'b', providerMetadata: signed('s2') },
    { type: 'reasoning-delta', id: 'a', delta: 'first ' },
    { type: 'reasoning-delta', id: 'b', delta: 'other' },
    { type: 'reasoning-delta', id: 'a', delta: 'thought' },
    { type: 'reasoning-end', id: 'a', providerMetadata: { openai: { encrypted: 'e' } } },
    { type: 'reasoning-delta', id: 'unsigned', delta: 'not sent back' },
  )
  expect(echo?.parts).toEqual([
    { kind: 'reasoning', text: 'first thought', options: { openai: { itemId: 'rs_1', encrypted: 'e' } } },
    { kind: 'reasoning', text: 'other', options: signed('s2') },
  ])
})

test('signatures of calls and of text are kept, wherever in the text they come', () => {
  const echo = echoOf(
    ...text('t1', 'one '),
    { type: 'tool-call', toolCallId: 'c1', toolName: 'x', input: '{}', providerMetadata: signed('s2') },
    { type: 'tool-call', toolCallId: 'c2', toolName: 'x', input: '{}' },
    ...text('t2', 'two'),
    { type: 'text-delta', id: 't2', delta: '', providerMetadata: signed('s1') },
  )
  expect(echo?.parts).toEqual([
    { kind: 'text', length: 4 },
    { kind: 'call', id: 'c1', options: signed('s2') },
    { kind: 'call', id: 'c2' },
    { kind: 'text', length: 3, options: signed('s1') },
  ])
})

const toolCalls = [
  { id: 'c1', name: 'x', input: {} },
  { id: 'c2', name: 'x', input: {} },
]

/** What is sent for a turn with this text after the echo went through the journal. */
function sentBack(echo: unknown, words: string) {
  const turn = { from: 'assistant', text: words, toolCalls, echo: JSON.parse(JSON.stringify(echo)) }
  const [message] = toProviderCall({ messages: [turn], tools: [] } as unknown as ModelRequest).prompt
  return message?.content
}

const echoed = echoOf(
  ...reasoning('r1', 'hm', 's0'),
  ...text('t1', 'one '),
  ...reasoning('r2', 'ah', 's1'),
  { type: 'tool-call', toolCallId: 'c1', toolName: 'x', input: '{}', providerMetadata: signed('s2') },
  ...text('t2', 'two'),
  { type: 'tool-call', toolCallId: 'c2', toolName: 'x', input: '{}' },
)
const first = { type: 'reasoning', text: 'hm', providerOptions: signed('s0') }
const second = { type: 'reasoning', text: 'ah', providerOptions: signed('s1') }
const call1 = { type: 'tool-call', toolCallId: 'c1', toolName: 'x', input: {}, providerOptions: signed('s2') }
const call2 = { type: 'tool-call', toolCallId: 'c2', toolName: 'x', input: {} }

test('the echo is sent back with its turn, in the order in which the model wrote it', () => {
  const one = { type: 'text', text: 'one ' }
  const two = { type: 'text', text: 'two' }
  expect(sentBack(echoed, 'one two')).toEqual([first, one, second, call1, two, call2])
})

test('if the text of the turn was changed, it goes between the reasoning and the calls', () => {
  const changed = { type: 'text', text: 'one *** two' }
  expect(sentBack(echoed, 'one *** two')).toEqual([first, second, changed, call1, call2])
})

test('a text of white space only is not sent', () => {
  const { providerOptions: _, ...unsigned } = call1
  expect(sentBack({ parts: [] }, '\n\n')).toEqual([unsigned, call2])
})
