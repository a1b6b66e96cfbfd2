// A cell that accepts connections and does not answer: the clients of the gate are told in time, and those of other
// cells, long polls and quiet streams do not notice.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CellGate } from '../../src/http/cells/cell-gate.ts'
import type { KeyRoute } from '../../src/http/cells/key-routes.ts'
import { gateDefaults } from '../support/cells.ts'
import { Caller, expectRefusal } from '../support/http.ts'

const times = { connectMs: 3_000, answerMs: 1_000, streamMs: 3_000 }
const asked: string[] = []

/** What a cell does, by path. */
const manners: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => void>> = {
  '/v1/hangs': () => undefined,
  '/v1/half': (_, response) => void response.writeHead(200, { 'content-length': 10 }).write('{'),
  '/v1/slow': (_, response) => void setTimeout(() => response.end('{}'), 1.5 * times.answerMs),
  '/v1/slow-pieces': (_, response) => {
    response.writeHead(200)
    sendEvery(response, times.answerMs / 4, 6)
  },
  '/v1/stream': (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    sendEvery(response, 1.2 * times.answerMs, 3)
  },
  '/v1/stream-hangs': (_, response) =>
    void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n'),
}

function sendEvery(response: ServerResponse, ms: number, count: number): void {
  response.write(': piece\n\n')
  if (count === 0) response.end()
  else setTimeout(() => sendEvery(response, ms, count - 1), ms)
}

async function listen(name: string, serve: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer((request, response) => {
    asked.push(name)
    serve(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { name, url: `http://127.0.0.1:${port}`, server }
}

let url: string
let stop: () => Promise<void>
beforeAll(async () => {
  const hung = await listen('hung', (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://cell')
    manners[pathname]?.(request, response)
  })
  const well = await listen('well', (_, response) => response.end('{"is":"well"}'))
  const routes = {
    find: async (key: string): Promise<KeyRoute> =>
      key === 'key_lost' ? { kind: 'unknown' } : { kind: 'cell', name: key === 'key_b' ? 'well' : 'hung' },
  }
  const gate = new CellGate({ cells: [hung, well], routes, ...gateDefaults(), times })
  gate.server.listen(0, '127.0.0.1')
  await once(gate.server, 'listening')
  url = `http://127.0.0.1:${(gate.server.address() as AddressInfo).port}`
  stop = async () => {
    await gate.stop(0)
    for (const { server } of [hung, well]) {
      server.closeAllConnections()
      server.close()
    }
  }
})
afterAll(() => stop())

const callerOf = (key: string) => new Caller(url, `${key}:secret`)
const customer = callerOf.bind(null, 'key_a')

describe('a cell that accepts a request and says nothing', () => {
  test('a read gets 503, and is told to try again', async () => {
    const reply = await customer().get('/v1/hangs')
    expectRefusal(reply, 503, 'CELL_UNAVAILABLE')
    expect(reply.json().message).toBe('The cell of this customer cannot be reached. Try again later.')
  })

  test('a write gets 503, and is told that it may have taken effect', async () => {
    const reply = await customer().post('/v1/hangs', { a: 1 })
    expectRefusal(reply, 503, 'CELL_UNAVAILABLE')
    expect(reply.json().message).toContain('may have taken effect')
  })

  test('a write without a body is not sent to another cell', async () => {
    asked.length = 0
    expectRefusal(await callerOf('key_lost').post('/v1/hangs'), 503, 'CELL_UNAVAILABLE')
    expect(asked).toEqual(['hung'])
  })

  test('a read without a known key is answered by another cell', async () => {
    asked.length = 0
    expect((await callerOf('key_lost').get('/v1/hangs')).json()).toEqual({ is: 'well' })
    expect(asked).toEqual(['hung', 'well'])
  })

  test('the customers of other cells do not notice', async () => {
    expect((await callerOf('key_b').get('/v1/hangs')).json()).toEqual({ is: 'well' })
  })

  test('an answer that stops in its middle ends the connection', async () => {
    await expect(customer().get('/v1/half')).rejects.toThrow()
  })

  test('a stream that stops ends, so that its client connects again', async () => {
    const stream = await customer().stream('/v1/stream-hangs')
    await stream.closed
  })
})

describe('a cell may be quiet for longer', () => {
  test('if the poll asks for it', async () => {
    expectRefusal(await customer().get('/v1/slow'), 503, 'CELL_UNAVAILABLE')
    expect((await customer().get('/v1/slow?wait=5')).status).toBe(200)
  })

  test('if it sends something from time to time', async () => {
    expect((await customer().get('/v1/slow-pieces')).text.match(/piece/g)).toHaveLength(7)
  })

  test('between the comments of a stream', async () => {
    const stream = await customer().stream('/v1/stream')
    await stream.closed
    expect(stream.text.match(/piece/g)).toHaveLength(4)
  })
})
