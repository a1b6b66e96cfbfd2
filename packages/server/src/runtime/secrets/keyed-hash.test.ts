import { createHmac, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { keyedHash } from './keyed-hash.ts'

test.each(['', 'a', 'ünïcödé 𝕏', 'x'.repeat(10_000)])('HMAC-SHA256 under a key for the label: %.20s', (text) => {
  const secret = randomBytes(32)
  const key = createHmac('sha256', secret).update('label').digest()
  expect(keyedHash(secret, 'label')(text)).toEqual(createHmac('sha256', key).update(text).digest())
})
