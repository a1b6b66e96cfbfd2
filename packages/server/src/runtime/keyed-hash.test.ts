import { createHmac, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { keyedHash } from './keyed-hash.ts'

// Around the length up to which texts are put together in place.
const lengths = [2_730, 2_731, 8_191, 8_192, 8_193]

test.each([
  ...['', 'a', 'ünïcödé 𝕏', 'x'.repeat(10_000)],
  ...lengths.flatMap((length) => ['x'.repeat(length), 'あ'.repeat(length)]),
])('it is HMAC-SHA256 under a key of its own for the label: %.20s', (text) => {
  const secret = randomBytes(32)
  const key = createHmac('sha256', secret).update('label').digest()
  expect(keyedHash(secret, 'label')(text)).toEqual(createHmac('sha256', key).update(text).digest())
})

test('one hash does not disturb the next', () => {
  const hash = keyedHash(randomBytes(32), 'label')
  const first = hash('a')
  const copy = Buffer.from(first)
  hash('b')
  expect(first).toEqual(copy)
  expect(hash('a')).toEqual(copy)
})
