import { expect, test } from 'vitest'
import { findCode } from './sign-in-code.ts'

test('the code of a sign-in link is found, also behind a path prefix', () => {
  expect(findCode('http://127.0.0.1:8080/console/#/sign-in?code=a-b_c')).toBe('a-b_c')
  expect(findCode('https://example.com/agents/console/#/sign-in?code=abc')).toBe('abc')
})

test.each(['#/sign-in', '#/runs?code=abc', '?code=abc', '', '#/sign-in?codes=abc'])('%j has no code', (rest) => {
  expect(findCode(`http://127.0.0.1:8080/console/${rest}`)).toBeUndefined()
})
