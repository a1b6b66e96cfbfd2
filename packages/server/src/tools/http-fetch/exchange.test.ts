import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { dialLoopback, publicAddress } from '../../../test/support/pretend-web.ts'
import { NotSent } from '../port/tool.ts'
import { exchange, type Network } from './exchange.ts'
import { prepareRequest } from './outgoing-request.ts'

let server: Server | undefined
const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
  server?.close()
})

/** A TCP server that sends raw bytes once a request has arrived. */
async function serve(answer: (socket: Socket) => void): Promise<Network> {
  const started = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => answer(socket))
  })
  server = started
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve))
  const { port } = started.address() as AddressInfo
  return { resolve: async () => [publicAddress], dial: () => dialLoopback(port) }
}

const closed = (socket: Socket | undefined) =>
  new Promise<void>((resolve) => (socket?.closed ? resolve() : socket?.once('close', () => resolve())))

interface Attempt {
  readonly signal?: AbortSignal
  readonly beforeSend?: () => void
}

const get = (network: Network, { signal = new AbortController().signal, beforeSend = () => {} }: Attempt = {}) =>
  exchange(prepareRequest({ url: 'http://shop.example/' }, { idempotencyKey: 'key' }), { network, signal, beforeSend })

const ok = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n'
const coded = (code: string) => Object.assign(new Error(`connect ${code} 10.1.2.3:80`), { code })

describe('a response that', () => {
  test.each([
    ['is not HTTP', 'hello\r\n\r\n', 'The response of "shop.example" is not valid HTTP.'],
    ['never begins', '', 'The connection to "shop.example" was closed unexpectedly.'],
    ['ends within its headers', ok, 'The connection to "shop.example" was closed unexpectedly.'],
    [
      'is shorter than it says',
      `${ok}content-length: 9\r\n\r\nabc`,
      'The connection to "shop.example" was closed unexpectedly.',
    ],
    [
      'ends between chunks',
      `${ok}transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n`,
      'The connection to "shop.example" was closed unexpectedly.',
    ],
    [
      'has bad chunks',
      `${ok}transfer-encoding: chunked\r\n\r\nzz\r\nabc\r\n`,
      'The response of "shop.example" is not valid HTTP.',
    ],
    [
      'has huge headers',
      `${ok}x: ${'y'.repeat(20_000)}\r\n\r\n`,
      'The response of "shop.example" has more than 16384 bytes of headers.',
    ],
    [
      'has headers without end',
      `${ok}${'x: y\r\n'.repeat(20_000)}\r\n`,
      'The response of "shop.example" has more than 16384 bytes of headers.',
    ],
  ])('%s is a problem', async (_case, bytes, problem) => {
    const network = await serve((socket) => socket.end(bytes))
    await expect(get(network)).rejects.toThrow(problem)
  })

  test('has headers up to the limit is read', async () => {
    const network = await serve((socket) => socket.end(`${ok}x: ${'y'.repeat(15_000)}\r\n\r\nabc`))
    expect(await get(network)).toMatchObject({ response: { status: 200, bytes: Buffer.from('abc') } })
  })

  test('comes byte by byte is read', async () => {
    const network = await serve(async (socket) => {
      for (const byte of `${ok}content-length: 3\r\n\r\nabc`) await new Promise((sent) => socket.write(byte, sent))
    })
    expect(await get(network)).toMatchObject({ response: { bytes: Buffer.from('abc') } })
  })

  test('does not end is cut at the limit, and its connection closed', async () => {
    const network = await serve((socket) => {
      socket.write(`${ok}\r\n`)
      const more = () => socket.writable && socket.write(Buffer.alloc(64 * 1024), more)
      more()
    })
    await expect(get(network)).rejects.toThrow('larger than 1048576 bytes')
    await closed(sockets[0])
  })

  test('is a redirect is not read further, and its connection closed', async () => {
    const network = await serve((socket) => socket.write('HTTP/1.1 302 Found\r\nlocation: /next\r\n\r\nnever ends'))
    expect(await get(network)).toMatchObject({ next: { method: 'GET' } })
    await closed(sockets[0])
  })
})

