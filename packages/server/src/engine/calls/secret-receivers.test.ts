import type { SensitivityTag } from '@runwright/contract'
import { expect, test } from 'vitest'
import { SecretKeeper } from '../../domain/secrets/secret-keeper.ts'
import { type SecretCall, secretsNotAllowed } from './secret-receivers.ts'

const tag = (allow: string[], path = '$.input.pin'): SensitivityTag => ({ path, classification: 'pii', allow })
const document = { input: { pin: 'a-long-pin-93', note: `Basic ${btoa('a-long-pin-93')}` }, metadata: {} }

/** The sources that the call may not receive. */
function refused(allow: string[], call: Partial<SecretCall>) {
  const secrets = SecretKeeper.find(document, [tag(allow)])
  void secrets?.shown
  const whole = { name: 'post', input: { pin: '{{secret:$.input.pin}}' }, ...call }
  return secretsNotAllowed(secrets, whole).map(({ source }) => source)
}

const fetching = (url: string): Partial<SecretCall> => ({
  name: 'http_fetch',
  input: { url, headers: { 'x-pin': '{{secret:$.input.pin}}' } },
})

test('no one may receive a value whose tag allows no one', () => {
  expect(refused([], {})).toEqual(['$.input.pin'])
})

test('a tool that the tag allows may receive the value, no other', () => {
  expect(refused(['tool:post'], {})).toEqual([])
  expect(refused(['tool:Post', 'tool:pos', 'host:post'], {})).toEqual(['$.input.pin'])
})

test('a step of the client’s plan may pass on what it names', () => {
  expect(refused([], { byClient: ['$.input.pin'] })).toEqual([])
  expect(refused([], { byClient: ['$.input.other'] })).toEqual(['$.input.pin'])
})

test.each(['https://api.example.com/pay', 'http://API.example.com:443/', 'https://api.example.com?a=b'])(
  'a host that the tag allows may receive the value: %s',
  (url) => {
    expect(refused(['host:Api.Example.com'], fetching(url))).toEqual([])
  },
)

test.each([
  'https://evil.example/',
  'https://api.example.com@evil.example/',
  'https://evil.example/?u=https://api.example.com/',
  'https://sub.api.example.com/',
  'https://api.example.com.evil.example/',
  'https://{{secret:$.input.pin}}.evil.example/',
  'not a url',
])('another host may not: %s', (url) => {
  expect(refused(['host:api.example.com'], fetching(url))).toEqual(['$.input.pin'])
})

test('a host is that of http_fetch only: another tool may use its url for anything', () => {
  const call = { ...fetching('https://api.example.com/'), name: 'post' }
  expect(refused(['host:api.example.com'], call)).toEqual(['$.input.pin'])
})

test('an encoded form of a value has no receivers of its own', () => {
  expect(refused(['tool:post'], { input: { auth: '{{secret:$.hidden[0]}}' } })).toEqual(['$.hidden[0]'])
})
