// A stream and a client that does not read, over a real socket.
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { StoredEvent } from '../../store/run-log/run-change.ts'
import { EventStream } from './event-stream.ts'

/** Both ends of an open response. The client reads only when the test does. */
async function openResponse(): Promise<{ response: ServerResponse; incoming: IncomingMessage }> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const outgoing = request({ port: (server.address() as AddressInfo).port, agent: false })
  const served = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>
  const answered = once(outgoing.end(), 'response') as Promise<[IncomingMessage]>
  const [, response] = await served
  response.writeHead(200)
  response.flushHeaders()
  const [incoming] = await answered
  onTestFinished(() => {
    incoming.destroy()
    server.close()
  })
  return { response, incoming }
}

const eventBytes = 10_000
const total = 2_000
const events = (from: number, count: number): StoredEvent[] =>
  Array.from({ length: count }, (_, index) => ({
    seq: from + index,
    type: 'step.progress',
    at: new Date(0),
    redacted: false,
    payload: JSON.stringify('x'.repeat(eventBytes)),
  }))

test('a client that does not read has little written ahead, and gets everything when it reads', async () => {
  const { response, incoming } = await openResponse()
  const principal = { keyId: 'key_1', customerId: 'acme' }
  const stream = new EventStream(response, { principal, requestId: 'req_1', runEnded: false })
  let last = 0
  /** Delivers until the stream takes no more, as the feed does. */
  const deliver = () => {
    for (let taken = -1; taken !== 0 && last < total; last += taken) {
      taken = stream.deliver(events(last + 1, Math.min(20, total - last)))
      expect(response.writableLength).toBeLessThan(64 * 1024 + 2 * eventBytes)
    }
  }
  stream.follower = { resume: deliver, stop: () => undefined, last: 0 }
  deliver()
  expect(last).toBeLessThan(10)
  const seqs: number[] = []
  let rest = ''
  for await (const chunk of incoming) {
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.startsWith('id: ')) seqs.push(Number(line.slice(4)))
    if (seqs.length === total) break
  }
  expect(seqs).toEqual(Array.from({ length: total }, (_, index) => index + 1))
})
