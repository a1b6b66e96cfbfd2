import { expect, test, vi } from 'vitest'
import { signalHandler, waitingText } from './stop-on-signal.ts'

test.each([
  [1, 25_000, 'SIGINT', '1 run is finishing its step, up to 25 s; press Ctrl-C again to stop now.'],
  [2, 24_100, 'SIGINT', '2 runs are finishing their steps, up to 25 s; press Ctrl-C again to stop now.'],
  [12, 900, 'SIGTERM', '12 runs are finishing their steps, up to 1 s.'],
] as const)('%i runs with %i ms left after %s', (runs, leftMs, signal, text) => {
  expect(waitingText({ runs, leftMs }, signal)).toBe(text)
})

function handle(isUnderNpm: boolean) {
  const clock = { ms: 1_000 }
  const reactions = { begin: vi.fn(), exit: vi.fn() }
  const onSignal = signalHandler({ ...reactions, isUnderNpm, now: () => clock.ms })
  const signalAfter = (ms: number, signal: NodeJS.Signals = 'SIGINT') => {
    clock.ms += ms
    onSignal(signal)
  }
  return { ...reactions, signalAfter }
}

test('a second signal exits at once', () => {
  const { begin, exit, signalAfter } = handle(false)
  signalAfter(0)
  expect(exit).not.toHaveBeenCalled()
  signalAfter(1)
  expect(exit).toHaveBeenCalledOnce()
  expect(begin).toHaveBeenCalledExactlyOnceWith('SIGINT')
})

test('under npm, the copy of the first signal is ignored; one half a second later is a second one', () => {
  const { begin, exit, signalAfter } = handle(true)
  signalAfter(0)
  signalAfter(30)
  expect(exit).not.toHaveBeenCalled()
  signalAfter(471)
  expect(exit).toHaveBeenCalledOnce()
  expect(begin).toHaveBeenCalledOnce()
})

test('under npm, a SIGTERM is never a second one: npm and its shell forward theirs at any time', () => {
  const { begin, exit, signalAfter } = handle(true)
  signalAfter(0, 'SIGTERM')
  signalAfter(600, 'SIGTERM')
  signalAfter(5_000, 'SIGTERM')
  expect(exit).not.toHaveBeenCalled()
  expect(begin).toHaveBeenCalledExactlyOnceWith('SIGTERM')
  signalAfter(1, 'SIGINT')
  expect(exit).toHaveBeenCalledOnce()
})

test('without npm, a second SIGTERM exits at once', () => {
  const { exit, signalAfter } = handle(false)
  signalAfter(0, 'SIGTERM')
  signalAfter(600, 'SIGTERM')
  expect(exit).toHaveBeenCalledOnce()
})
