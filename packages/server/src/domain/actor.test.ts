import { expect, test } from 'vitest'
import { actorOf, operator } from './actor.ts'

test('a caller without a key is the operator', () => {
  expect(actorOf({})).toBe(operator)
})

test('a key without a person and roles stands for itself', () => {
  expect(actorOf({ keyId: 'key_1', keyName: 'ci' })).toEqual({
    keyId: 'key_1',
    keyName: 'ci',
    person: null,
    roles: [],
    rolesFrom: 'key',
    via: 'api',
  })
})

test('person, roles and limits are carried on, and a session makes it the console', () => {
  const caller = { keyId: 'key_1', person: 'ada', roles: ['finance'], limits: { subjectId: 's' }, sessionId: 'x' }
  expect(actorOf({ ...caller, rolesFrom: 'identity' })).toEqual({
    keyId: 'key_1',
    keyName: null,
    person: 'ada',
    roles: ['finance'],
    rolesFrom: 'identity',
    limits: { subjectId: 's' },
    via: 'console',
  })
})

test('a token of a key is told from the key', () => {
  expect(actorOf({ keyId: 'key_1', token: {} })).toMatchObject({ keyId: 'key_1', via: 'token' })
})
