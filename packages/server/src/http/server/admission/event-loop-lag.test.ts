import { expect, test } from 'vitest'
import { EventLoopLag } from './event-loop-lag.ts'

function ticked(times: readonly number[]): EventLoopLag {
  const lag = new EventLoopLag()
  for (const time of times) lag.tick(time)
  return lag
}

test.each([
  ['ticks were on time', [0, 250, 500], 600, false],
  ['a tick was late within the time', [0, 10_000, 10_250], 11_000, true],
  ['a tick was late before it', [0, 10_000, 10_250], 11_001, false],
  ['a tick is due since two seconds', [0, 250], 2_500, true],
])('was too far behind within one second: %s', (_case, times, now, expected) => {
  expect(ticked(times).wasTooFarBehindWithin(1_000, now)).toBe(expected)
})
