// What an adapter makes of the replies of each provider.
import { afterEach, describe, expect, test } from 'vitest'
import { type Adapter, adapters, openAdapter } from '../support/adapters.ts'
import { callTools, type Reply, say } from '../support/providers/script.ts'

let close = async () => {}
afterEach(() => close())

const search = { name: 'web.search', description: 'Searches.', inputSchema: { type: 'object', properties: {} } }

async function askOnce(adapter: Adapter, reply: Reply, more: { model?: string } = {}) {
  const { provider, ask } = await openAdapter(adapter, [reply], more)
  close = () => provider.close()
  const heard: string[] = []
  const outcome = await ask({ tools: [search], onText: (text) => void heard.push(text) })
  expect(provider.refusals).toEqual([])
  return { outcome, heard, request: provider.requests[0] }
}

describe.each(adapters)('through %s', (adapter) => {
  test('text is passed on as it comes', async () => {
    const { outcome, heard } = await askOnce(adapter, say(['One ', 'two ', 'three.']))
    expect(heard).toEqual(['One ', 'two ', 'three.'])
    expect(outcome).toMatchObject({ kind: 'reply', text: 'One two three.', toolCalls: [], finish: 'complete' })
  })

  test('parallel calls after a text, in their order and under the names that were offered', async () => {
    const calls = [1, 2, 3].map((n) => ({ name: 'web__search', args: { n } }))
    const { outcome } = await askOnce(adapter, callTools(calls, { text: 'Let me see.' }))
    expect(outcome).toMatchObject({
      text: 'Let me see.',
      toolCalls: [1, 2, 3].map((n) => ({ name: 'web.search', input: { n } })),
    })
  })

  test('an answer cut at the limit of tokens says so', async () => {
    const { outcome } = await askOnce(adapter, say('One two', { finish: 'length' }))
    expect(outcome).toMatchObject({ kind: 'reply', text: 'One two', finish: 'length' })
  })

  test('a refusal has its words, and is no reply', async () => {
    const { outcome } = await askOnce(adapter, say('', { refusal: 'I cannot help with that.' }))
    const words = adapter === 'google' ? "The provider's content filter stopped" : 'The model refused: I cannot help'
    expect(outcome).toMatchObject({ kind: 'failure', reasonCode: 'provider_refused', retry: 'never' })
    expect(outcome).toMatchObject({ message: expect.stringContaining(words), usage: expect.anything() })
  })

  test('an answer that a content filter stopped is no reply', async () => {
    const { outcome } = await askOnce(adapter, say('Well', { finish: 'content_filter' }))
    expect(outcome).toMatchObject({ kind: 'failure', reasonCode: 'provider_refused', text: 'Well' })
    expect(outcome).toMatchObject({ message: expect.stringMatching(/content filter stopped the reply/) })
  })

  test('broken arguments reach the tool as text, which refuses them', async () => {
    const { outcome } = await askOnce(adapter, callTools([{ name: 'web__search', rawArgs: '{"q": "un' }]))
    // Gemini sends no call that it cannot parse.
    const expected =
      adapter === 'google'
        ? { kind: 'failure', reasonCode: 'provider_error', retry: 'step' }
        : { kind: 'reply', toolCalls: [{ name: 'web.search', input: '{"q": "un' }] }
    expect(outcome).toMatchObject(expected)
  })

  test('an empty answer is empty', async () => {
    const { outcome } = await askOnce(adapter, say(''))
    expect(outcome).toMatchObject({ kind: 'reply', text: '', toolCalls: [] })
  })

  test('fields that are new are ignored', async () => {
    const { outcome } = await askOnce(adapter, say('Done.', { extraFields: { vendor: { x: 1 } } }))
    expect(outcome).toMatchObject({ kind: 'reply', text: 'Done.' })
  })
})

test('a plain JSON answer in place of a stream is read where gateways do that', async () => {
  const { outcome } = await askOnce('openai-compatible', say('Done.', { delivery: { plainJson: true } }))
  expect(outcome).toMatchObject({ kind: 'reply', text: 'Done.' })
})
