// A stream of a list whose client does not read: nothing piles up for it.
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import type { PageContent } from './live-run-page.ts'
import { RunListStream } from './run-list-stream.ts'

class FakeResponse extends EventEmitter {
  readonly written: string[] = []
  isReading = true
  destroyed = false
  write(text: string): boolean {
    this.written.push(text)
    return this.isReading
  }
  end(text = ''): void {
    this.written.push(text)
  }
  destroy(): void {
    this.destroyed = true
  }
}

const content = (text: string, nextCursor: string | null = null): PageContent => ({
  runs: new Map([['run_1', `"${text}"`]]),
  nextCursor,
})
const change = (text: string) => `event: runs.changed\ndata: {"put":["${text}"],"gone":[],"next_cursor":null}\n\n`
const times = { idleMs: 1, keepAliveMs: 15_000, endedMs: 1, slowReaderMs: 30_000 }

function open() {
  const response = new FakeResponse()
  const principal = { keyId: 'key_1', customerId: 'acme' }
  const stream = new RunListStream(response as unknown as ServerResponse, { principal, requestId: 'req_1' })
  return { response, stream }
}

test('while its client does not read, only the newest page is kept, and it gets the difference later', () => {
  const { response, stream } = open()
  stream.show(content('a'))
  response.isReading = false
  stream.show(content('b'))
  const before = response.written.length
  for (const text of ['c', 'd', 'e']) stream.show(content(text))
  expect(response.written).toHaveLength(before)
  response.isReading = true
  response.emit('drain')
  expect(response.written.slice(before)).toEqual([change('e')])
})

test('a client that reads nothing for 30 s is disconnected', () => {
  const { response, stream } = open()
  response.isReading = false
  stream.show(content('a'))
  stream.tick(times, performance.now() + 29_000)
  expect(response.destroyed).toBe(false)
  stream.tick(times, performance.now() + 30_001)
  expect(response.destroyed).toBe(true)
})

test('a page that differs only in its cursor is a change, one that does not differ is none', () => {
  const { response, stream } = open()
  stream.show(content('a'))
  const before = response.written.length
  stream.show(content('a'))
  expect(response.written).toHaveLength(before)
  stream.show(content('a', 'c'))
  expect(response.written.at(-1)).toBe('event: runs.changed\ndata: {"put":[],"gone":[],"next_cursor":"c"}\n\n')
})

test('it stays open without changes, and sends nothing after an error', () => {
  const { response, stream } = open()
  stream.tick(times, performance.now() + 16_000)
  expect(response.written.at(-1)).toBe(': keep-alive\n\n')
  stream.fail(new Error('over'))
  const before = response.written.length
  stream.show(content('a'))
  expect(response.written).toHaveLength(before)
})
