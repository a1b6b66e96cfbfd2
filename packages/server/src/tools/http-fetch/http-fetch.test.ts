import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type PretendWeb, page, redirect, startPretendWeb } from '../../../test/support/pretend-web.ts'
import { toolContext } from '../../../test/support/tool-context.ts'
import { ToolCatalogue } from '../port/catalogue.ts'
import { invokeTool } from '../port/invoke.ts'
import type { ToolResult } from '../port/tool.ts'
import { createHttpFetch } from './http-fetch.ts'

let web: PretendWeb
beforeAll(async () => {
  web = await startPretendWeb()
})
afterEach(() => web.forget())
afterAll(() => web.stop())

const fetchIt = (input: unknown, signal = new AbortController().signal): Promise<ToolResult> =>
  invokeTool({
    catalogue: new ToolCatalogue([web.tool]),
    name: 'http_fetch',
    input,
    allowed: undefined,
    context: toolContext({ signal }),
  })

const shop = 'https://shop.example'
const denied = (reasonCode: string) => ({ outcome: 'policy_denied', reasonCode, message: expect.any(String) })
const addressDenied = denied('address_not_allowed')
const failed = (message: string) => ({ outcome: 'failed', message })

describe('an address that is not public is denied before anything is sent', () => {
  const loopback = [
    'http://127.0.0.1/',
    'https://127.0.0.1/',
    'http://127.1/',
    'http://127.0.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0x7F.0.0.1/',
    'http://0x7f.1/',
    'http://017700000001/',
    'http://0177.0.0.1/',
    'http://0177.0.0.0x1/',
    'http://127.0.0.1./',
    'http://127.0.0.1:80/',
    'http://127.0.0.1:443/',
    'http://127.255.255.255/',
    'http://１２７.０.０.１/',
    'http://①②⑦.⓪.⓪.①/',
    'http://127。0。0。1/',
    'http://127．0．0．1/',
    'http://%31%32%37.0.0.1/',
    'http://127.0.0%2e1/',
    'http://good.example@127.0.0.1/',
    'http://good.example:80@127.0.0.1/',
    'http://user:password@127.0.0.1:80/',
    'http://good.example%40x@127.0.0.1/',
    'http://127.0.0.1#@good.example/',
    'http://127.0.0.1?@good.example/',
    'http://127.0.0.1\\@good.example/',
    'http:127.0.0.1',
    'http:\\\\127.0.0.1\\',
    'http:////127.0.0.1/',
    ' \thttp://127.0.\n0.1/ ',
    'HTTP://127.0.0.1/',
    'http://localhost/',
    'http://LOCALHOST/',
    'http://localhost./',
    'http://ｌｏｃａｌｈｏｓｔ/',
    'http://loc\u00adalhost/',
    'http://a.localhost/',
    'http://a.b.localhost./',
    'http://user@localhost/',
    'http://db/',
    'http://db./',
    'http://printer.local/',
    'http://METADATA.google.internal./',
    'http://nas.home.arpa/',
    'http://[::1]/',
    'http://[0:0:0:0:0:0:0:1]/',
    'http://[0000::0001]:80/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[::127.0.0.1]/',
    'http://[::7f00:1]/',
    'http://[64:ff9b::127.0.0.1]/',
    'http://[64:ff9b:1::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[2001:0:4136:e378:8000:63bf:80ff:fffe]/',
    'http://[2606:4700::5efe:7f00:1]/',
  ]
  const others = [
    'http://0/',
    'http://0.0.0.0/',
    'http://0x0/',
    'http://10.0.0.1/',
    'http://10.1/',
    'http://0xa000001/',
    'http://012.0.0.1/',
    'http://172.16.0.1/',
    'http://192.168.1.1/',
    'http://192.168.257/',
    'http://3232235777/',
    'http://100.64.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://2852039166/',
    'http://0xa9fea9fe/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://[fd00:ec2::254]/',
    'http://198.18.0.1/',
    'http://192.0.2.1/',
    'http://224.0.0.1/',
    'http://240.0.0.1/',
    'http://255.255.255.255/',
    'http://4294967295/',
    'http://[fe80::1]/',
    'http://[fec0::1]/',
    'http://[ff02::1]/',
    'http://[100::1]/',
    'http://[2001:db8::1]/',
  ]

  test.each([...loopback, ...others])('%j', async (url) => {
    expect(await fetchIt({ url })).toEqual(addressDenied)
    expect([web.lookedUp, web.dialled, web.requests]).toEqual([[], [], []])
  })

  test.each([
    [['10.0.0.1']],
    [['93.184.215.14', '10.0.0.1']],
    [['127.0.0.1', '93.184.215.14']],
    [['2606:4700::1111', '::ffff:7f00:1']],
    [['fe80::1%eth0']],
    [['2606:4700::1111%eth0']],
    [['not an address']],
  ])('a name that has %j', async (addresses) => {
    web.names.set('inside.example', [addresses])
    const result = await fetchIt({ url: 'http://inside.example/' })
    expect(result).toEqual(addressDenied)
    expect(JSON.stringify(result)).not.toContain(addresses[0])
    expect([web.dialled, web.requests]).toEqual([[], []])
  })

  test.each([22, 8080, 0, 444, 65535])('a public name on port %d', async (port) => {
    expect(await fetchIt({ url: `http://shop.example:${port}/` })).toEqual(addressDenied)
    expect(web.lookedUp).toEqual([])
  })

  test.each(['POST', 'DELETE'])('whatever the method: %s', async (method) => {
    expect(await fetchIt({ url: 'http://127.0.0.1/', method })).toEqual(addressDenied)
  })
})

