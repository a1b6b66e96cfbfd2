import { expect, test } from 'vitest'
import { linkSignals } from './linked-signal.ts'

test.each([0, 1])('aborts with source %i, and with its reason', (index) => {
  const sources = [new AbortController(), new AbortController()]
  const { signal } = linkSignals(...sources.map((source) => source.signal))
  expect(signal.aborted).toBe(false)
  sources[index]?.abort('why')
  expect([signal.aborted, signal.reason]).toEqual([true, 'why'])
})

test('is aborted from the start if a source is', () => {
  const { signal } = linkSignals(new AbortController().signal, AbortSignal.abort('before'))
  expect([signal.aborted, signal.reason]).toEqual([true, 'before'])
})

test('no longer aborts once it is released', () => {
  const source = new AbortController()
  const { signal, release } = linkSignals(source.signal)
  release()
  source.abort()
  expect(signal.aborted).toBe(false)
})
