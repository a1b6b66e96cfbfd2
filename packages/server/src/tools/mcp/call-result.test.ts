import type { ContentBlock } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { readCallResult } from './call-result.ts'

const text = (said: string): ContentBlock => ({ type: 'text', text: said })
const data = Buffer.from('12345').toString('base64')

test('structured content is the output, whatever the other content', () => {
  expect(readCallResult({ content: [text('{"a":2}')], structuredContent: { a: 1 } })).toEqual({ a: 1 })
  expect(readCallResult({ content: [text('nothing')], structuredContent: null as never })).toBeNull()
})

test('text is joined line by line', () => {
  expect(readCallResult({ content: [text('one'), text('two')] })).toBe('one\ntwo')
  expect(readCallResult({ content: [] })).toBe('')
})

test('text that is JSON stays text', () => {
  expect(readCallResult({ content: [text('{"a":1}')] })).toBe('{"a":1}')
})

test.each<[ContentBlock, string]>([
  [{ type: 'image', mimeType: 'image/png', data }, '[image image/png, 5 bytes, omitted]'],
  [{ type: 'audio', mimeType: 'audio/wav', data }, '[audio audio/wav, 5 bytes, omitted]'],
  [{ type: 'resource_link', uri: 'file:///a', name: 'a' }, '[resource file:///a, not fetched]'],
  [{ type: 'resource', resource: { uri: 'file:///a', blob: data } }, '[resource file:///a, 5 bytes, omitted]'],
  [
    { type: 'resource', resource: { uri: 'file:///a', mimeType: 'text/plain', text: 'words' } },
    '[resource file:///a text/plain]\nwords',
  ],
])('%o becomes text', (block, words) => {
  expect(readCallResult({ content: [text('Here:'), block] })).toBe(`Here:\n${words}`)
})

test('an error of the tool is thrown with its message', () => {
  expect(() => readCallResult({ isError: true, content: [text('No such file.')] })).toThrow('No such file.')
  expect(() => readCallResult({ isError: true, content: [] })).toThrow('without an error message')
})
