import { expect, test } from 'vitest'
import { longestTurnMs, promisedTurnMs } from '../../../../test/support/cpu-time.ts'
import type { ModelRequest } from '../../port/model.ts'
import { assistantParts } from '../request/assistant-parts.ts'
import { providerToolNames } from '../request/tool-names.ts'
import type { ReplyPart } from '../sdk/language-model.ts'
import { IncomingReply, maxCallsPerReply } from './incoming-reply.ts'

const request = {
  messages: Array.from({ length: 500 }, (_, n) => ({ from: 'tool', callId: `${n}`, name: `tool_${n}`, failed: false })),
  tools: [],
  onText: () => undefined,
} as unknown as ModelRequest

const call = (n: number, id = `id${n}`) =>
  ({ type: 'tool-call', toolCallId: id, toolName: 'calculator', input: '{}' }) as ReplyPart
const list = (length: number, part: (n: number) => ReplyPart) => Array.from({ length }, (_, n) => part(n))

/** The reply, and the failure that ended it. */
function take(parts: readonly ReplyPart[]) {
  const reply = new IncomingReply(request)
  for (const part of parts) {
    const failure = reply.take(part)
    if (failure) return { reply, failure }
  }
  return { reply, failure: undefined }
}

test('a reply may ask for 256 calls, and not for more', () => {
  const { reply, failure } = take(list(maxCallsPerReply, (n) => call(n)))
  expect([reply.toolCalls.length, failure]).toEqual([256, undefined])
  expect(take(list(maxCallsPerReply + 1, (n) => call(n))).failure).toMatchObject({
    reasonCode: 'provider_error',
    message: 'The model asked for more than 256 tool calls in one reply.',
    retry: 'step',
  })
})

test('ids that are missing or repeated are replaced', () => {
  const { reply } = take([call(0, 'a'), call(1, 'a'), call(2, ''), call(3, 'b')])
  expect(reply.toolCalls.map(({ id }) => id)).toEqual(['a', 'a_1', 'call_2', 'b'])
})

test('a reply of very many parts is refused', () => {
  const start = (n: number) => ({ type: 'text-start', id: `${n}` }) as ReplyPart
  expect(take(list(10_000, start)).failure).toBeUndefined()
  expect(take(list(10_001, start)).failure).toMatchObject({ reasonCode: 'provider_error', retry: 'never' })
})

test('as many parts as are taken, with what the provider wants back, take a moment', async () => {
  const marked = (n: number) => [
    { type: 'reasoning-start', id: `r${n}`, providerMetadata: { test: { n } } } as ReplyPart,
    { type: 'reasoning-delta', id: `r${n}`, delta: 'x' } as ReplyPart,
    { type: 'text-start', id: `t${n}` } as ReplyPart,
    { type: 'text-delta', id: `t${n}`, delta: 'x' } as ReplyPart,
  ]
  const parts = [...Array.from({ length: 4_800 }, (_, n) => marked(n)).flat(), ...list(256, (n) => call(n))]
  const { reply, failure } = take(parts)
  expect(failure).toBeUndefined()
  const turn = () => {
    const echo = take(parts).reply.echoed.echo(reply.text.length, 'test/m')
    const said = { from: 'assistant', text: reply.text, toolCalls: reply.toolCalls, echo } as const
    return assistantParts(said, providerToolNames(request))
  }
  expect(turn()).toHaveLength(4_800 * 2 + 256)
  expect(await longestTurnMs(turn)).toBeLessThan(promisedTurnMs)
})
