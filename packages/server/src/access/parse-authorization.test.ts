import { expect, test } from 'vitest'
import { parseAuthorization } from './parse-authorization.ts'

test.each([
  ['Bearer key_1:s3cret', 'key_1', 's3cret'],
  ['bearer key_1:s3cret', 'key_1', 's3cret'],
  ['BEARER   key_1:s3cret', 'key_1', 's3cret'],
  ['Bearer key_1:with:more:colons', 'key_1', 'with:more:colons'],
  [`Bearer k:${'s'.repeat(1_024 - 9)}`, 'k', 's'.repeat(1_024 - 9)],
])('%s is split at the first colon', (header, keyId, secret) => {
  expect(parseAuthorization(header)).toEqual({ keyId, secret })
})

test('a missing header is reported as missing', () => {
  const message = expect.stringContaining('Bearer <key_id>:<secret> or Bearer <token>')
  expect(() => parseAuthorization(undefined)).toThrow(
    expect.objectContaining({ reason: 'AUTH_HEADER_MISSING', message }),
  )
  expect(() => parseAuthorization('')).toThrow(expect.objectContaining({ message }))
})

test.each([
  ['empty', ''],
  ['another scheme', 'Basic key_1:s3cret'],
  ['no scheme', 'key_1:s3cret'],
  ['a scheme that only begins like it', 'Bearers key_1:s3cret'],
  ['nothing behind the scheme', 'Bearer'],
  ['no space behind the scheme', 'Bearerkey_1:s3cret'],
  ['a tab behind the scheme', 'Bearer\tkey_1:s3cret'],
  ['no colon', 'Bearer key_1'],
  ['an empty id', 'Bearer :s3cret'],
  ['an empty secret', 'Bearer key_1:'],
  ['white space before the colon', 'Bearer key_1 :s3cret'],
  ['white space in the secret', 'Bearer key_1:s3 cret'],
  ['white space at the end', 'Bearer key_1:s3cret '],
  ['white space at the start', ' Bearer key_1:s3cret'],
  ['a line break', 'Bearer key_1:s3cret\n'],
  ['over 1 KiB', `Bearer k:${'s'.repeat(1_024 - 8)}`],
])('%s is malformed, and the error does not quote it', (_, header) => {
  const refusal = expect.objectContaining({
    reason: 'AUTH_HEADER_MALFORMED',
    message: expect.not.stringContaining('s3'),
  })
  expect(() => parseAuthorization(header)).toThrow(refusal)
})

test('the error says how long a key and a token can be', () => {
  const lengths = 'It can have 1,024 characters with a key, and 8,192 with a token.'
  expect(() => parseAuthorization('Basic')).toThrow(lengths)
})
