import { describe, expect, test } from 'vitest'
import { checkInput } from '../port/check-input.ts'
import type { Tool } from '../port/tool.ts'
import { maxRequestHeaders } from './header-rules.ts'
import { createHttpFetch } from './http-fetch.ts'
import { methods } from './methods.ts'

const url = 'https://shop.example/'
const problemOf = async (input: unknown): Promise<string | undefined> => {
  const checked = await checkInput(createHttpFetch() as Tool, input)
  return checked.ok ? undefined : checked.problem
}

describe('takes', () => {
  test.each([
    { url },
    { url: 'http://user@127.0.0.1:22/' },
    { url: 'ftp://shop.example' },
    ...methods.map((method) => ({ url, method })),
    { url, headers: {} },
    { url, headers: { 'X-Key': 'é\tx', cookie: 'a=b', authorization: 'Bearer x', referer: '' } },
    { url, method: 'POST', body: 'text' },
    { url, method: 'POST', body: '' },
    { url, method: 'POST', body: { a: [1] } },
    { url, method: 'POST', body: 0 },
    { url, method: 'GET', body: null },
    { url, method: 'POST', body: 'x'.repeat(1024 * 1024) },
  ])('%j', async (input) => {
    expect(await problemOf(input)).toBeUndefined()
  })
})

describe('does not take', () => {
  test.each([
    [null, 'input must be an object, not null.'],
    [{}, 'input.url is required.'],
    [{ url: 1 }, 'input.url must be a string.'],
    [{ url: '' }, 'input.url must be an absolute URL.'],
    [{ url: 'shop.example' }, 'input.url must be an absolute URL.'],
    [{ url: '/path' }, 'input.url must be an absolute URL.'],
    [{ url: 'http://' }, 'input.url must be an absolute URL.'],
    [{ url: 'http://a b/' }, 'input.url must be an absolute URL.'],
    [{ url: 'http://256.256.256.256/' }, 'input.url must be an absolute URL.'],
    [{ url: 'http://[::1%25lo]/' }, 'input.url must be an absolute URL.'],
    [{ url: 'http://shop.example:99999/' }, 'input.url must be an absolute URL.'],
    [{ url: `${url}${'x'.repeat(8192)}` }, 'input.url must have at most 8192 characters.'],
    [{ url, timeout: 1 }, 'input.timeout is not a known field.'],
    [{ url, method: 'TRACE' }, expect.stringMatching(/^input.method must be one of "GET", "HEAD", "POST"/)],
    [{ url, method: 'CONNECT' }, expect.stringContaining('input.method must be one of')],
    [{ url, method: 'get' }, expect.stringContaining('input.method must be one of')],
    [{ url, headers: [] }, 'input.headers must be an object.'],
    [{ url, headers: { a: 1 } }, 'input.headers.a must be a string.'],
    [{ url, body: 'x' }, 'input.body is not allowed with GET and HEAD.'],
    [{ url, method: 'HEAD', body: {} }, 'input.body is not allowed with GET and HEAD.'],
    [{ url, method: 'PUT', body: 'é'.repeat(600_000) }, 'input.body must have at most 1048576 bytes.'],
  ])('%j', async (input, problem) => {
    expect(await problemOf(input)).toEqual(problem)
  })

  test.each([
    'Host',
    'connection',
    'Keep-Alive',
    'content-length',
    'Transfer-Encoding',
    'te',
    'trailer',
    'Upgrade',
    'HTTP2-Settings',
    'expect',
    'accept-encoding',
    'proxy-authorization',
    'Proxy-Connection',
    'X-HTTP-Method-Override',
    'x-method-override',
    'x-http-method',
  ])('the header %s', async (name) => {
    const problem = await problemOf({ url, headers: { accept: '*/*', [name]: 'secret' } })
    expect(problem).toBe(`input.headers.${name} is a header that must not be set.`)
  })

  test.each(['a b', 'a:', 'a\r\nhost', 'é', '', 'a\u0000'])('the header name %j', async (name) => {
    expect(await problemOf({ url, headers: { [name]: 'secret' } })).toMatch(/is not a valid header name\.$/)
  })

  test.each(['a\r\nhost: x', 'a\nb', 'a\rb', '\u0000', '€', '\x7f'])('the header value %j', async (value) => {
    expect(await problemOf({ url, headers: { 'x-a': value } })).toBe(
      'input.headers.x-a has characters that are not allowed in a header.',
    )
  })

  test('too many headers, too long ones, or one header twice', async () => {
    const many = Object.fromEntries(Array.from({ length: maxRequestHeaders + 1 }, (_, n) => [`x-${n}`, '']))
    expect(await problemOf({ url, headers: many })).toBe('input.headers must have at most 64 headers.')
    const long = { 'x-a': 'x'.repeat(16 * 1024) }
    expect(await problemOf({ url, headers: long })).toBe('input.headers must have at most 16384 characters in total.')
    const twice = { Accept: 'a', accept: 'b' }
    expect(await problemOf({ url, headers: twice })).toBe('input.headers must not contain a header twice.')
  })
})
