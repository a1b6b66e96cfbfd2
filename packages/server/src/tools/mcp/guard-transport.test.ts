import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { describe, expect, test } from 'vitest'
import { SecretTexts } from '../../domain/secrets/secret-texts.ts'
import { guardTransport } from './guard-transport.ts'

function guarded(secrets: string[] = []) {
  let now = 0
  const abuses: string[] = []
  const received: unknown[] = []
  const unread: (() => void)[] = []
  const transport = {
    start: async () => undefined,
    close: async () => undefined,
    send: () => new Promise<void>((resolve) => unread.push(resolve)),
  } as Transport
  const options = { secrets: new SecretTexts(secrets), onAbuse: (reason: string) => abuses.push(reason) }
  guardTransport(transport, { ...options, now: () => now })
  transport.onmessage = (message) => void received.push(message)
  const receive = (message: object) => transport.onmessage?.({ jsonrpc: '2.0', ...message } as JSONRPCMessage)
  return { transport, abuses, received, unread, receive, pass: (ms: number) => (now += ms) }
}

const ping = { method: 'ping' }
const answer = { jsonrpc: '2.0', id: 1, result: {} } as const

describe('messages that were not asked for', () => {
  test('are accepted 10,000 at once and 200 a second after that', () => {
    const { receive, received, abuses, pass } = guarded()
    for (let n = 0; n < 10_000; n += 1) receive(ping)
    pass(1_000)
    for (let n = 0; n < 200; n += 1) receive(ping)
    expect([received.length, abuses]).toEqual([10_200, []])
    receive(ping)
    receive(ping)
    receive(answer)
    expect([received.length, abuses]).toEqual([10_200, ['it sent too many messages']])
  })

  test('do not count if they are answers', () => {
    const { receive, received, abuses } = guarded()
    for (let n = 0; n < 20_000; n += 1) receive(answer)
    expect([received.length, abuses]).toEqual([20_000, []])
  })
})

test('a hundred answers may be unread', async () => {
  const { transport, unread, abuses } = guarded()
  for (let n = 0; n < 100; n += 1) void transport.send(answer)
  for (let n = 0; n < 200; n += 1) void transport.send({ jsonrpc: '2.0', id: n, ...ping })
  expect(abuses).toEqual([])
  unread[0]?.()
  await Promise.resolve()
  await Promise.resolve()
  void transport.send(answer)
  expect(abuses).toEqual([])
  void transport.send(answer)
  expect(abuses).toEqual(['it asks more than it reads'])
})

test('secrets are removed from texts and keys', () => {
  const { receive, received } = guarded(['hunter2-hunter2'])
  receive({ id: 1, result: { 'a hunter2-hunter2': ['hunter2-hunter2', 7] } })
  expect(received).toEqual([{ jsonrpc: '2.0', id: 1, result: { 'a ***': ['***', 7] } }])
})

test('a handler that is read and set again filters once', () => {
  const { transport, receive, received } = guarded(['hunter2-hunter2'])
  const before = transport.onmessage
  transport.onmessage = () => undefined
  transport.onmessage = before
  receive({ id: 1, result: 'hunter2-hunter2' })
  expect(received).toEqual([{ jsonrpc: '2.0', id: 1, result: '***' }])
})

describe('a large message', () => {
  const large = () => ({ id: 1, result: Array.from({ length: 50_000 }, (_, n) => `${n} hunter2-hunter2`) })
  const idsOf = (received: readonly unknown[]) => received.map((message) => (message as { id?: unknown }).id ?? 'ping')

  test('is searched in turns, and what comes after it waits for it: messages, and the end', async () => {
    const { transport, receive, received } = guarded(['hunter2-hunter2'])
    const closed = new Promise<void>((resolve) => {
      transport.onclose = () => {
        received.push({ id: 'end' })
        resolve()
      }
    })
    receive({ id: 0, result: 'small' })
    receive(large())
    receive(ping)
    receive({ id: 2, result: 'hunter2-hunter2' })
    transport.onclose?.()
    expect(idsOf(received)).toEqual([0])
    await closed
    expect(idsOf(received)).toEqual([0, 1, 'ping', 2, 'end'])
    expect(JSON.stringify(received)).not.toContain('hunter2')
  })

  test('is followed by at most 15 others that wait', async () => {
    const { receive, received, abuses } = guarded(['hunter2-hunter2'])
    for (let n = 0; n < 16; n += 1) receive(large())
    expect(abuses).toEqual([])
    receive(large())
    expect([abuses, received]).toEqual([['it sends more than can be read'], []])
  })
})
