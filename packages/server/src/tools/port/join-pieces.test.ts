import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { Agent, buildConnector, fetch } from 'undici'
import { afterEach, expect, test } from 'vitest'
import { joinPieces } from './join-pieces.ts'

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const resource of open.splice(0)) await resource.close()
})

async function serve(answer: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((_, response) => answer(response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  open.push({ close: () => server.close() && server.closeAllConnections() })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

/** A client, and how many bytes it has put back to read them again. */
function client() {
  const again = { bytes: 0 }
  const connect = buildConnector({})
  const agent = new Agent({
    connect: (options, callback) =>
      connect(options, (...[error, socket]) => {
        if (error) return callback(error, null)
        callback(null, countUnshifted(socket, again))
      }),
  })
  open.push({ close: () => agent.destroy() })
  return { again, read: (url: string) => fetch(url, { dispatcher: agent.compose(joinPieces) }) }
}

function countUnshifted(socket: Socket, again: { bytes: number }): Socket {
  const unshift = socket.unshift.bind(socket)
  socket.unshift = (chunk: Buffer) => {
    again.bytes += chunk.length
    return unshift(chunk)
  }
  return socket
}

/** A reader that is slower than the server. */
async function readSlowly(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const part of body) {
    parts.push(part)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return Buffer.concat(parts)
}

test('a response of many small pieces is read whole, and its bytes only a few times', async () => {
  const pieces = Array.from({ length: 2_000 }, (_, n) => Buffer.alloc(1024, n % 251))
  const url = await serve((response) => {
    for (const piece of pieces) response.write(piece)
    response.end()
  })
  const { read, again } = client()
  const bytes = await readSlowly((await read(url)).body as AsyncIterable<Uint8Array>)
  expect(bytes.equals(Buffer.concat(pieces))).toBe(true)
  expect(again.bytes).toBeLessThan(10 * bytes.length)
})

test('a piece arrives although no other follows', async () => {
  const answers: ServerResponse[] = []
  const url = await serve((response) => {
    answers.push(response)
    response.write('first')
  })
  const reader = (await client().read(url)).body?.getReader()
  expect(Buffer.from((await reader?.read())?.value ?? '').toString()).toBe('first')
  answers[0]?.end('last')
  expect(Buffer.from((await reader?.read())?.value ?? '').toString()).toBe('last')
  expect((await reader?.read())?.done).toBe(true)
})

test('a response that breaks off fails', async () => {
  const url = await serve((response) => {
    response.writeHead(200, { 'content-length': 100 })
    response.write('half', () => response.destroy())
  })
  await expect(
    client()
      .read(url)
      .then((response) => response.text()),
  ).rejects.toThrow()
})
