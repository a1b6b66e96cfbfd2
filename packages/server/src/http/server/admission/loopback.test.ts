import { expect, test } from 'vitest'
import { isLoopback } from './loopback.ts'

test.each(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', '::FFFF:127.0.0.1'])(
  '%s is a loopback address',
  (one) => {
    expect(isLoopback(one)).toBe(true)
  },
)

test.each([
  '',
  '10.0.0.1',
  '192.168.0.1',
  '128.0.0.1',
  '::',
  '::2',
  '::ffff:10.0.0.1',
  'fe80::1',
  '127.0.0.1.evil.example',
])('%j is not', (one) => {
  expect(isLoopback(one)).toBe(false)
})
