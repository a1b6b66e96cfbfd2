// Webhook receivers that never answer, drip, redirect, answer without end, cut, or send huge headers. What holds: each
// attempt ends with one sentence, reads a few kilobytes at most, and takes no more than its places; the messages of
// other customers are delivered meanwhile.

import type { AddressInfo } from 'node:net'
import { createServer, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { endpointRules } from '../../src/tools/http-fetch/endpoint-rules.ts'
import { createPostMessage } from '../../src/webhooks/post-message.ts'
import { Caller } from '../support/http.ts'
import { Occurrences } from '../support/occurrences.ts'
import { Receiver } from '../support/receiver.ts'
import { type Service, startService } from '../support/service.ts'

/** A TCP server that does as it likes once a request has come. */
class HostileReceiver {
  readonly requests = new Occurrences<Socket>()
  readonly closed = new Occurrences<Socket>()
  most = 0
  readonly #open = new Set<Socket>()
  readonly #server: Server

  constructor(answer: (socket: Socket) => void) {
    this.#server = createServer((socket) => {
      this.#open.add(socket)
      this.most = Math.max(this.most, this.#open.size)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        this.#open.delete(socket)
        this.closed.add(socket)
      })
      socket.once('data', () => {
        this.requests.add(socket)
        answer(socket)
      })
    })
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return this
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`
  }

  async stop(): Promise<void> {
    for (const socket of this.#open) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

/** Writes as fast as the other side reads, until it hangs up. */
const pour =
  (head: string, piece: string) =>
  (socket: Socket): void => {
    socket.write(head)
    const more = () => {
      while (socket.writable) if (!socket.write(piece)) return void socket.once('drain', more)
    }
    more()
  }

const drip =
  (head: string, piece: string) =>
  (socket: Socket): void => {
    socket.write(head)
    const timer = setInterval(() => socket.write(piece), 20)
    socket.on('close', () => clearInterval(timer))
  }

const ok = 'HTTP/1.1 200 OK\r\n'
const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`
const kilobyte = 'x'.repeat(1_024)
/** For receivers that take all of it. The others end for another reason, also on a busy machine. */
const timeoutMs = 1_500
const late = `The endpoint did not answer within ${timeoutMs / 1000} seconds.`
const cut = 'was closed unexpectedly.'
const tooMuch = /^The server sent more than \d+ bytes in its response\.$/

/** What the receiver does, and how the attempt ends: a status, or a part of the error. */
const answers: Readonly<Record<string, [answer: (socket: Socket) => void, ends: number | string | RegExp]>> = {
  'never answers': [() => undefined, late],
  'drips its headers': [drip(ok, 'x: y\r\n'), late],
  'drips the status line': [drip('HTTP/1.1 ', ' '), 'is not valid HTTP.'],
  'drips its body': [drip(`${ok}content-length: 9999\r\n\r\n`, 'x'), late],
  'drips chunks': [drip(chunked, '1\r\nx\r\n'), late],
  'says Continue without end': [drip('', 'HTTP/1.1 100 Continue\r\n\r\n'), cut],
  'says Hints as fast as it can': [pour('', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(50)), tooMuch],
  'answers without end': [pour(`${ok}\r\n`, kilobyte), 200],
  'answers with chunks without end': [pour(chunked, `400\r\n${kilobyte}\r\n`), 200],
  'extends a chunk without end': [pour(`${chunked}1;`, kilobyte), tooMuch],
  'extends chunks without end': [pour(chunked, `1;${kilobyte}\r\nx\r\n`), tooMuch],
  'has trailers without end': [pour(`${chunked}0\r\n`, `x: ${kilobyte}\r\n`), 'headers'],
  'has headers without end': [pour(ok, `x: ${kilobyte}\r\n`), 'has more than 16384 bytes of headers.'],
  'has one header without end': [pour(`${ok}x: `, kilobyte), 'has more than 16384 bytes of headers.'],
  'answers and keeps the connection': [(socket) => void socket.write(`${ok}content-length: 2\r\n\r\nok`), 200],
  'answers twice': [(socket) => void socket.write(`${ok}content-length: 2\r\n\r\nok`.repeat(2)), 200],
  'redirects to itself': [(socket) => void socket.end('HTTP/1.1 307 No\r\nlocation: /hook\r\n\r\n'), 307],
  'redirects inside': [(socket) => void socket.end('HTTP/1.1 302 No\r\nlocation: http://127.1.2.3:9/\r\n\r\n'), 302],
  upgrades: [(socket) => void socket.write('HTTP/1.1 101 Go\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'), ''],
  'cuts the headers': [(socket) => void socket.end(ok), cut],
  'cuts the body': [(socket) => void socket.end(`${ok}content-length: 9\r\n\r\nx`), cut],
  'hangs up': [(socket) => void socket.destroy(), cut],
  'is no HTTP': [(socket) => void socket.end('hello\r\n\r\n'), 'is not valid HTTP.'],
  'has an impossible status': [(socket) => void socket.end('HTTP/1.1 999 X\r\ncontent-length: 0\r\n\r\n'), 999],
}

describe('a receiver that', () => {
  test.each(Object.entries(answers))('%s', async (_, [answer, ends]) => {
    const receiver = await new HostileReceiver(answer).start()
    onTestFinished(() => receiver.stop())
    const post = createPostMessage({ rules: endpointRules('allow'), ...(ends === late && { timeoutMs }) })
    const result = await post({ url: receiver.url, headers: {}, body: '{}' }, new AbortController().signal)
    if (typeof ends === 'number') expect(result).toMatchObject({ status: ends })
    else expect((result as { error: string }).error).toMatch(ends)
    const socket = await receiver.closed.nth(1, () => true)
    // What the service has read, and what the buffers of the system hold.
    expect(socket.bytesWritten).toBeLessThan(16 * 1024 * 1024)
    expect(receiver.requests.all).toHaveLength(1)
  })
})

describe('while all messages of a customer hang', () => {
  let service: Service
  let good: Receiver
  let hostile: HostileReceiver
  beforeAll(async () => {
    service = await startService({ RUNWRIGHT_WEBHOOK_PRIVATE_ADDRESSES: 'allow' }, { worker: true })
    good = await new Receiver().start()
    hostile = await new HostileReceiver(() => undefined).start()
  })
  afterAll(async () => {
    await service.stop()
    await Promise.all([good.stop(), hostile.stop()])
  })

  const run = { plan: { steps: [{ id: 'gate', await_input: {} }] } }

  test('it has half of the places, and the messages of another customer are delivered', async () => {
    const [attacker, neighbour] = [service.key, service.otherKey].map((key) => new Caller(service.url, key)) as [
      Caller,
      Caller,
    ]
    const event_types = ['run.created']
    const warnings: string[] = []
    const warn = ({ message }: Error) => void warnings.push(message)
    process.on('warning', warn)
    onTestFinished(() => void process.off('warning', warn))
    for (let n = 0; n < 10; n += 1) {
      const created = await attacker.post('/v1/webhooks', { url: `${hostile.url}?${n}`, event_types })
      expect(created.status, created.text).toBe(201)
    }
    await neighbour.post('/v1/webhooks', { url: good.url, event_types })
    for (let n = 0; n < 10; n += 1) await attacker.newRun(run)
    await hostile.requests.nth(64, () => true)
    const ids = await Promise.all(Array.from({ length: 20 }, async () => (await neighbour.newRun(run)).id))
    await good.received.nth(20, () => true)
    expect(good.messages.map(({ data }) => data.run_id).toSorted()).toEqual(ids.toSorted())
    expect(hostile.most).toBe(64)
    expect(warnings).toEqual([])
  })
})
