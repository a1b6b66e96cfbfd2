import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { generate } from 'selfsigned'
import type { buildConnector } from 'undici'
import { afterEach, describe, expect, test } from 'vitest'
import { dial } from './dial.ts'

// Self-signed, so it is not trusted.
const { private: key, cert } = await generate([{ name: 'commonName', value: 'shop.example' }], { keyType: 'ec' })

let server: Server | undefined
afterEach(() => void server?.close())

async function listen(started: Server): Promise<string> {
  server = started
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve))
  return `${(started.address() as AddressInfo).port}`
}

const connect = (connector: buildConnector.connector, options: Partial<buildConnector.Options>): Promise<Socket> =>
  new Promise((resolve, reject) =>
    connector(
      { hostname: 'shop.example', host: 'shop.example', protocol: 'http:', port: '', ...options },
      (...result) => (result[0] === null ? resolve(result[1]) : reject(result[0])),
    ),
  )

const open = () => new AbortController().signal

describe('a connection', () => {
  test('goes to the address that was checked, whatever the name would resolve to', async () => {
    const port = await listen(createServer())
    const socket = await connect(dial(['127.0.0.1'], open()), { port })
    expect(socket.remoteAddress).toBe('127.0.0.1')
    socket.destroy()
  })

  test('goes to the next address when one does not answer', async () => {
    const port = await listen(createServer())
    const socket = await connect(dial(['::1', '127.0.0.1'], open()), { port })
    expect(socket.remoteAddress).toBe('127.0.0.1')
    socket.destroy()
  })

  test('fails when no address accepts the connection', async () => {
    const port = await listen(createServer())
    await expect(connect(dial(['::1'], open()), { port })).rejects.toThrow()
  })

  test('is not opened with an untrusted certificate', async () => {
    const port = await listen(createTlsServer({ key, cert }))
    const opening = connect(dial(['127.0.0.1'], open()), { port, protocol: 'https:' })
    await expect(opening).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
  })

  test('asks for the certificate of the name', async () => {
    const asked: string[] = []
    const SNICallback = (name: string, answer: (error: Error | null) => void) => {
      asked.push(name)
      answer(null)
    }
    const port = await listen(createTlsServer({ key, cert, SNICallback }))
    await connect(dial(['127.0.0.1'], open()), { port, protocol: 'https:' }).catch(() => undefined)
    expect(asked).toEqual(['shop.example'])
  })

  test('that is still being opened ends with an abort', async () => {
    const controller = new AbortController()
    const silent = createServer()
    const port = await listen(silent)
    const opening = connect(dial(['127.0.0.1'], controller.signal), { port, protocol: 'https:' })
    const [seen] = (await once(silent, 'connection')) as [Socket]
    controller.abort()
    await expect(opening).rejects.toMatchObject({ name: 'AbortError' })
    seen.resume()
    await once(seen, 'close')
  })
})
