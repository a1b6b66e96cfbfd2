import { expect, test } from 'vitest'
import { waitingText } from './stop-on-signal.ts'

test.each([
  [1, 25_000, 'SIGINT', '1 run is finishing its step, up to 25 s; press Ctrl-C again to stop now.'],
  [2, 24_100, 'SIGINT', '2 runs are finishing their steps, up to 25 s; press Ctrl-C again to stop now.'],
  [12, 900, 'SIGTERM', '12 runs are finishing their steps, up to 1 s.'],
] as const)('%i runs with %i ms left after %s', (runs, leftMs, signal, text) => {
  expect(waitingText({ runs, leftMs }, signal)).toBe(text)
})
