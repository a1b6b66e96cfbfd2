import { describe, expect, test } from 'vitest'
import { checkOptions, type RunwrightOptions } from './options.ts'

const key = 'key_1:secret'

test('the address and the key come from the environment where they are left out', () => {
  const env = { RUNWRIGHT_URL: 'https://runs.example.com', RUNWRIGHT_API_KEY: key }
  expect(checkOptions({}, env)).toMatchObject({ baseUrl: 'https://runs.example.com', credential: { apiKey: key } })
  expect(checkOptions({}, { RUNWRIGHT_API_KEY: key })).toMatchObject({ baseUrl: 'http://127.0.0.1:8080' })
  const apiKey = 'key_2:other'
  expect(checkOptions({ baseUrl: '', apiKey }, env)).toMatchObject({ baseUrl: '', credential: { apiKey } })
  const token = 'tok_1.a.b'
  expect(checkOptions({ token }, env)).toMatchObject({ credential: { token } })
})

describe('a wrong option is one sentence', () => {
  const sentence = (options: object, env = {}): string => {
    try {
      checkOptions({ apiKey: key, ...options } as RunwrightOptions, env)
      return 'accepted'
    } catch (error) {
      return error instanceof TypeError ? error.message : 'another error'
    }
  }

  test.each([
    [
      { apiKey: undefined },
      'No API key: set apiKey or the environment variable RUNWRIGHT_API_KEY to <key_id>:<secret>.',
    ],
    [{ apiKey: '' }, 'No API key: set apiKey or the environment variable RUNWRIGHT_API_KEY to <key_id>:<secret>.'],
    [
      { baseUrl: 'localhost:8080' },
      'baseUrl must be an HTTP URL such as http://127.0.0.1:8080, but is "localhost:8080".',
    ],
    [{ url: 'http://h' }, '"url" is not an option of Runwright: use baseUrl.'],
    [{ api_key: key }, '"api_key" is not an option of Runwright: use apiKey.'],
    [{ token: 'tok_1.a.b' }, 'Set apiKey or token, not both.'],
    [
      { apiKey: undefined, token: 'key_1:secret' },
      'token must be a token that tokens.create returned, or a function that returns one.',
    ],
    [{ timeoutMs: -1 }, 'timeoutMs must be a number that is not negative, but is -1.'],
    [{ maxRetries: '3' }, 'maxRetries must be a number that is not negative, but is 3.'],
    [{ maxRetryDelayMs: Number.NaN }, 'maxRetryDelayMs must be a number that is not negative, but is NaN.'],
  ])('%j', (options, expected) => {
    expect(sentence(options)).toBe(expected)
  })

  test('an unknown option names those that there are', () => {
    expect(sentence({ verbose: true })).toMatch(/^"verbose" is not an option of Runwright: the options are baseUrl, /)
  })

  test.each(['key_…:…', 'only-a-secret', 'key_1:with blanks', 7])(
    'the key %j, which is never in the message',
    (wrong) => {
      expect(sentence({ apiKey: wrong })).toBe(
        'apiKey must be an API key, <key_id>:<secret>, as it was printed when it was created.',
      )
    },
  )
})
