import { Agent, createServer, request, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { describe, expect, test, vi } from 'vitest'
import { Occurrences } from '../../../../test/support/occurrences.ts'
import { Drain } from './drain.ts'

const drain = () => new Drain({ server: createServer(), announceMs: 5_000 })

test('a server that was never asked whether it is ready is not watched', () => {
  expect(drain().isWatched(0)).toBe(false)
})

test('a start that waits for readiness does not watch', () => {
  const ours = drain()
  for (let at = 0; at < 900; at += 50) ours.noteProbe(at)
  expect(ours.isWatched(900)).toBe(false)
})

test('probes for more than a second are those of a balancer, until it asks no more', () => {
  const ours = drain()
  for (const at of [0, 5_000, 10_000]) ours.noteProbe(at)
  expect([ours.isWatched(12_000), ours.isWatched(25_001)]).toEqual([true, false])
  ours.noteProbe(60_000)
  expect(ours.isWatched(60_000)).toBe(false)
})

describe('a server that ends', () => {
  /** Its requests are answered when the test says so. */
  async function startServer() {
    const asked = new Occurrences<ServerResponse>()
    const server = createServer((_request, response) => asked.add(response))
    // Longer than the test: only the server closes connections.
    server.keepAliveTimeout = 600_000
    const ours = new Drain({ server, announceMs: 5_000 })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const close = () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeIdleConnections()
      })
    const forced = vi.spyOn(server, 'closeAllConnections')
    const left = () => new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)))
    return { asked, port, ours, close, forced, left }
  }

  const ask = (port: number) =>
    new Promise<string | undefined>((resolve, reject) => {
      const agent = new Agent({ keepAlive: true })
      request({ port, agent }, (response) => response.resume().on('end', () => resolve(response.headers.connection)))
        .on('error', reject)
        .end()
    })

  test('does not wait for clients that were in the middle of a request and keep their connections', async () => {
    const { asked, port, ours, close, forced, left } = await startServer()
    forced.mockImplementation(() => undefined)
    const clients = Array.from({ length: 40 }, () => ask(port))
    await asked.until((all) => all.length === 40)
    const started = asked.all.slice(0, 20)
    for (const response of started) response.writeHead(200).write('a')
    await ours.announce()
    const ended = ours.end(close)
    for (const response of asked.all) response.end('b')
    const told = await Promise.all(clients)
    expect(told.toSorted()).toEqual([...Array(20).fill('close'), ...Array(20).fill('keep-alive')])
    await ended
    expect(await left()).toBe(0)
  })

  test('does not wait for a client that never finishes its request', async () => {
    const { asked, port, ours, close } = await startServer()
    const socket = connect(port, '127.0.0.1')
    const gone = new Promise((resolve) => socket.on('error', resolve).on('close', resolve))
    socket.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\n{')
    await asked.nth(1, () => true)
    await ours.announce()
    await ours.end(close)
    await gone
  })
})
