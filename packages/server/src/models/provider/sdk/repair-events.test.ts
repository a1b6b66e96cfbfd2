import { expect, test } from 'vitest'
import { repairEvents } from './repair-events.ts'

const event = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`
const bytesOf = (text: string) => new TextEncoder().encode(text)

/** What comes out for each chunk, and at the end. */
function through(chunks: readonly string[]): string[] {
  const filter = repairEvents()
  const passed = chunks.map((chunk) => filter.pass(bytesOf(chunk)))
  return [...passed, filter.end()].map((bytes) => Buffer.from(bytes).toString())
}

test('few events at once pass as they came', () => {
  const events = ['a', 'b', 'c'].map(event).join('')
  expect(through([events])).toEqual([events, ''])
})

test('the texts of many events at once are joined', () => {
  const words = Array.from({ length: 40 }, (_, number) => `${number} `)
  expect(through([words.map(event).join('') + event('end').slice(0, 20)])).toEqual([
    event(words.join('')),
    event('end').slice(0, 20),
  ])
})

test('an event waits for its rest', () => {
  const whole = event('a')
  expect(through([whole.slice(0, 10), whole.slice(10, -1), '\n', event('b')])).toEqual(['', '', whole, event('b'), ''])
})
