import { expect, test } from 'vitest'
import { childEnvironment } from './child-environment.ts'

test('a program gets what it needs to run, what is named for it, and nothing else', () => {
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
