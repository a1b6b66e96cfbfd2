import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ServerSentEventParser } from './server-sent-events.ts'

const parse = (...chunks: string[]) => {
  const parser = new ServerSentEventParser()
  return chunks.flatMap((chunk) => parser.push(chunk))
}

const runEvent = (data: string, id = '') => ({ event: 'run_event', data, id })

describe('a message', () => {
  test.each([
    ['has a name and data', 'id: 1\nevent: run_event\ndata: {"seq":1}\n\n', [runEvent('{"seq":1}', '1')]],
    ['may end its lines with CRLF', 'event: run_event\r\ndata: a\r\n\r\n', [runEvent('a')]],
    ['may end its lines with CR', 'event: run_event\rdata: a\r\r', [runEvent('a')]],
    ['may spread its data over lines', 'event: run_event\ndata: a\ndata\ndata: b\n\n', [runEvent('a\n\nb')]],
    ['needs no space after the colon, and keeps the second', 'event:run_event\ndata:  a:b\n\n', [runEvent(' a:b')]],
    ['is called message without a name', 'data: a\n\n', [{ event: 'message', data: 'a', id: '' }]],
    ['does not lend its name to the next', 'event: x\n\ndata: a\n\n', [{ event: 'message', data: 'a', id: '' }]],
    ['has the id of the last one that has one', 'id: 4\n\ndata: a\n\n', [{ event: 'message', data: 'a', id: '4' }]],
    ['without data is none', 'event: run_event\nid: 7\n\n', []],
    ['is nothing before its empty line', 'event: run_event\ndata: {"seq":1}\n', []],
  ])('%s', (_case, text, expected) => {
    expect(parse(text)).toEqual(expected)
  })
})

test('comments and unknown fields are ignored', () => {
  expect(parse(': keep-alive\n\nevent: run_event\n:x\nfuture: y\ndata: a\n\n')).toEqual([runEvent('a')])
})

test('a line end split across two chunks is one line end', () => {
  expect(parse('event: run_event\r', '\ndata: a\r', '', '\n\r', '\n')).toEqual([runEvent('a')])
})

test('the reconnection delay is kept if it is a number', () => {
  const parser = new ServerSentEventParser()
  parser.push('retry: 250\n\nretry: soon\n\n')
  expect(parser.retryMs).toBe(250)
})

test('the messages do not depend on the chunks', () => {
  const line = fc.constantFrom('data: a', 'data: {"b":1}', 'event: run_event', ': note', 'retry: 5', 'data', '')
  const stream = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')))
  const cuts = fc.array(fc.nat(200))
  fc.assert(
    fc.property(stream, cuts, (lines, at) => {
      const text = lines.map(([content, end]) => content + end).join('')
      const places = [0, ...at.filter((place) => place < text.length).sort((a, b) => a - b), text.length]
      const pieces = places.slice(1).map((end, index) => text.slice(places[index], end))
      expect(parse(...pieces)).toEqual(parse(text))
    }),
  )
})

test('a long line in small chunks takes as long as the same text in many lines', () => {
  const cpuOf = (work: () => void): number => {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  const push = (chunk: string) => () => {
    const parser = new ServerSentEventParser()
    for (let n = 0; n < 20_000; n += 1) parser.push(chunk)
  }
  // Each is measured a few times: whatever else happens can only add to it.
  const smallest = (work: () => void) => Math.min(...Array.from({ length: 3 }, () => cpuOf(work)))
  expect(smallest(push('data: 0123456789'))).toBeLessThan(20 * smallest(push('data: 012345678\n')))
})
