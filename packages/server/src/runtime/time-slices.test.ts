import { expect, test } from 'vitest'
import { runSliced, yieldToEventLoop } from './time-slices.ts'

const busy = (ms: number) => {
  const until = performance.now() + ms
  while (performance.now() < until);
}

function* work(parts: number, ms: number, log: string[], name: string): Generator<void, string> {
  for (let part = 0; part < parts; part += 1) {
    busy(ms)
    log.push(name)
    yield
  }
  return name
}

test('a short computation is not interrupted', async () => {
  const log: string[] = []
  setImmediate(() => log.push('other'))
  expect(await runSliced(work(3, 0, log, 'a'))).toBe('a')
  expect(log).toEqual(['a', 'a', 'a'])
})

test('long computations take turns with each other and with the event loop: one part per turn', async () => {
  const log: string[] = []
  let isOver = false
  const tick = () => {
    log.push('turn')
    if (!isOver) setImmediate(tick)
  }
  setImmediate(tick)
  await Promise.all([runSliced(work(3, 10, log, 'a')), runSliced(work(3, 10, log, 'b'))])
  isOver = true
  const afterFirstTurn = log.slice(log.indexOf('turn')).join(' ')
  expect(afterFirstTurn).not.toMatch(/[ab] [ab]/)
  expect(afterFirstTurn.replaceAll('turn', '').match(/[ab]/g)).toEqual(['a', 'b', 'a', 'b'])
})

test('an error ends the computation', async () => {
  const fails = (function* () {
    yield
    throw new Error('no')
  })()
  await expect(runSliced(fails)).rejects.toThrow('no')
})

test('those that need little time share a turn, and one that needs long is the last of its turn', async () => {
  const log: string[] = []
  const caller = async (name: string, ms: number) => {
    await yieldToEventLoop()
    // What follows in other microtasks is part of the same work.
    await Promise.resolve()
    busy(ms)
    log.push(name)
  }
  let isOver = false
  const tick = () => {
    log.push('turn')
    if (!isOver) setImmediate(tick)
  }
  setImmediate(tick)
  await Promise.all([caller('a', 0), caller('b', 0), caller('c', 10), caller('d', 0), caller('e', 0)])
  isOver = true
  expect(log.join(' ')).toMatch(/a b c turn (turn )?d e/)
})
