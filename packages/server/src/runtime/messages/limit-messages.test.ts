import { expect, test } from 'vitest'
import { turnsOf } from '../../../test/support/cpu-time.ts'
import { type ByteStream, limitMessages, normalizeLineEnds } from './limit-messages.ts'

async function through(chunks: readonly string[], stream: ByteStream): Promise<string> {
  const source = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk))
      controller.close()
    },
  })
  return new Response(source.pipeThrough(stream)).text()
}

const limits = { maxBytes: 20, maxParts: 3, endsWith: 'line' } as const

test('messages pass unchanged until one exceeds the limits, which fails the stream', async () => {
  expect(await through(['[1,2]\n', '[1,', '2]\n'], limitMessages(limits))).toBe('[1,2]\n[1,2]\n')
  let exceeded = 0
  const stream = limitMessages(limits, () => {
    exceeded += 1
  })
  await expect(through(['[1,2]\n', '[1,2,3]'], stream)).rejects.toThrow('a message has more than 3 keys and values')
  expect(exceeded).toBe(1)
})

test('many messages that come at once are passed on in many turns of the event loop', async () => {
  const text = '1\n'.repeat(50_000)
  const { count } = await turnsOf(async () => expect(await through([text], limitMessages(limits))).toBe(text))
  expect(count).toBeGreaterThan(10)
})

test.each([
  [['a\r\nb\rc\nd'], 'a\nb\nc\nd'],
  [['a\r', '\nb\r', '\r\n', 'c'], 'a\nb\n\nc'],
  [['\r', 'a'], '\na'],
])('the line ends of %j are line feeds', async (chunks, text) => {
  expect(await through(chunks, normalizeLineEnds())).toBe(text)
})