test('a name is looked up once a hop, and the connection goes where the check was', async () => {
  web.names.set('turning.example', [['93.184.215.14'], ['127.0.0.1']])
  expect(await fetchIt({ url: 'http://turning.example/' })).toMatchObject({ outcome: 'succeeded' })
  expect([web.lookedUp, web.dialled]).toEqual([['turning.example'], [['93.184.215.14']]])
})

test('a public address is dialled as it is, without a look-up', async () => {
  await fetchIt({ url: 'http://1.1.1.1/' })
  await fetchIt({ url: 'https://[2606:4700::1111]/' })
  expect([web.lookedUp, web.dialled]).toEqual([[], [['1.1.1.1'], ['2606:4700::1111']]])
  expect(web.requests.map(({ line }) => line)).toEqual(['GET 1.1.1.1/', 'GET [2606:4700::1111]/'])
})

test.each([
  'http://shop.example:443/',
  'https://shop.example:80/',
  'http://shop.example:80/',
  'https://shop.example./',
])('%s is fetched', async (url) => {
  expect(await fetchIt({ url })).toMatchObject({ outcome: 'succeeded' })
})

test.each([
  'ftp://shop.example/',
  'file:///etc/passwd',
  'file://127.0.0.1/etc/passwd',
  'data:text/plain,hello',
  'javascript:alert(1)',
  'blob:https://shop.example/1',
  'ws://shop.example/',
  'gopher://127.0.0.1:6379/_',
  'unix:/var/run/docker.sock',
  'about:blank',
])('the scheme of %s is denied', async (url) => {
  expect(await fetchIt({ url })).toEqual(denied('scheme_not_allowed'))
  expect(web.lookedUp).toEqual([])
})

test.each(['http://user@shop.example/', 'http://:secret@shop.example/'])('%s is not fetched', async (url) => {
  const message = 'The URL must not contain a user name or password. Use the authorization header instead.'
  expect(await fetchIt({ url })).toEqual({ ...failed(message), noEffect: true })
  expect(web.lookedUp).toEqual([])
})

