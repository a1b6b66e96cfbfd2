import { describe, expect, test } from 'vitest'
import { readableBody } from './readable-body.ts'

const read = (contentType: string | undefined, body: Buffer | string): Promise<unknown> =>
  readableBody({
    contentType,
    bytes: Buffer.from(body as string),
    url: new URL('https://shop.example/'),
    signal: new AbortController().signal,
    customerId: 'acme',
  })
const bytes = (...values: readonly number[]) => Buffer.from(values)

describe('JSON', () => {
  test.each([
    ['application/json', '{"a":[1,null]}', { a: [1, null] }],
    ['Application/JSON; charset=utf-8', ' "text" ', 'text'],
    ['text/json', '0', 0],
    ['application/problem+json', '{"title":"no"}', { title: 'no' }],
    ['application/json', '\ufeff{"a":1}', { a: 1 }],
    ['application/json', 'null', null],
  ])('%s %j is a value', async (type, body, value) => {
    expect(await read(type, body)).toEqual(value)
  })

  test.each(['{"a":', 'no JSON', '{} {}', "{'a':1}"])('%s is only labelled so: a text', async (body) => {
    expect(await read('application/json', body)).toBe(body)
  })

  test('nested however deep does not break the reader', async () => {
    expect(await read('application/json', '['.repeat(1_000_000))).toHaveLength(1_000_000)
  })
})

describe('text', () => {
  test.each([
    'text/plain',
    'text/csv; header=present',
    'text/markdown',
    'application/xml',
    'image/svg+xml',
    'application/atom+xml',
    'application/yaml',
    'application/javascript',
    'application/x-ndjson',
    'application/x-www-form-urlencoded',
    'TEXT/PLAIN',
  ])('%s is as it came', async (type) => {
    expect(await read(type, '{"a":1} <b>')).toBe('{"a":1} <b>')
  })

  test('without a content type is read if it is UTF-8', async () => {
    expect(await read(undefined, 'Grüße')).toBe('Grüße')
    await expect(read(undefined, bytes(0x61, 0x00, 0x62))).rejects.toThrow('an unknown content type (3 bytes)')
    await expect(read('', bytes(0xff, 0xd8))).rejects.toThrow('an unknown content type (2 bytes)')
  })
})

describe('a charset', () => {
  test.each([
    ['that is named', 'text/plain; charset=iso-8859-1', bytes(0xe9, 0x80), 'é€'],
    ['in quotes', 'text/plain; charset="Shift_JIS"', bytes(0x82, 0xa0), 'あ'],
    ['among other words', 'text/plain; x=1;CHARSET = windows-1251 ;y', bytes(0xcf), 'П'],
    ['left out: UTF-8', 'text/plain', Buffer.from('é€😀'), 'é€😀'],
    ['left out: windows-1252', 'text/plain', bytes(0x93, 0xe9, 0x94), '“é”'],
    ['given by a mark (UTF-8)', 'text/plain; charset=iso-8859-1', bytes(0xef, 0xbb, 0xbf, 0xc3, 0xa9), 'é'],
    ['given by a mark (UTF-16, little end first)', 'text/plain', bytes(0xff, 0xfe, 0x61, 0x00), 'a'],
    ['given by a mark (UTF-16, big end first)', 'text/plain', bytes(0xfe, 0xff, 0x00, 0x61), 'a'],
    ['that does not fit', 'text/plain; charset=utf-8', bytes(0x61, 0xff), 'a\ufffd'],
    ['of a page', 'text/html', Buffer.from('<meta charset="koi8-r"><p>\xf0', 'latin1'), 'П'],
    ['of an older page', 'text/html', Buffer.from('<meta content="x; charset=koi8-r"><p>\xf0', 'latin1'), 'П'],
    ['of a page, other than its header says', 'text/html; charset=utf-8', '<meta charset="koi8-r">П', 'П'],
    ['of a page that cannot be', 'text/html', '<meta charset="utf-16"><p>П', 'П'],
  ])('%s', async (_case, type, body, text) => {
    expect(await read(type, Buffer.from(body as string))).toBe(text)
  })

  test('all of windows-1252 is as browsers read it', async () => {
    const high = Array.from({ length: 32 }, (_, n) => 0x80 + n)
    const text = await read('text/plain; charset=windows-1252', bytes(...high))
    expect(text).toBe('€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ')
  })

  test('that is unknown is an error', async () => {
    const problem = 'The response has the charset "klingon", which is not supported.'
    await expect(read('text/plain; charset=klingon', 'a')).rejects.toThrow(problem)
  })
})

test.each([
  ['image/png', 'The response has the content type image/png (3 bytes). Only text, JSON and HTML are supported.'],
  ['application/octet-stream', 'The response has the content type application/octet-stream (3 bytes)'],
  ['application/pdf; x=y', 'The response has the content type application/pdf (3 bytes)'],
  ['<b>nonsense</b>', 'The response has an unknown content type (3 bytes)'],
  ['application/jsonx', 'The response has the content type application/jsonx (3 bytes)'],
])('%s is not supported, and the message names it', async (type, problem) => {
  await expect(read(type, 'abc')).rejects.toThrow(problem)
})

test.each(['image/png', 'application/json', 'text/html', undefined])('nothing of type %s is null', async (type) => {
  expect(await read(type, '')).toBeNull()
})
