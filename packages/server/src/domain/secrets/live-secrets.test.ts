import { expect, test } from 'vitest'
import { LiveSecrets } from './live-secrets.ts'
import { SecretKeeper } from './secret-keeper.ts'

const keeperOf = (password: string) =>
  SecretKeeper.find({ input: { password }, metadata: {} }, [{ path: '$.input.x', classification: 'pii' }])

test('hides the secrets of all live runs, and of ended ones for a minute', () => {
  let now = 0
  const live = new LiveSecrets(() => now)
  const [first, second] = [keeperOf('hunter2'), keeperOf('correct horse')]
  for (const keeper of [first, second, undefined]) live.add(keeper)
  expect(live.scrub('hunter2 and correct horse')).toBe('*** and ***')
  live.delete(first)
  now = 59_999
  expect(live.scrub('hunter2 and correct horse')).toBe('*** and ***')
  now = 60_000
  expect(live.scrub('hunter2 and correct horse')).toBe('hunter2 and ***')
})

test('hides those of a run that goes on', () => {
  let now = 0
  const live = new LiveSecrets(() => now)
  const keeper = keeperOf('hunter2')
  live.add(keeper)
  live.delete(keeper)
  live.add(keeper)
  now = 100_000
  expect(live.scrub('hunter2')).toBe('***')
})

test('keeps those of the last hundred ended runs', () => {
  const live = new LiveSecrets(() => 0)
  for (let n = 0; n < 101; n += 1) {
    const keeper = keeperOf(`hunter-${n}!`)
    live.add(keeper)
    live.delete(keeper)
  }
  expect(live.scrub('hunter-0! hunter-1! hunter-100!')).toBe('hunter-0! *** ***')
})
