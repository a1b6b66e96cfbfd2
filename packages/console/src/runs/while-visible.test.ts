import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { whileVisible } from './while-visible.ts'

let tab: EventTarget & { visibilityState: string }

beforeEach(() => {
  tab = Object.assign(new EventTarget(), { visibilityState: 'visible' })
  vi.stubGlobal('document', tab)
})
afterEach(() => {
  vi.unstubAllGlobals()
})

const turn = (visibilityState: 'visible' | 'hidden') => {
  tab.visibilityState = visibilityState
  tab.dispatchEvent(new Event('visibilitychange'))
}

/** A stream that sends its number, then stays open until it is aborted. */
const streams = () => {
  const open: AbortSignal[] = []
  async function* watch(signal: AbortSignal) {
    yield open.push(signal)
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))))
  }
  return { open, watch }
}

test('a hidden tab closes its stream, and opens another one when it is visible again', async () => {
  const { open, watch } = streams()
  const items = whileVisible(watch, new AbortController().signal)
  expect(await items.next()).toEqual({ done: false, value: 1 })
  const next = items.next()
  turn('hidden')
  expect(open.map(({ aborted }) => aborted)).toEqual([true])
  turn('visible')
  expect(await next).toEqual({ done: false, value: 2 })
  expect(open.map(({ aborted }) => aborted)).toEqual([true, false])
})

test('a tab that is hidden from the beginning opens nothing until it is visible', async () => {
  tab.visibilityState = 'hidden'
  const { open, watch } = streams()
  const first = whileVisible(watch, new AbortController().signal).next()
  await Promise.resolve()
  expect(open).toEqual([])
  turn('visible')
  expect(await first).toEqual({ done: false, value: 1 })
})

test('a stream that ends by itself is not opened again', async () => {
  const watch = vi.fn(async function* () {
    yield 'the end'
  })
  const items = []
  for await (const item of whileVisible(watch, new AbortController().signal)) items.push(item)
  expect(items).toEqual(['the end'])
  expect(watch).toHaveBeenCalledTimes(1)
})

test('an error of the stream is passed on', async () => {
  async function* watch(): AsyncGenerator<never> {
    yield* []
    throw new Error('refused')
  }
  await expect(whileVisible(watch, new AbortController().signal).next()).rejects.toThrow('refused')
})
