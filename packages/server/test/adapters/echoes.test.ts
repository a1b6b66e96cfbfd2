// What must go back goes back. The mocks remember what they issued, and refuse what is lost or changed.
import { afterEach, describe, expect, test } from 'vitest'
import type { Message } from '../../src/models/port/model.ts'
import {
  type Adapter,
  adapters,
  hello,
  type OpenAdapter,
  openAdapter,
  promptOf,
  repeated,
  results,
} from '../support/adapters.ts'
import { callTools, type Script, say } from '../support/providers/script.ts'
import type { ProviderOptions } from '../support/providers/wire-format.ts'

const opened: OpenAdapter[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ provider }) => provider.close()))
})

async function open(adapter: Adapter, script: Script): Promise<OpenAdapter> {
  const model = thinkers[adapter]
  opened.push(await openAdapter(adapter, script, model === undefined ? {} : { model }))
  return opened.at(-1) as OpenAdapter
}

/** Models that think without being asked to. */
const thinkers: Partial<Record<Adapter, string>> = { anthropic: 'claude-opus-5-5' }

const tools = [{ name: 'search', description: 'Searches.', inputSchema: { type: 'object', properties: {} } }]
const twoCalls = (n: number, more: object = {}) =>
  callTools(
    [
      { name: 'search', args: { n } },
      { name: 'search', args: { n, more: true } },
    ],
    { reasoning: `Thought ${n}.`, ...more },
  )

/** Three rounds of calls, as the loop has them. */
async function converse({ reply }: OpenAdapter, messages: readonly Message[] = hello): Promise<Message[]> {
  let all = [...messages]
  for (;;) {
    const answer = await reply({ messages: all, tools })
    all = [...all, repeated(answer), ...results(answer)]
    if (answer.toolCalls.length === 0) return all
  }
}

const rounds = [twoCalls(1), twoCalls(2, { text: 'And more.' }), twoCalls(3, { text: '\n\n' })]
const fullScript = [...rounds, say('Done.', { reasoning: 'All found.' }), say('You are welcome.')]

describe.each(adapters)('through %s', (adapter) => {
  test('reasoning and signatures come back over many turns, and after the next question', async () => {
    const own = await open(adapter, fullScript)
    const told = await converse(own)
    await own.reply({ messages: [...told, { from: 'user', text: 'Thanks.' }], tools })
    expect(own.provider.refusals).toEqual([])
    expect(own.provider.requests).toHaveLength(5)
  })

  test('the prompt only grows: each turn begins with the bytes of the turn before', async () => {
    const own = await open(adapter, fullScript)
    await converse(own)
    const sent = own.provider.requests.map(({ body }) => promptOf(body))
    for (const [turn, prompt] of sent.slice(1).entries()) {
      expect(prompt.startsWith(sent[turn] as string)).toBe(true)
      expect(prompt.length).toBeGreaterThan((sent[turn] as string).length)
    }
  })

  // Every other provider in the middle of a turn: providers/echoes.test.ts.
  test('takes over a conversation from another provider', async () => {
    const other = adapter === 'anthropic' ? 'google' : 'anthropic'
    const before = await open(other, fullScript)
    const told = await converse(before)
    const own = await open(adapter, [twoCalls(4), say('Done again.')])
    const messages: Message[] = [...told, { from: 'user', text: 'Go on.' }]
    expect((await converse(own, messages)).at(-1)).toMatchObject({ text: 'Done again.' })
    expect(own.provider.refusals).toEqual([])
    expect(JSON.stringify(own.provider.requests.map(({ body }) => body))).not.toContain('Thought 1.')
  })
})

describe('through compatible servers, reasoning in fields of the message', () => {
  type Sent = { readonly role: string; readonly reasoning_content?: string }
  const openServer = async (provider: ProviderOptions, onQuirk?: (quirk: string) => void) => {
    opened.push(await openAdapter('openai-compatible', fullScript, { provider, ...(onQuirk && { onQuirk }) }))
    return opened.at(-1) as OpenAdapter
  }
  const returned = ({ provider }: OpenAdapter, request: number) =>
    ((provider.requests[request]?.body ?? {}) as { messages?: readonly Sent[] }).messages
      ?.filter(({ role }) => role === 'assistant')
      .map((message) => message.reasoning_content)

  test('goes back to a server that demands it', async () => {
    const own = await openServer({ reasoningMustReturn: true })
    await converse(own)
    expect(own.provider.refusals).toEqual([])
    expect(returned(own, 3)).toEqual(['Thought 1.', 'Thought 2.', 'Thought 3.'])
  })

  test('is left out for a server that refuses it', async () => {
    const quirks: string[] = []
    const own = await openServer({ refusesReasoning: true }, (quirk) => void quirks.push(quirk))
    expect((await converse(own)).at(-1)).toMatchObject({ text: 'Done.' })
    expect(quirks).toEqual(['no_reasoning'])
    expect(own.provider.refusals).toHaveLength(1)
    expect(returned(own, 3)).toEqual([undefined, undefined, undefined])
  })

  test('does not go to another model of the server, which may not know it', async () => {
    const before = await openServer({})
    const asked = await before.reply({ tools })
    opened.push(await openAdapter('openai-compatible', [say('Done.')], { model: 'gpt-other' }))
    const own = opened.at(-1) as OpenAdapter
    await own.reply({ messages: [...hello, repeated(asked), ...results(asked)], tools })
    expect(own.provider.refusals).toEqual([])
    expect(returned(own, 0)).toEqual([undefined])
  })
})

test('OpenAI stores nothing: reasoning goes back encrypted', async () => {
  const own = await open('openai', fullScript)
  await converse(own)
  for (const { body } of own.provider.requests) {
    expect(body).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] })
  }
  const { input = [] } = (own.provider.requests[1]?.body ?? {}) as { input?: { type?: string }[] }
  expect(input.filter(({ type }) => type === 'reasoning')).toMatchObject([
    { id: expect.stringMatching(/^rs_/), encrypted_content: expect.any(String) },
  ])
})

test('Anthropic’s redacted thinking goes back as it came', async () => {
  const own = await open('anthropic', [twoCalls(1, { redacted: true }), twoCalls(2, { redacted: true }), say('Done.')])
  await converse(own)
  expect(own.provider.refusals).toEqual([])
  const { messages = [] } = (own.provider.requests[2]?.body ?? {}) as { messages?: { content: { type: string }[] }[] }
  const blocks = messages.flatMap(({ content }) => content)
  expect(blocks.filter(({ type }) => type === 'redacted_thinking')).toHaveLength(2)
})
