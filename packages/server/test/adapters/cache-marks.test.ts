// Anthropic's prompt cache: each turn writes what the next one reads.
import { afterEach, expect, test } from 'vitest'
import type { Message } from '../../src/models/port/model.ts'
import { hello, type OpenAdapter, openAdapter, repeated, results } from '../support/adapters.ts'
import { callTools, type JsonObject, say } from '../support/providers/script.ts'

let own: OpenAdapter
afterEach(() => own.provider.close())

const tools = ['search', 'read'].map((name) => ({
  name,
  description: 'x',
  inputSchema: { type: 'object', properties: {} },
}))

/** The blocks of a prompt in the order of the cache, each with whether it is marked. */
function blocksOf({ tools: offered, system, messages }: JsonObject): { text: string; isMarked: boolean }[] {
  const inMessages = (messages as { role: string; content: JsonObject[] }[]).flatMap(({ role, content }) =>
    content.map((block) => ({ role, ...block })),
  )
  const all = [...(offered as JsonObject[]), ...(system as JsonObject[]), ...inMessages] as JsonObject[]
  return all.map(({ cache_control, ...block }) => ({
    text: JSON.stringify(block),
    isMarked: cache_control !== undefined,
  }))
}

/** What is stored by this turn: all up to its last mark. */
function stored(body: JsonObject): string[] {
  const blocks = blocksOf(body)
  return blocks.slice(0, blocks.findLastIndex(({ isMarked }) => isMarked) + 1).map(({ text }) => text)
}

test('the last tool, the system prompt and the last messages are marked, four at most', async () => {
  const calls = [1, 2, 3, 4].map((n) => callTools([{ name: 'search', args: { n } }]))
  own = await openAdapter('anthropic', [...calls, say('Done.')])
  let messages: Message[] = [...hello]
  for (const _ of [...calls, 'the last']) {
    const answer = await own.reply({ messages, tools })
    messages = [...messages, repeated(answer), ...results(answer)]
  }
  const bodies = own.provider.requests.map(({ body }) => body)
  expect(bodies).toHaveLength(5)
  for (const body of bodies) {
    const marks = blocksOf(body).filter(({ isMarked }) => isMarked)
    expect(marks.length).toBeLessThanOrEqual(4)
    expect(marks[0]?.text).toContain('"name":"read"')
    expect(marks[1]?.text).toContain('You help.')
  }
  for (const [turn, body] of bodies.slice(1).entries()) {
    const before = stored(bodies[turn] as JsonObject)
    expect(stored(body).slice(0, before.length)).toEqual(before)
    expect(stored(body).length).toBeGreaterThan(before.length)
    // The place up to which the turn before stored is marked again: there this turn reads.
    expect(blocksOf(body)[before.length - 1]?.isMarked).toBe(true)
  }
  expect(own.provider.refusals).toEqual([])
})

test('a call without tools and with one message has two marks', async () => {
  own = await openAdapter('anthropic', [say('Hi.')])
  await own.reply()
  const { system, messages } = own.provider.requests[0]?.body ?? {}
  expect(system).toMatchObject([{ cache_control: { type: 'ephemeral' } }])
  expect(messages).toMatchObject([{ content: [{ cache_control: { type: 'ephemeral' } }] }])
})
