import { expect, test } from 'vitest'
import { secretsIn } from './named-secrets.ts'
import { SecretTexts } from './secret-texts.ts'

test.each([
  ['OPENAI_API_KEY', 'sk-1', ['sk-1']],
  ['STRIPE_KEY', 'sk-1', ['sk-1']],
  ['RUNWRIGHT_KEY_PEPPER', 'abc=', ['abc=']],
  ['RUNWRIGHT_ENCRYPTION_KEY_PREVIOUS', 'a,b', ['a', 'b']],
  ['Authorization', 'Bearer t0k3n', ['Bearer', 't0k3n']],
  ['x-api-key', 't0k3n', ['t0k3n']],
  ['GITHUB_PAT', 't0k3n', ['t0k3n']],
  ['DATABASE_URL', 'postgres://u:p%2Fw@h/d', ['p%2Fw', 'p/w']],
  ['HOME', '/home/me', []],
  ['PROJECT', 'apollo', []],
  ['MAX_TOKENS', '4096', []],
])('%s=%s has the secrets %j', (name, value, secrets) => {
  expect(secretsIn(name, value)).toEqual(secrets)
})

test('a secret is removed in all its forms, and words that are too short are not', () => {
  const { scrub } = new SecretTexts(['Bearer', 'a/secret+value', 'Bearer'])
  const forms = ['a/secret+value', 'A/SECRET+VALUE', 'a%2Fsecret%2Bvalue', btoa('a/secret+value!')]
  for (const form of forms) expect(scrub(`Bearer ${form}`)).toMatch(/^Bearer \*{3}.{0,4}$/)
  expect(new SecretTexts(['short']).isEmpty).toBe(true)
})
