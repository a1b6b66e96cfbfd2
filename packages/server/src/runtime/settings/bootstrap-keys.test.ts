import { expect, test } from 'vitest'
import { parseBootstrapKeys } from './bootstrap-keys.ts'

const form = 'a comma-separated list of customer=key_id:secret'

test('several keys are read in their order', () => {
  expect(parseBootstrapKeys('acme=key_1:s3cret,b.c-d_e=k.2:x')).toEqual({
    ok: true,
    value: [
      { customerId: 'acme', keyId: 'key_1', secret: 's3cret' },
      { customerId: 'b.c-d_e', keyId: 'k.2', secret: 'x' },
    ],
  })
})

test('a secret may contain the marks that separate the other parts', () => {
  expect(parseBootstrapKeys('acme=key:a=b:c')).toEqual({
    ok: true,
    value: [{ customerId: 'acme', keyId: 'key', secret: 'a=b:c' }],
  })
})

const customerRule = 'the customer id is not 1 to 64 characters of A-Z a-z 0-9 . _ -'
const keyRule = 'the key id is not 1 to 128 characters of A-Z a-z 0-9 . _ -'
const secretRule = 'the secret is not printable ASCII without spaces'

test.each([
  ['a=k:hunter2,', 2, customerRule],
  ['=k:hunter2', 1, customerRule],
  ['a b=k:hunter2', 1, customerRule],
  [`${'a'.repeat(65)}=k:hunter2`, 1, customerRule],
  ['k:hunter2', 1, customerRule],
  ['a=hunter2!', 1, keyRule],
  ['a=:hunter2', 1, keyRule],
  [`a=${'k'.repeat(129)}:hunter2`, 1, keyRule],
  ['a=k', 1, secretRule],
  ['a=k:', 1, secretRule],
  ['a=k:hunter2 x', 1, secretRule],
  ['a=k:hünter2', 1, secretRule],
  ['a=k:hunter2,b=l:x,b=k:hunter3', 3, 'the key id repeats that of entry 1'],
])('%s is refused by its position and not quoted', (text, entry, complaint) => {
  expect(parseBootstrapKeys(text)).toEqual({ ok: false, wants: `${form}, but in entry ${entry} ${complaint}` })
})

test.each([`${'a'.repeat(64)}=k:s`, `a=${'k'.repeat(128)}:s`])('ids of the full length are accepted', (text) => {
  expect(parseBootstrapKeys(text).ok).toBe(true)
})
