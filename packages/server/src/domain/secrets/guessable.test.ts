import { expect, test } from 'vitest'
import { isGuessable } from './guessable.ts'

test.each([
  '1234',
  '1990-05-01',
  '+49 171 1234567',
  'Jane Doe',
  'Diabetes type 2',
  'ada@example.com',
  'hunter2',
  'X7-4QK9',
  'Überlingen',
  '••••••••••••••••••••',
  '',
])('%j can be found by trying', (text) => {
  expect(isGuessable(text)).toBe(true)
})

test.each([
  '4111 1111 1111 1111',
  'DE89 3704 0044 0532 0130 00',
  'correct horse battery staple',
  'sk-9f8e7d6c5b4a',
  '0f3c2a1b9d',
  'ZXlKaGJHY2lPaUpJVXpJMU5pSjk',
  'qwmzkrtplvbnhsdgfcxj',
])('%j cannot', (text) => {
  expect(isGuessable(text)).toBe(false)
})

test('a long value is not read to its end', () => {
  const text = '0123456789 '.repeat(25_000)
  const startedAt = process.cpuUsage()
  for (let round = 0; round < 1_000; round += 1) isGuessable(text)
  expect(process.cpuUsage(startedAt).user).toBeLessThan(1_000_000)
})
