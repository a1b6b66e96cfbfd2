import { describe, expect, test } from 'vitest'
import { finish } from '../../domain/finish.ts'
import { SecretKeeper } from '../../domain/secrets/secret-keeper.ts'
import type { Message } from '../../models/port/model.ts'
import type { TurnBody } from '../../store/run-log/run-change.ts'
import { maxTurnLength } from './cut-turn.ts'
import { type TracedCall, TurnChains } from './turn-chains.ts'

const body: Omit<TurnBody, 'truncated'> = {
  try: 1,
  model: 'test/m',
  prompt_version: '1',
  tools: [],
  parameters: {},
  output_schema: false,
  outcome: 'reply',
  reply: { text: 'hi', tool_calls: [], finish: 'complete' },
  failure: null,
  usage: { total: 4 },
  first_token_ms: 1,
  duration_ms: 2,
}
const user = (text: string): Message => ({ from: 'user', text })
const call = (messages: readonly Message[], part: Partial<TracedCall> = {}): TracedCall => ({
  role: 'worker',
  callKey: '0/a:0',
  attempt: 1,
  leftMs: 100,
  messages,
  body,
  ...part,
})
const chains = (secrets?: SecretKeeper) => {
  const own = new TurnChains({ epoch: 3, secrets })
  return { add: (traced: TracedCall) => finish(own.add(traced)) }
}

describe('messages that the call before has', () => {
  test('are not stored again', () => {
    const own = chains()
    own.add(call([user('a'), user('b')]))
    expect(own.add(call([user('a'), user('b'), user('c')]))).toMatchObject({ shared: 2, messages: [user('c')] })
    expect(own.add(call([user('a'), user('other')]))).toMatchObject({ shared: 1, messages: [user('other')] })
  })

  test('count only within one step and one role', () => {
    const own = chains()
    own.add(call([user('a')]))
    expect(own.add(call([user('a')], { role: 'judge', callKey: '0/a:judge' }))).toMatchObject({ shared: 0 })
    expect(own.add(call([user('a')], { callKey: '0/b:0' }))).toMatchObject({ shared: 0, taskKey: '0/b' })
    expect(own.add(call([user('a')], { callKey: '0/a:7' }))).toMatchObject({ shared: 1, taskKey: '0/a' })
  })

  test('a long conversation takes the space of its text, not of each turn’s prompt', () => {
    const own = chains()
    const turn = 'x'.repeat(1_000)
    const stored = Array.from({ length: 60 }, (_, n) => {
      const messages = Array.from({ length: n + 1 }, (_, index) => user(`${index} ${turn}`))
      return JSON.stringify(own.add(call(messages))).length
    })
    const total = stored.reduce((sum, length) => sum + length, 0)
    expect(total).toBeLessThan(60 * 2_000)
    expect(Math.max(...stored) - Math.min(...stored)).toBeLessThan(20)
  })

  test('count for the size of the whole turn', () => {
    const own = chains()
    const first = own.add(call([user('x'.repeat(1_000))]))
    const second = own.add(call([user('x'.repeat(1_000)), user('y'.repeat(1_000))]))
    expect(first.size).toBeGreaterThan(1_000)
    expect(second.size).toBeGreaterThan(first.size + 1_000)
  })
})

describe('secrets', () => {
  const document = { input: { password: 'correct horse', word: 'user' }, metadata: {} }
  const tag = (name: string, redaction: 'mask' | 'drop') =>
    ({ path: `$.input.${name}`, classification: 'pii', redaction }) as const
  const secrets = SecretKeeper.find(document, [tag('password', 'drop'), tag('word', 'mask')])

  test('are masked in messages, calls, replies and failures; fields and words of the service stay', () => {
    const turn = chains(secrets).add(
      call(
        [
          user('correct horse'),
          user('it is correct horse'),
          { from: 'assistant', text: '', toolCalls: [{ id: 'c', name: 'post', input: { text: 'correct horse!' } }] },
          { from: 'tool', callId: 'c', name: 'post', result: { said: 'correct horse!' }, failed: false },
        ],
        {
          body: {
            ...body,
            reply: { text: 'correct horse', tool_calls: [], finish: 'complete', echo: ['correct horse?'] },
            failure: { reason_code: 'provider_error', message: 'no correct horse', retry: 'never' },
          },
        },
      ),
    )
    expect(turn.messages).toEqual([
      user('***'),
      user('it is ***'),
      { from: 'assistant', text: '', tool_calls: [{ id: 'c', name: 'post', input: { text: '***!' } }] },
      { from: 'tool', call_id: 'c', name: 'post', result: { said: '***!' }, failed: false },
    ])
    expect(turn.body).toMatchObject({ reply: { text: '***', echo: ['***?'] }, failure: { message: 'no ***' } })
  })

  test('at the place where a text is cut are masked before', () => {
    const long = `${'x'.repeat(maxTurnLength - 40)}correct horse${'x'.repeat(2_000)}`
    const stored = JSON.stringify(chains(secrets).add(call([user(long)])))
    expect(stored).not.toContain('correct')
    expect(stored).toContain('not kept]')
  })
})

describe('a text that is too long', () => {
  test('is cut in words, and the turn says so, as long as the conversation has it', () => {
    const own = chains()
    const long = user('x'.repeat(maxTurnLength + 500))
    const first = own.add(call([user('a'), long, user('z'.repeat(100))]))
    expect(first.body.truncated).toBe(true)
    expect(JSON.stringify(first.messages).length).toBeLessThan(maxTurnLength + 500)
    expect(first.messages[1]).toMatchObject({ text: expect.stringMatching(/more characters are not kept\]$/) })
    expect(first.messages[2]).toEqual(user('\n[… 100 more characters are not kept]'))
    expect(own.add(call([user('a'), long, user('z'.repeat(100)), user('b')])).body.truncated).toBe(true)
    expect(own.add(call([user('b')])).body.truncated).toBe(false)
  })

  test('is cut in results, calls and replies, too', () => {
    const long = 'x'.repeat(maxTurnLength)
    const asked = { id: 'c', name: 'page', input: { long } }
    const results = chains().add(call([{ from: 'tool', callId: 'c', name: 'page', result: { long }, failed: false }]))
    const calls = chains().add(call([{ from: 'assistant', text: '', toolCalls: [asked] }]))
    const reply = { text: long, tool_calls: [asked], output: { long }, finish: 'complete' as const, echo: long }
    const replies = chains().add(call([], { body: { ...body, reply } }))
    for (const turn of [results, calls, replies]) {
      expect(turn.body.truncated).toBe(true)
      expect(JSON.stringify(turn).length).toBeLessThan(maxTurnLength + 2_000)
    }
  })
})

test('of an attached file the name, type and size are kept', () => {
  const file = { ref: 'data:1', mediaType: 'image/png', data: new Uint8Array(9) }
  const turn = chains().add(call([{ from: 'user', text: 'look', files: [file] }]))
  expect(turn.messages).toEqual([
    { from: 'user', text: 'look', files: [{ ref: 'data:1', media_type: 'image/png', bytes: 9 }] },
  ])
})
