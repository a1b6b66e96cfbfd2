import { expect, test } from 'vitest'
import { replaceEach } from './replace-each.ts'

const ports = [
  ['8080', '28084'],
  ['8084', '21234'],
] as const

test.each([
  ['port 8080, then 8084', 'port 28084, then 21234'],
  ['18080 and 80809 are other ports', '18080 and 80809 are other ports'],
  ['http://127.0.0.1:8080/v1', 'http://127.0.0.1:28084/v1'],
])('%s', (text, expected) => {
  expect(replaceEach(text, ports)).toBe(expected)
  expect(
    replaceEach(
      expected,
      ports.map(([said, real]) => [real, said]),
    ),
  ).toBe(text)
})

test('an address is replaced as a whole', () => {
  const pairs = [
    ['postgres://runwright@127.0.0.1:5432/runwright', 'postgres://test@127.0.0.1:8080/t'],
    ['8080', '21234'],
  ] as const
  const text = 'DATABASE_URL=postgres://runwright@127.0.0.1:5432/runwright'
  expect(replaceEach(text, pairs)).toBe('DATABASE_URL=postgres://test@127.0.0.1:8080/t')
})
