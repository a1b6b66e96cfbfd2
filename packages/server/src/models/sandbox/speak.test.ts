import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { speak } from './speak.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function listener() {
  const pieces: string[] = []
  return { pieces, onText: (text: string) => void pieces.push(text) }
}

const never = new AbortController().signal

describe('without pauses', () => {
  test.each([
    ['', []],
    ['short text', ['short text']],
    ['x'.repeat(5_000), ['x'.repeat(4_096), 'x'.repeat(904)]],
    // The surrogate pair crosses the 4,096th unit, so it moves whole into the next piece.
    [`${'x'.repeat(4_095)}😀y`, ['x'.repeat(4_095), '😀y']],
  ])('case %# comes in few large pieces and needs no timer', async (text, pieces) => {
    const heard = listener()
    expect(await speak(text, { pauseMs: 0, signal: never, onText: heard.onText })).toBe(text)
    expect(heard.pieces).toEqual(pieces)
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('with pauses', () => {
  test.each([
    ['two words', ['two ', 'words']],
    ['  led  by\nspace \n', ['  ', 'led  ', 'by\n', 'space \n']],
    [' \n ', [' \n ']],
    ['', []],
  ])('%j comes word by word, each with its trailing space', async (text, pieces) => {
    const heard = listener()
    const speaking = speak(text, { pauseMs: 10, signal: never, onText: heard.onText })
    await vi.runAllTimersAsync()
    expect(await speaking).toBe(text)
    expect(heard.pieces).toEqual(pieces)
  })

  test('the pauses are between the words: none before the first, none after the last', async () => {
    const speaking = speak('a b c', { pauseMs: 1_000, signal: never, onText: () => undefined })
    const startedAt = Date.now()
    await vi.runAllTimersAsync()
    await speaking
    expect(Date.now() - startedAt).toBe(2_000)
  })

  test('an abort ends a pause at once and leaves no timer behind', async () => {
    const [heard, abort] = [listener(), new AbortController()]
    const speaking = speak('one two three', { pauseMs: 60_000, signal: abort.signal, onText: heard.onText })
    await vi.advanceTimersByTimeAsync(60_000)
    abort.abort()
    expect(await speaking).toBe('one two ')
    expect(heard.pieces).toEqual(['one ', 'two '])
    expect(vi.getTimerCount()).toBe(0)
  })
})

test('a piece is not sent before the previous one was taken', async () => {
  const taken: (() => void)[] = []
  const pieces: string[] = []
  const onText = (text: string) => {
    pieces.push(text.slice(0, 1))
    return new Promise<void>((resolve) => taken.push(resolve))
  }
  const speaking = speak(`${'a'.repeat(4_096)}b`, { pauseMs: 0, signal: never, onText })
  await vi.advanceTimersByTimeAsync(0)
  expect(pieces).toEqual(['a'])
  taken[0]?.()
  await vi.waitFor(() => expect(pieces).toEqual(['a', 'b']))
  taken[1]?.()
  await speaking
})

test('an error of the listener reaches the caller', async () => {
  const onText = () => Promise.reject(new Error('lease lost'))
  await expect(speak('text', { pauseMs: 0, signal: never, onText })).rejects.toThrow('lease lost')
})
