import { expect, test } from 'vitest'
import { LiveSecrets } from './live-secrets.ts'
import { SecretKeeper } from './secret-keeper.ts'

const keeperOf = (password: string) =>
  SecretKeeper.find({ input: { password }, metadata: {} }, [{ path: '$.input.x', classification: 'pii' }])

test('hides the secrets of all live runs, but not of finished ones', () => {
  const live = new LiveSecrets()
  const [first, second] = [keeperOf('hunter2'), keeperOf('correct horse')]
  for (const keeper of [first, second, undefined]) live.add(keeper)
  expect(live.scrub('hunter2 and correct horse')).toBe('*** and ***')
  live.delete(first)
  expect(live.scrub('hunter2 and correct horse')).toBe('hunter2 and ***')
})