describe('a redirect', () => {
  test('is followed, each hop with its own host', async () => {
    web.pages.set('/a', redirect(301, 'http://other.example/b')).set('/b', redirect(302, '/c'))
    expect(await fetchIt({ url: `${shop}/a` })).toMatchObject({ output: { status: 200, body: '/c' } })
    const lines = ['GET shop.example/a', 'GET other.example/b', 'GET other.example/c']
    expect(web.requests.map(({ line }) => line)).toEqual(lines)
  })

  test.each([
    ['http://127.0.0.1/', 'address_not_allowed'],
    ['http://169.254.169.254/latest/meta-data/', 'address_not_allowed'],
    ['//[::1]/', 'address_not_allowed'],
    ['http://0x7f.1/', 'address_not_allowed'],
    ['http://user@localhost/', 'address_not_allowed'],
    ['https://other.example:8443/', 'address_not_allowed'],
    ['http://inside.example/', 'address_not_allowed'],
    ['file:///etc/passwd', 'scheme_not_allowed'],
    ['javascript:alert(1)', 'scheme_not_allowed'],
  ])('to %s is denied', async (location, reason) => {
    web.names.set('inside.example', [['10.0.0.1']])
    web.pages.set('/away', redirect(302, location))
    expect(await fetchIt({ url: `${shop}/away` })).toEqual(denied(reason))
    expect(web.requests).toHaveLength(1)
  })

  test('to a name that has meanwhile moved inside is denied', async () => {
    web.names.set('turning.example', [['93.184.215.14'], ['127.0.0.1']])
    web.pages.set('/again', redirect(302, '/secret'))
    expect(await fetchIt({ url: 'http://turning.example/again' })).toEqual(addressDenied)
    expect(web.requests).toHaveLength(1)
  })

  test('to a URL with a password is not followed', async () => {
    web.pages.set('/away', redirect(302, 'http://a:b@other.example/'))
    expect(await fetchIt({ url: `${shop}/away` })).toMatchObject({ outcome: 'failed' })
  })

  test('is followed five times and no more', async () => {
    for (let n = 0; n < 6; n += 1) web.pages.set(`/${n}`, redirect(302, `/${n + 1}`))
    expect(await fetchIt({ url: `${shop}/1` })).toMatchObject({ output: { body: '/6' } })
    expect(await fetchIt({ url: `${shop}/0` })).toEqual(failed('"shop.example" redirects more than 5 times.'))
    expect(web.requests).toHaveLength(12)
  })

  test('of a POST to another origin is the answer, so that the caller decides', async () => {
    web.pages.set('/pay', (_request, response) => response.writeHead(307, { location: 'https://other.example/' }).end())
    const result = await fetchIt({ url: `${shop}/pay`, method: 'POST', body: { amount: 1 } })
    const output = { status: 307, headers: { location: 'https://other.example/' }, body: null }
    expect(result).toMatchObject({ outcome: 'succeeded', output })
    expect(web.requests).toHaveLength(1)
  })

  test('of a POST to a forbidden target warns that the POST was sent', async () => {
    web.pages.set('/pay', redirect(303, 'http://127.0.0.1/'))
    const result = await fetchIt({ url: `${shop}/pay`, method: 'POST' })
    const message = expect.stringContaining('The POST request may still have taken effect.')
    expect(result).toEqual({ outcome: 'failed', message })
  })
})

describe('a request', () => {
  test('arrives as it was asked for', async () => {
    const headers = { 'X-Key': 'a', accept: 'application/json' }
    await fetchIt({ url: `${shop}/p/ä?q=ü#part`, method: 'PUT', headers, body: { a: 'é' } })
    expect(web.requests).toEqual([
      {
        line: 'PUT shop.example/p/%C3%A4?q=%C3%BC',
        headers: {
          host: 'shop.example',
          connection: 'close',
          accept: 'application/json',
          'accept-encoding': 'gzip, deflate, br',
          'content-length': '10',
          'content-type': 'application/json',
          'idempotency-key': 'key-1',
          'user-agent': 'runwright',
          'x-key': 'a',
        },
        body: '{"a":"é"}',
      },
    ])
  })

  test('keeps the key of the call over a redirect that repeats it', async () => {
    web.pages.set('/old', redirect(308, '/new'))
    await fetchIt({ url: `${shop}/old`, method: 'POST', body: 'x' })
    expect(web.requests.map(({ headers, body }) => [headers['idempotency-key'], body])).toEqual([
      ['key-1', 'x'],
      ['key-1', 'x'],
    ])
  })
})

