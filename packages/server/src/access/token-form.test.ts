import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import type { TokenClaims } from '../domain/principal.ts'
import { presentedKeyId } from './presented-key-id.ts'
import { TokenForm, tokenIn } from './token-form.ts'

const form = new TokenForm(randomBytes(32))
const claims = {
  keyId: 'key_1',
  secretMark: form.markOf(Buffer.alloc(32)),
  scopes: ['runs:read'],
  limits: { subjectId: 'me' },
  origin: 'https://app.example.com',
  expiresAtMs: 1_800_000_000_000,
} satisfies Omit<TokenClaims, 'limitsId'>
const token = form.write(claims)

test('what was written is read, the first time and from the cache', () => {
  const first = form.read(token)
  expect(first).toEqual({ ...claims, limitsId: 'key_1 [null,"me",null]' })
  expect(form.read(token)).toBe(first)
})

test('every other text of the same length is refused, also when the token is cached', () => {
  form.read(token)
  for (let at = 0; at < token.length; at += 1) {
    const changed = `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`
    expect([at, form.read(changed)]).toEqual([at, undefined])
  }
})

test.each(['', 'tok_', 'tok_1.', 'tok_1..', 'tok_1.a.b.c', `${token}.`, `${token}=`, ` ${token}`, token.toUpperCase()])(
  '%j is refused',
  (text) => {
    expect(form.read(text)).toBeUndefined()
  },
)

test('a token of another installation is refused', () => {
  expect(new TokenForm(randomBytes(32)).read(token)).toBeUndefined()
})

test('a header has a token, or something else', () => {
  expect(tokenIn(`Bearer ${token}`)).toBe(token)
  expect(tokenIn(`bearer   ${token}`)).toBe(token)
  expect(tokenIn('Bearer tok_x:secret')).toBeUndefined()
  expect(tokenIn('Bearer key_1:secret')).toBeUndefined()
  expect(tokenIn(`Bearer tok_${'x'.repeat(10_000)}`)).toBeUndefined()
})

test('a gate finds the key of a key and of a token, verified or not', () => {
  expect(presentedKeyId('Bearer key_1:secret')).toBe('key_1')
  expect(presentedKeyId(`Bearer ${new TokenForm(randomBytes(32)).write(claims)}`)).toBe('key_1')
  for (const bad of ['tok_1.e30.x', 'tok_1.bm9uc2Vuc2U.x', 'tok_2.e30.x', 'nonsense'])
    expect(presentedKeyId(`Bearer ${bad}`)).toBeUndefined()
})
