import { expect, test } from 'vitest'
import type { Message, ModelRequest } from '../../port/model.ts'
import { toProviderCall } from './call.ts'

const promptOf = (...messages: Message[]) => toProviderCall({ messages, tools: [] } as unknown as ModelRequest).prompt

const assistant = (text: string, ...ids: string[]): Message => ({
  from: 'assistant',
  text,
  toolCalls: ids.map((id) => ({ id, name: 'x', input: {} })),
})
const result = (callId: string): Message => ({ from: 'tool', callId, name: 'x', result: callId, failed: false })
const user = (text: string): Message => ({ from: 'user', text })

test('user and assistant turns alternate, whatever the messages', () => {
  const prompt = promptOf(
    { from: 'system', text: 's' },
    user('one'),
    user('two'),
    assistant('half'),
    assistant(' more', 'c'),
    result('c'),
    user('go on'),
    user('now'),
  )
  expect(prompt.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'user'])
  expect(prompt[1]).toMatchObject({ content: [{ text: 'one\n\ntwo' }] })
  expect(prompt[2]).toMatchObject({ content: [{ text: 'half\n\n more' }, { toolCallId: 'c' }] })
  expect(prompt[4]).toMatchObject({ content: [{ text: 'go on\n\nnow' }] })
})

test('the results of one turn go back together', () => {
  const prompt = promptOf(user('u'), assistant('', 'a', 'b'), result('a'), result('b'))
  expect(prompt[2]).toMatchObject({ role: 'tool', content: [{ toolCallId: 'a' }, { toolCallId: 'b' }] })
  expect(prompt).toHaveLength(3)
})

test('no empty text is sent', () => {
  expect(promptOf(user('u'), assistant('', 'a'))[1]).toMatchObject({ content: [{ type: 'tool-call' }] })
  expect(promptOf(user('u'), assistant(''))[1]).toEqual({
    role: 'assistant',
    content: [{ type: 'text', text: '(no text)' }],
  })
})

test.each([
  ['a text', 'say "hi"\n', { type: 'text', value: 'say "hi"\n' }],
  ['an empty text', '', { type: 'json', value: '' }],
  ['an object', { n: 1 }, { type: 'json', value: { n: 1 } }],
  ['nothing', undefined, { type: 'json', value: null }],
])('%s reaches the model as it is', (_, given, output) => {
  const prompt = promptOf(user('u'), assistant('', 'a'), { ...result('a'), result: given } as Message)
  expect(prompt[2]).toMatchObject({ content: [{ type: 'tool-result', output }] })
})
