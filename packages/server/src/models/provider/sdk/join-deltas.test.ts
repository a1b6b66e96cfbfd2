import { describe, expect, test } from 'vitest'
import { joinDeltas } from './join-deltas.ts'

const chat = (content: string, more: object = { finish_reason: null }, delta: object = {}) =>
  `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { ...delta, content }, ...more }] })}`
const anthropic = (text: string, index = 0) =>
  `event: content_block_delta\ndata: ${JSON.stringify({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } })}`

const textOf = (event: string) => {
  const { delta, choices } = JSON.parse(event.slice(event.indexOf('data:') + 5))
  return delta?.text ?? choices[0].delta.content
}

describe('pieces of text', () => {
  test.each([
    ['chat completions', (text: string) => chat(text)],
    ['chat completions with a role in each', (text: string) => chat(text, {}, { role: 'assistant' })],
    ['chat completions with spaces', (text: string) => chat(text).replaceAll('":', '": ').replaceAll(',"', ', "')],
    ['messages of Anthropic', (text: string) => anthropic(text)],
  ])('in the form of %s become one', (_, event) => {
    const pieces = ['He said "', 'yes\\', '"', '\n', '😀', '\ud83d', '\ude00', '', '}]}', '\\\\"x']
    const joined = joinDeltas(pieces.map(event))
    expect(joined).toHaveLength(1)
    expect(textOf(joined[0] as string)).toBe(pieces.join(''))
  })
})

describe('events that differ in more than a text', () => {
  test.each([
    ['the end', [chat('a'), chat('b', { finish_reason: 'stop' })]],
    ['details of a token', [chat('a', { logprobs: { content: [1] } }), chat('b', { logprobs: { content: [2] } })]],
    ['the block', [anthropic('a', 0), anthropic('b', 1)]],
    ['reasoning', ['data: {"delta":{"reasoning_content":"a"}}', 'data: {"delta":{"reasoning_content":"b"}}']],
    ['tool calls', ['data: {"delta":{"tool_calls":[{"index":0}]}}', 'data: {"delta":{"tool_calls":[{"index":0}]}}']],
    ['another piece', ['data: {"delta":{"type":"thinking_delta","thinking":"a"}}', anthropic('b')]],
    ['no delta', ['data: [DONE]', 'data: [DONE]', ': ping', '']],
  ])('stay as they are: %s', (_, events) => {
    expect(joinDeltas(events)).toEqual(events)
  })

  test('separate the texts before and after them', () => {
    const call = 'data: {"choices":[{"delta":{"tool_calls":[]}}]}'
    const joined = joinDeltas([chat('a'), chat('b'), call, chat('c'), chat('d')])
    expect(joined).toEqual([chat('ab'), call, chat('cd')])
  })
})

test('a text without an end does not take longer than its length', () => {
  const open = `data: {"delta":{"content":"${'\\"'.repeat(200_000)}`
  expect(joinDeltas([open, open])).toHaveLength(1)
})
