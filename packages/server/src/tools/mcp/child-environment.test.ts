import { expect, test } from 'vitest'
import { childEnvironment } from './child-environment.ts'

test('a program gets standard variables, configured ones, and nothing else', () => {
  const own = {
    PATH: '/bin',
    HOME: '/home/a',
    LANG: undefined,
    DATABASE_URL: 'secret',
    RUNWRIGHT_PORT: '1',
    AWS_KEY: 'secret',
  }
  expect(childEnvironment({ TOKEN: 'x', HOME: '/srv' }, own)).toEqual({ PATH: '/bin', HOME: '/srv', TOKEN: 'x' })
})
