import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { RedirectRefused, withinOrigin } from './within-origin.ts'

interface Heard {
  readonly line: string
  readonly body: string
  readonly key: string | undefined
}

async function listen(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const heard: Heard[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    heard.push({ line: `${request.method} ${request.url}`, body, key: request.headers.authorization })
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard }
}

/** A server whose path `/start` redirects, and everything else answers. */
const redirecting = (status: number, location: string) =>
  listen(({ url }, response) =>
    url === '/start' ? response.writeHead(status, { location }).end('moved') : response.end('arrived'),
  )

const fetch = withinOrigin(globalThis.fetch, 'The server s')
const authorization = 'Bearer secret'
const post = { method: 'POST', body: 'prompt', headers: { authorization } }

test.each([301, 302, 303, 307, 308])(
  'status %i to another origin is refused, and nothing reaches it',
  async (status) => {
    const foreign = await listen((_request, response) => response.end('foreign'))
    const { url } = await redirecting(status, `${foreign.url}/path?secret=1`)
    const message = `The server s redirects to ${foreign.url} (status ${status}). Redirects to another origin are not followed: configure the URL that it leads to.`
    for (const init of [post, { headers: { authorization } }, { method: 'HEAD' }]) {
      await expect(fetch(`${url}/start`, init)).rejects.toThrow(new RedirectRefused(message))
    }
    expect(foreign.heard).toEqual([])
  },
)

test.each([
  ['another port of the same host', 'http://127.0.0.1:1/'],
  ['another scheme', 'https://127.0.0.1/'],
  ['another scheme, without //', 'data:text/plain,x'],
  ['a host without a scheme', '//localhost/'],
  ['no URL', 'http://['],
])('%s is another origin', async (_case, location) => {
  const { url } = await redirecting(302, location)
  await expect(fetch(`${url}/start`)).rejects.toThrow(RedirectRefused)
})

test('a user in the URL is refused within the origin, too, and not repeated', async () => {
  const { url } = await listen(({ headers }, response) =>
    response.writeHead(302, { location: `http://user:pass@${headers.host}/` }).end(),
  )
  await expect(fetch(url)).rejects.toThrow('The server s redirects to an invalid URL (status 302).')
})

test.each([301, 302, 303, 307, 308])('a GET follows status %i within the origin, with its headers', async (status) => {
  const { url, heard } = await redirecting(status, 'end?x=1')
  expect(await (await fetch(`${url}/start`, { headers: { authorization } })).text()).toBe('arrived')
  expect(heard.map(({ line, key }) => [line, key])).toEqual([
    ['GET /start', authorization],
    ['GET /end?x=1', authorization],
  ])
})

test.each([307, 308])('a POST follows status %i within the origin as the same POST', async (status) => {
  const { url, heard } = await redirecting(status, '/end')
  expect(await (await fetch(new URL(`${url}/start`), post)).text()).toBe('arrived')
  expect(heard[1]).toEqual({ line: 'POST /end', body: 'prompt', key: authorization })
})

test.each([301, 302, 303])('a POST with status %i is not turned into a GET', async (status) => {
  const { url, heard } = await redirecting(status, '/end')
  await expect(fetch(`${url}/start`, post)).rejects.toThrow(
    `The server s redirects a request that cannot be repeated (status ${status}).`,
  )
  expect(heard).toHaveLength(1)
})

test('a circle of redirects ends', async () => {
  const { url, heard } = await redirecting(302, '/start')
  await expect(fetch(`${url}/start`)).rejects.toThrow('The server s redirects more than 5 times.')
  expect(heard).toHaveLength(6)
})

test('a redirect status without a location is an answer', async () => {
  const { url } = await listen((_request, response) => response.writeHead(302).end('here'))
  expect((await fetch(url)).status).toBe(302)
})