describe('an answer', () => {
  test.each([200, 204, 304, 400, 404, 429, 500, 503])('with status %d is a result', async (status) => {
    web.pages.set('/s', (_request, response) => response.writeHead(status, { 'content-type': 'text/plain' }).end())
    expect(await fetchIt({ url: `${shop}/s` })).toMatchObject({ outcome: 'succeeded', output: { status, body: null } })
  })

  test.each([500, 502, 503])('with status %d to a POST fails: the server may have carried it out', async (status) => {
    web.pages.set('/s', (_request, response) => response.writeHead(status, { 'content-type': 'text/plain' }).end('Oh.'))
    const message = `"shop.example" answered with status ${status}: Oh.. The POST request may still have taken effect.`
    expect(await fetchIt({ url: `${shop}/s`, method: 'POST' })).toEqual(failed(message))
  })

  test.each([400, 404, 409, 429])('with status %d to a POST is a result: the server has refused it', async (status) => {
    web.pages.set('/s', (_request, response) => response.writeHead(status, { 'content-type': 'text/plain' }).end('No.'))
    expect(await fetchIt({ url: `${shop}/s`, method: 'POST' })).toMatchObject({ output: { status, body: 'No.' } })
    web.pages.set('/s', (_request, response) => response.writeHead(status, { 'content-type': 'image/png' }).end('abc'))
    expect(await fetchIt({ url: `${shop}/s`, method: 'POST' })).toMatchObject({ outcome: 'failed', noEffect: true })
  })

  test('has headers in lower case, repeated ones joined, and no cookies', async () => {
    web.pages.set('/h', (_request, response) => {
      const headers = { 'X-Shop': ['a', 'b'], 'Set-Cookie': ['id=1', 'key=2'], Link: '</n>; rel=next' }
      response.writeHead(200, { ...headers, 'content-type': 'text/plain', connection: 'close' }).end('x')
    })
    const result = await fetchIt({ url: `${shop}/h` })
    const headers = { 'x-shop': 'a, b', link: '</n>; rel=next', 'content-type': 'text/plain' }
    expect(result).toMatchObject({ output: { headers } })
    expect(JSON.stringify(result)).not.toMatch(/cookie|key=2/i)
  })

  test.each([
    ['application/json', '{"a":[1]}', { a: [1] }],
    ['application/json', '{"a":', '{"a":'],
    ['text/plain; charset=iso-8859-1', Buffer.from([0xe9]), 'é'],
    ['text/html', '<h1>Hi</h1><a href="x">y</a><script>z</script>', 'Hi\n\ny [https://shop.example/x]'],
  ])('of type %s is read', async (type, body, read) => {
    web.pages.set('/page', page(type, body))
    expect(await fetchIt({ url: `${shop}/page` })).toMatchObject({ output: { status: 200, body: read } })
  })

  test('has links relative to where it came from in the end', async () => {
    web.pages.set('/a', redirect(302, 'https://other.example/b/')).set('/b/', page('text/html', '<a href="c">C</a>'))
    expect(await fetchIt({ url: `${shop}/a` })).toMatchObject({ output: { body: 'C [https://other.example/b/c]' } })
  })

  test('to HEAD has a status and headers, whatever its type', async () => {
    web.pages.set('/big', page('image/png', '', { 'content-length': '123456789', 'content-encoding': 'gzip' }))
    const output = { status: 200, headers: { 'content-length': '123456789' }, body: null }
    expect(await fetchIt({ url: `${shop}/big`, method: 'HEAD' })).toMatchObject({ outcome: 'succeeded', output })
  })

  test.each([
    [
      'a picture',
      page('image/png', 'abc'),
      'The response has the content type image/png (3 bytes). Only text, JSON and HTML are supported.',
    ],
    ['too large', page('text/plain', 'x'.repeat(1_048_577)), 'The response is larger than 1048576 bytes.'],
    [
      'a bomb',
      page('text/plain', gzipSync(Buffer.alloc(50_000_000)), { 'content-encoding': 'gzip' }),
      'The response is larger than 1048576 bytes.',
    ],
  ])('that is %s fails', async (_case, answer, message) => {
    web.pages.set('/x', answer)
    expect(await fetchIt({ url: `${shop}/x` })).toEqual(failed(message))
  })

  test('to a POST that cannot be read warns that the POST was sent', async () => {
    web.pages.set('/x', page('image/png', 'abc'))
    const result = await fetchIt({ url: `${shop}/x`, method: 'POST' })
    const message = expect.stringMatching(/supported\. The POST request may still have taken effect/)
    expect(result).toEqual({ outcome: 'failed', message })
  })

  test.each([
    ['nests too deeply to be stored', `${'['.repeat(1000)}${']'.repeat(1000)}`],
    ['has more values than can be stored', `[${'1,'.repeat(100_000)}1]`],
  ])('JSON that %s is text', async (_, json) => {
    web.pages.set('/json', page('application/json', json))
    expect(await fetchIt({ url: `${shop}/json` })).toMatchObject({ outcome: 'succeeded', output: { body: json } })
  })
})

test('only GET and HEAD may be made again after a crash', () => {
  const { effectOf } = createHttpFetch()
  const url = `${shop}/`
  expect([effectOf({ url }), effectOf({ url, method: 'GET' }), effectOf({ url, method: 'HEAD' })]).toEqual(
    Array(3).fill('read'),
  )
  const others = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
  expect(others.map((method) => effectOf({ url, method }))).toEqual(others.map(() => 'once'))
})

test('every call takes in untrusted text and sends data out', () => {
  const { exposureOf } = createHttpFetch()
  for (const method of ['GET', 'POST'] as const) {
    expect(exposureOf?.({ url: shop, method })).toEqual({ takesUntrusted: true, sendsOut: true })
  }
})
