import { expect, test } from 'vitest'
import type { ModelRequest } from '../port/model.ts'
import { toProviderCall } from './call.ts'
import { EchoedParts } from './echoed-parts.ts'

type Part = Parameters<EchoedParts['take']>[0]

function echoOf(...parts: Part[]) {
  const echoed = new EchoedParts()
  for (const part of parts) echoed.take(part)
  return echoed.echo
}

const signed = (signature: string) => ({ google: { thoughtSignature: signature } })

test('a reply without provider metadata has no echo', () => {
  const parts: Part[] = [
    { type: 'reasoning-start', id: 'r' },
    { type: 'reasoning-delta', id: 'r', delta: 'hm' },
    { type: 'reasoning-end', id: 'r' },
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'hi' },
    { type: 'text-end', id: 't' },
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
  expect(echo).toEqual({
    reasoning: [
      { text: 'first thought', options: { openai: { itemId: 'rs_1', encrypted: 'e' } } },
      { text: 'other', options: signed('s2') },
    ],
  })
})

test('signatures of calls and of text are kept', () => {
  const echo = echoOf(
    { type: 'text-start', id: 't', providerMetadata: signed('s1') },
    { type: 'tool-call', toolCallId: 'c1', toolName: 'x', input: '{}', providerMetadata: signed('s2') },
    { type: 'tool-call', toolCallId: 'c2', toolName: 'x', input: '{}' },
  )
  expect(echo).toEqual({ text: signed('s1'), calls: { c1: signed('s2') } })
})

test('the echo is sent back with its turn, reasoning first, after a round trip through JSON', () => {
  const echo = echoOf(
    { type: 'reasoning-start', id: 'r', providerMetadata: signed('s0') },
    { type: 'reasoning-delta', id: 'r', delta: 'hm' },
    { type: 'text-end', id: 't', providerMetadata: signed('s1') },
    { type: 'tool-call', toolCallId: 'c1', toolName: 'x', input: '{}', providerMetadata: signed('s2') },
  )
  const toolCalls = [
    { id: 'c1', name: 'x', input: {} },
    { id: 'c2', name: 'x', input: {} },
  ]
  const request = {
    messages: [{ from: 'assistant', text: 'hi', toolCalls, echo: JSON.parse(JSON.stringify(echo)) }],
    tools: [],
  } as unknown as ModelRequest
  expect(toProviderCall(request).prompt).toEqual([
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'hm', providerOptions: signed('s0') },
        { type: 'text', text: 'hi', providerOptions: signed('s1') },
        { type: 'tool-call', toolCallId: 'c1', toolName: 'x', input: {}, providerOptions: signed('s2') },
        { type: 'tool-call', toolCallId: 'c2', toolName: 'x', input: {} },
      ],
    },
  ])
})
