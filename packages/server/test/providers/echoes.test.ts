// What a provider wrote goes back to that provider only. After a fallback, the others get the conversation without it.
import { afterEach, describe, expect, test } from 'vitest'
import { type WireFormat, wireFormats } from '../../src/models/config/wire-format.ts'
import type { Message, ModelReply } from '../../src/models/port/model.ts'
import { ask, type OpenedModel, openOnMock } from '../support/provider-models.ts'
import { callTools, say } from '../support/providers/script.ts'

const opened: OpenedModel[] = []
afterEach(() => Promise.all(opened.splice(0).map(({ mock }) => mock.close())))

const tool = { name: 'look', description: 'Looks.', inputSchema: { type: 'object', properties: {} } }
const start: readonly Message[] = [
  { from: 'system', text: 'Be short.' },
  { from: 'user', text: 'Look.' },
]
const thinks = { parameters: { reasoningEffort: 'low' } }

async function open(format: WireFormat, name: string): Promise<OpenedModel> {
  const script = [callTools([{ name: 'look', args: {} }], { reasoning: 'I should look.' }), say('It is blue.')]
  const one = await openOnMock({ format, script, config: { name, defaults: thinks } })
  opened.push(one)
  return one
}

async function firstTurn({ model }: OpenedModel): Promise<Message[]> {
  const outcome = await ask(model, { messages: start, tools: [tool] })
  expect(outcome).toMatchObject({ kind: 'reply', toolCalls: [{ name: 'look' }] })
  const { text, toolCalls, echo } = outcome as ModelReply
  // As it comes back from the journal.
  const stored = echo === undefined ? undefined : JSON.parse(JSON.stringify(echo))
  return [
    ...start,
    { from: 'assistant', text, toolCalls, ...(stored !== undefined && { echo: stored }) },
    { from: 'tool', callId: toolCalls[0]?.id ?? '', name: 'look', result: { color: 'blue' }, failed: false },
  ]
}

describe.each(wireFormats)('a turn of %s', (writer) => {
  test('goes on at the same provider', async () => {
    const one = await open(writer, 'first')
    const messages = await firstTurn(one)
    expect(await ask(one.model, { messages, tools: [tool] })).toMatchObject({ kind: 'reply', text: 'It is blue.' })
    expect(one.mock.refusals).toEqual([])
  })

  test.each(wireFormats.filter((format) => format !== writer))('goes on at %s', async (reader) => {
    const messages = await firstTurn(await open(writer, 'first'))
    const script = [say('It is blue.')]
    const other = await openOnMock({ format: reader, script, config: { name: 'second', defaults: thinks } })
    opened.push(other)
    expect(await ask(other.model, { messages, tools: [tool] })).toMatchObject({ kind: 'reply' })
    expect(other.mock.refusals).toEqual([])
    expect(JSON.stringify(other.mock.requests[0]?.body)).not.toContain('I should look.')
  })
})
