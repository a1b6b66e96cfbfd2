import type { Tool } from '@runwright/contract'
import { expect, test } from 'vitest'
import type { StoryCall } from '../../run/story/story.ts'
import { sourcesOf } from './sources.tsx'

const tool = (name: string, reads_private: boolean, takes_untrusted: boolean) =>
  ({ name, exposure: { reads_private, takes_untrusted } }) as unknown as Tool

const tools = [
  tool('read_mail', true, true),
  tool('read_file', true, false),
  tool('http_fetch', false, true),
  tool('calculator', false, false),
  { name: 'query', exposure: null } as unknown as Tool,
]

const call = (name: string, value: string, state: StoryCall['state'] = 'succeeded') =>
  ({
    name,
    state,
    input: { highlights: [{ key: 'path', value, redacted: false }], preview: null },
  }) as unknown as StoryCall

test.each([
  ['read_mail', 'private data and text of third parties'],
  ['read_file', 'private data'],
  ['http_fetch', 'text of third parties'],
  ['query', 'perhaps private or untrusted text'],
  ['a_tool_that_is_gone', 'perhaps private or untrusted text'],
])('what %s returned is %s', (name, what) => {
  expect(sourcesOf([call(name, 'x')], tools)).toEqual([{ name, what, inputs: ['x'] }])
})

test('a tool that reads nothing is no source', () => {
  expect(sourcesOf([call('calculator', '1 + 1')], tools)).toEqual([])
})

test.each(['running', 'failed', 'timeout', 'policy_denied'] as const)(
  'a call that is %s has returned nothing',
  (state) => {
    expect(sourcesOf([call('read_file', 'a.txt', state)], tools)).toEqual([])
  },
)

test('the calls of a tool are one source, with what each was given, and hidden characters written out', () => {
  const calls = [call('read_file', 'a.txt'), call('http_fetch', 'b'), call('read_file', 'pay\u202efdp.exe')]
  expect(sourcesOf(calls, tools)).toEqual([
    { name: 'read_file', what: 'private data', inputs: ['a.txt', 'pay\\u{202e}fdp.exe'] },
    { name: 'http_fetch', what: 'text of third parties', inputs: ['b'] },
  ])
})
