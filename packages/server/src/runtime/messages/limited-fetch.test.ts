import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { limitedFetch } from './limited-fetch.ts'

const stream = 'text/event-stream; charset=utf-8'
const fetch = limitedFetch({ limits: { maxBytes: 8, maxParts: 3 } })

type Handler = (request: IncomingMessage, response: ServerResponse) => void
let close = () => {}
afterEach(() => close())

async function serving(handler: Handler): Promise<string> {
  const server = createServer(handler).listen(0, '127.0.0.1')
  await once(server, 'listening')
  close = () => {
    server.closeAllConnections()
    server.close()
  }
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

interface Answer {
  readonly status?: number
  readonly type?: string
  readonly chunks: readonly string[]
}

const answering = async ({ status = 200, type = stream, chunks }: Answer) => {
  const url = await serving((_, response) => {
    response.writeHead(status, { 'x-kept': ['yes', 'twice'], 'content-type': type })
    for (const chunk of chunks) response.write(chunk)
    response.end()
  })
  return fetch(url)
}

describe('an answer', () => {
  test.each<Answer>([
    { chunks: ['123456\n\n', '123456\n\n', '123', '45678'] },
    { chunks: ['[1,2]\n\n', '[1,2]\n'] },
    { type: 'application/json', chunks: ['[1', ',\n2]'] },
    { status: 400, type: 'application/json', chunks: ['{"error":[1,2,3,4]}'] },
    { chunks: [] },
  ])('%j passes unchanged', async (answer) => {
    const response = await answering(answer)
    expect(response.status).toBe(answer.status ?? 200)
    expect(response.headers.get('x-kept')).toBe('yes, twice')
    expect(await response.text()).toBe(answer.chunks.join(''))
  })

  test.each<Answer>([
    { chunks: ['ok\n\n', '1234', '56789'] },
    { chunks: ['ok\n\n123456789'] },
    { type: 'application/json', chunks: ['1234\n', '5678'] },
    { chunks: ['[1,2,3]'] },
  ])('%j is cut off with an error', async (answer) => {
    const response = await answering(answer)
    await expect(response.text()).rejects.toThrow(/more than (?:8 bytes|3 keys and values)/)
  })

  test('that exceeds a limit closes the connection', async () => {
    let closed: Promise<unknown> | undefined
    const url = await serving((_, response) => {
      closed = once(response, 'close')
      response.writeHead(200, { 'content-type': stream }).write('123456789')
    })
    await expect((await fetch(url)).text()).rejects.toThrow('more than 8 bytes')
    await closed
  })

  test('that nobody reads on closes the connection, and nothing else happens', async () => {
    let closed: Promise<unknown> | undefined
    const url = await serving((_, response) => {
      closed = once(response, 'close')
      response.writeHead(200, { 'content-type': stream }).write('1234')
    })
    const reader = (await fetch(url)).body?.getReader()
    await reader?.read()
    await reader?.cancel()
    await closed
  })

  test('that is a long error is cut', async () => {
    const response = await answering({ status: 500, chunks: ['x'.repeat(60_000), 'y'.repeat(60_000)] })
    expect(await response.text()).toBe('x'.repeat(60_000) + 'y'.repeat(5_536))
  })

  test.each([204, 205, 304])('with the status %d has no body', async (status) => {
    const response = await fetch(await serving((_, answer) => answer.writeHead(status).end()))
    expect([response.status, response.body]).toEqual([status, null])
  })

  test.each([
    ['gzip', gzipSync('[1,2]')],
    ['deflate', deflateSync('[1,2]')],
    ['br', brotliCompressSync('[1,2]')],
  ])('that is compressed with %s, though nobody asked for it, is read', async (encoding, bytes) => {
    const asked: IncomingMessage[] = []
    const url = await serving((request, response) => {
      asked.push(request)
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding }).end(bytes)
    })
    expect(await (await fetch(url)).text()).toBe('[1,2]')
    expect(asked[0]?.headers['accept-encoding']).toBeUndefined()
  })

  test('is changed event by event', async () => {
    const kept: string[] = []
    const shout = limitedFetch({
      limits: { maxBytes: 100, maxParts: 10 },
      changeEvents: () => ({
        pass: (bytes) => {
          kept.push(Buffer.from(bytes).toString())
          return new Uint8Array(0)
        },
        end: () => new TextEncoder().encode(kept.join('').toUpperCase()),
      }),
    })
    const url = await serving((_, response) =>
      response.writeHead(200, { 'content-type': stream }).end('data: a\r\n\r\n'),
    )
    expect(await (await shout(url)).text()).toBe('DATA: A\n\n')
  })
})

describe('a request', () => {
  test('has the method, the headers and the body, and no others', async () => {
    let said = ''
    const url = await serving(async (request, response) => {
      for await (const piece of request) said += piece
      said += ` ${request.method} ${request.headers['x-own']} ${Object.keys(request.headers).sort().join()}`
      response.end()
    })
    await (await fetch(url, { method: 'POST', headers: { 'X-Own': 'yes' }, body: '{"a":1}' })).text()
    expect(said).toBe('{"a":1} POST yes connection,content-length,host,x-own')
  })

  test('that is aborted ends with the reason, before the answer and within it', async () => {
    const url = await serving((request, response) => {
      if (request.url === '/slow') return
      response.writeHead(200, { 'content-type': stream }).write('a')
    })
    const early = new AbortController()
    const waiting = fetch(`${url}slow`, { signal: early.signal })
    early.abort(new Error('too early'))
    await expect(waiting).rejects.toThrow('too early')
    const late = new AbortController()
    const response = await fetch(url, { signal: late.signal })
    const text = response.text()
    late.abort(new Error('too late'))
    await expect(text).rejects.toThrow('too late')
  })

  test('to a server that is gone fails as with the global fetch', async () => {
    const url = await serving(() => undefined)
    close()
    await expect(fetch(url)).rejects.toMatchObject({ message: 'fetch failed', cause: { code: 'ECONNREFUSED' } })
  })

  test('whose answer breaks off fails', async () => {
    const url = await serving((_, response) => {
      response.writeHead(200, { 'content-type': stream, 'content-length': 8 }).write('a', () => response.destroy())
    })
    await expect((await fetch(url)).text()).rejects.toThrow()
  })
})
