import { afterEach, expect, test, vi } from 'vitest'
import { readMessages } from './event-connection.ts'

afterEach(() => void vi.useRealTimers())

/** A stream of the given chunks. It stays open after them, and fails when its request is aborted. */
const openStream = (pieces: readonly Uint8Array[]) => async (signal: AbortSignal) =>
  new Response(
    new ReadableStream({
      start(controller) {
        for (const piece of pieces) controller.enqueue(piece)
        signal.addEventListener('abort', () => controller.error(signal.reason))
      },
    }),
  )

const read = (text: string, pieceSize: number) => {
  const bytes = new TextEncoder().encode(text)
  const count = Math.ceil(bytes.length / pieceSize)
  const pieces = Array.from({ length: count }, (_, at) => bytes.slice(at * pieceSize, (at + 1) * pieceSize))
  return readMessages({ open: openStream(pieces), signal: undefined, idleTimeoutMs: 60_000, onRetryHint: () => {} })
}

test('a character split across two chunks is decoded', async () => {
  const { value } = await read('event: run_event\ndata: é… 🙂\n\n', 1).next()
  expect(value).toEqual({ event: 'run_event', data: 'é… 🙂', id: '' })
})

test('a slow reader does not count as a dead connection', async () => {
  vi.useFakeTimers()
  const messages = read('data: 1\n\ndata: 2\n\n', 9)
  await messages.next()
  await vi.advanceTimersByTimeAsync(600_000)
  expect((await messages.next()).value).toMatchObject({ data: '2' })
})

test('a connection without data for the idle timeout is dead', async () => {
  vi.useFakeTimers()
  const messages = read('data: 1\n\n', 9)
  await messages.next()
  const next = expect(messages.next()).rejects.toThrow('no data for 60000 ms')
  await vi.advanceTimersByTimeAsync(60_000)
  await next
})

test('a service that never responds is dead after the idle timeout', async () => {
  vi.useFakeTimers()
  const open = (signal: AbortSignal) =>
    new Promise<Response>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  const messages = readMessages({ open, signal: undefined, idleTimeoutMs: 60_000, onRetryHint: () => {} })
  const next = expect(messages.next()).rejects.toThrow('no data')
  await vi.advanceTimersByTimeAsync(60_000)
  await next
})