describe('a connection that cannot be made', () => {
  test.each([
    ['ECONNREFUSED', '"shop.example" refused the connection.'],
    ['UND_ERR_CONNECT_TIMEOUT', '"shop.example" did not accept the connection within 10 seconds.'],
    ['ETIMEDOUT', '"shop.example" did not accept the connection within 10 seconds.'],
    ['ECONNRESET', 'The connection to "shop.example" was closed unexpectedly.'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'The certificate of "shop.example" is not valid.'],
    ['CERT_HAS_EXPIRED', 'The certificate of "shop.example" is not valid.'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'The certificate of "shop.example" is not valid.'],
    ['EPROTO', 'The TLS handshake with "shop.example" failed.'],
    ['EHOSTUNREACH', '"shop.example" could not be reached.'],
    ['whatever', '"shop.example" could not be reached.'],
  ])('(%s) is described without an address', async (code, message) => {
    const dial: Network['dial'] = () => (_options, callback) => void setImmediate(callback, coded(code), null)
    const failure = get({ resolve: async () => [publicAddress], dial })
    await expect(failure).rejects.toThrow(message)
    await expect(failure).rejects.not.toThrow('10.1.2.3')
  })
})

describe('a name', () => {
  const dial: Network['dial'] = () => {
    throw new Error('nothing is to be dialled')
  }

  test('without an address is a problem', async () => {
    await expect(get({ resolve: async () => [], dial })).rejects.toThrow('"shop.example" has no DNS address record.')
  })

  test.each(['ESERVFAIL', 'ETIMEOUT', 'ECONNREFUSED'])('with a failed lookup (%s) is one', async (code) => {
    const resolve = () => Promise.reject(coded(code))
    await expect(get({ resolve, dial })).rejects.toThrow('The DNS lookup of "shop.example" failed.')
  })
})

test('there is a look before a request is sent, once there is a connection and not before', async () => {
  let looks = 0
  const beforeSend = () => {
    looks += 1
  }
  const refuse: Network['dial'] = () => (_options, callback) => void setImmediate(callback, coded('ECONNREFUSED'), null)
  await expect(get({ resolve: async () => [publicAddress], dial: refuse }, { beforeSend })).rejects.toThrow()
  expect(looks).toBe(0)
  const network = await serve((socket) => socket.destroy())
  await expect(get(network, { beforeSend })).rejects.toThrow('was closed unexpectedly')
  expect(looks).toBe(1)
})

test('after a look that refuses it, not a byte of a request is sent', async () => {
  const network = await serve((socket) => socket.destroy())
  const connected = new Promise<Socket>((resolve) => server?.once('connection', resolve))
  const beforeSend = () => {
    throw new NotSent()
  }
  await expect(get(network, { beforeSend })).rejects.toThrow(NotSent)
  const socket = await connected
  await closed(socket)
  expect(socket.bytesRead).toBe(0)
})

describe('an abort', () => {
  test('before the request opens no connection', async () => {
    const dialled: unknown[] = []
    const dial: Network['dial'] = (addresses) => {
      dialled.push(addresses)
      return () => {}
    }
    const attempt = get({ resolve: async () => [publicAddress], dial }, { signal: AbortSignal.abort() })
    await expect(attempt).rejects.toThrow()
    expect(dialled).toEqual([])
  })

  test('during the lookup opens no connection', async () => {
    const controller = new AbortController()
    const resolve: Network['resolve'] = async (_name, signal) => {
      controller.abort()
      expect(signal.aborted).toBe(true)
      return [publicAddress]
    }
    const dial: Network['dial'] = () => {
      throw new Error('dialled')
    }
    await expect(get({ resolve, dial }, { signal: controller.signal })).rejects.not.toThrow('dialled')
  })

  test('during the connection ends the wait', async () => {
    const controller = new AbortController()
    const dial: Network['dial'] = () => () => void setImmediate(() => controller.abort())
    const attempt = get({ resolve: async () => [publicAddress], dial }, { signal: controller.signal })
    await expect(attempt).rejects.toThrow()
  })

  test.each([
    ['before the headers', ''],
    ['within the headers', ok],
    ['before the body', `${ok}content-length: 9\r\n\r\n`],
    ['within the body', `${ok}content-length: 9\r\n\r\nabc`],
  ])('%s ends the wait for a server that has fallen silent, and the connection', async (_stage, bytes) => {
    const controller = new AbortController()
    const network = await serve((socket) => socket.write(bytes, () => setImmediate(() => controller.abort())))
    await expect(get(network, { signal: controller.signal })).rejects.toThrow()
    await closed(sockets[0])
  })
})
