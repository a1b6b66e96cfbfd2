import { beforeEach, describe, expect, test, vi } from 'vitest'
import { DeltaStream } from './delta-stream.ts'

let sent: string[]
beforeEach(() => {
  sent = []
  vi.useFakeTimers()
  return () => vi.useRealTimers()
})

/** Holds back everything from the last `<` on, unless a `>` follows. */
const safeLength = (text: string) => {
  const open = text.lastIndexOf('<')
  return open >= 0 && !text.includes('>', open) ? open : text.length
}
const makeStream = (options: { safeLength?: (text: string) => number; enabled?: boolean } = {}) =>
  new DeltaStream({ enabled: true, send: async (text) => void sent.push(text), ...options })
const tick = () => vi.advanceTimersByTimeAsync(60)

test('text within one window is one event, and the rest is left for the end', async () => {
  const stream = makeStream()
  for (const piece of ['a', 'b', 'c']) stream.write(piece)
  await tick()
  stream.write('d')
  expect(await stream.end()).toBe('d')
  await tick()
  expect(sent).toEqual(['abc'])
})

test('nothing is sent when it is turned off', async () => {
  const stream = makeStream({ enabled: false })
  stream.write('a')
  stream.recall('b')
  await tick()
  expect(await stream.end()).toBe('')
  expect(sent).toEqual([])
})

describe('for a run with secrets', () => {
  test('the end of the text waits for what follows it', async () => {
    const stream = makeStream({ safeLength })
    stream.write('see <sec')
    await tick()
    expect(sent).toEqual(['see '])
    stream.write('ret> and')
    await tick()
    expect(sent).toEqual(['see ', '<secret> and'])
  })

  test('text that is held back completely starts no timer, and comes with the end', async () => {
    const stream = makeStream({ safeLength })
    stream.write('<sec')
    await tick()
    expect([sent, vi.getTimerCount()]).toEqual([[], 0])
    expect(await stream.end()).toBe('<sec')
  })

  test('a pause keeps the text that is held back for the next turn', async () => {
    const stream = makeStream({ safeLength })
    stream.write('a <sec')
    expect(await stream.pause()).toBe('a ')
    stream.write('ret> b')
    expect(await stream.end()).toBe('<secret> b')
  })

  test('a later execution of the run continues with the text that an earlier one held back', async () => {
    const stream = makeStream({ safeLength })
    stream.recall('sent before <sec')
    stream.write('ret>')
    await tick()
    expect(sent).toEqual(['<secret>'])
  })
})

test('discarded text is never sent', async () => {
  const stream = makeStream()
  stream.write('a')
  await stream.discard()
  await tick()
  expect(sent).toEqual([])
})

test('a failure to send is reported at the next write and at the end', async () => {
  const stream = new DeltaStream({ enabled: true, send: () => Promise.reject(new Error('lost')) })
  stream.write('a')
  await tick()
  expect(() => stream.write('b')).toThrow('lost')
  await expect(stream.end()).rejects.toThrow('lost')
})

test('the slower the sends, the fewer and larger are the events', async () => {
  let sendMs = 400
  const times: number[] = []
  const send = async () => {
    times.push(Date.now())
    await new Promise((resolve) => setTimeout(resolve, sendMs))
  }
  const stream = new DeltaStream({ enabled: true, send })
  const talk = async (ms: number) => {
    for (let past = 0; past < ms; past += 10) {
      stream.write('x')
      await vi.advanceTimersByTimeAsync(10)
    }
    return times.slice(-2).reduce((first, last) => last - first)
  }
  expect(await talk(12_000)).toBe(1_200)
  sendMs = 4_000
  expect(await talk(24_000)).toBe(5_000)
  sendMs = 0
  expect(await talk(9_000)).toBeLessThanOrEqual(60)
})
