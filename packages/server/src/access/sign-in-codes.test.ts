import { expect, test } from 'vitest'
import { HandClock } from '../../test/support/access.ts'
import { SignInCodes } from './sign-in-codes.ts'

const refusal = expect.objectContaining({ reason: 'SIGN_IN_CODE_INVALID' })

test('a code is valid once', () => {
  const codes = new SignInCodes({ readApiKey: () => 'key_1:secret' })
  const [one, other] = [codes.issue(), codes.issue()]
  expect(codes.take(one)).toBe('key_1:secret')
  expect(() => codes.take(one)).toThrow(refusal)
  expect(codes.take(other)).toBe('key_1:secret')
})

test('a code is valid for five minutes', () => {
  const clock = new HandClock()
  const codes = new SignInCodes({ readApiKey: () => 'key_1:secret', now: clock.now })
  const [one, other] = [codes.issue(), codes.issue()]
  clock.ms += 299_999
  expect(codes.take(one)).toBe('key_1:secret')
  clock.ms += 1
  expect(() => codes.take(other)).toThrow(refusal)
})

test('a code is refused if the local key is gone', () => {
  const codes = new SignInCodes({ readApiKey: () => undefined })
  expect(() => codes.take(codes.issue())).toThrow(refusal)
})
