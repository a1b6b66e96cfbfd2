import { maxPayloadBytes } from '@runwright/contract'
import { describe, expect, test } from 'vitest'
import { finish } from '../finish.ts'
import { ServiceError } from '../service-error.ts'
import { readSignal } from './intake.ts'

const refusalOf = (action: () => unknown): { reason: string; message: string } => {
  try {
    action()
  } catch (error) {
    if (error instanceof ServiceError) return { reason: error.reason, message: error.message }
    throw error
  }
  throw new Error('it was accepted')
}
const nested = (levels: number): unknown => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`)

describe('readSignal', () => {
  const signal = (fields: unknown) => finish(readSignal(JSON.stringify(fields)))
  const refused = (fields: unknown) => refusalOf(() => signal(fields))

  test.each([['approve'], ['reject'], ['submit_input']])('reads %s', (action) => {
    expect(signal({ action })).toEqual({ action })
  })

  test.each([[{ a: 1 }], [[]], ['x'], [0], [false], [null]])('payload %j is kept', (payload) => {
    const read = signal({ action: 'submit_input', payload, idempotency_key: 'k 1', await_seq: 7 })
    expect(read).toEqual({ action: 'submit_input', payload, idempotency_key: 'k 1', await_seq: 7 })
    expect(read.payload).not.toBeUndefined()
  })

  test('an omitted payload is undefined', () => {
    expect(signal({ action: 'approve' }).payload).toBeUndefined()
  })

  test.each([
    ['no object', [], 'The body must be an object.'],
    ['null', null, 'The body must be an object, not null.'],
    ['no action', {}, 'action is required.'],
    ['another action', { action: 'accept' }, 'action must be one of "approve", "reject", "submit_input".'],
    ['action null', { action: null }, 'action must be one of "approve", "reject", "submit_input".'],
    ['an unknown field', { action: 'approve', note: 'x' }, 'note is not a known field.'],
    ['key null', { action: 'approve', idempotency_key: null }, 'idempotency_key must be a string, not null.'],
    ['an empty key', { action: 'approve', idempotency_key: '' }, 'idempotency_key must match'],
    ['a long key', { action: 'approve', idempotency_key: 'k'.repeat(256) }, 'idempotency_key must match'],
    ['a key beyond ASCII', { action: 'approve', idempotency_key: 'é' }, 'idempotency_key must match'],
    ['await_seq null', { action: 'approve', await_seq: null }, 'await_seq must be a number, not null.'],
    ['await_seq 0', { action: 'approve', await_seq: 0 }, 'await_seq must be at least 1.'],
    ['await_seq 1.5', { action: 'approve', await_seq: 1.5 }, 'await_seq must be an integer.'],
  ])('refuses %s', (_, fields, message) => {
    expect(refused(fields).reason).toBe('SIGNAL_PAYLOAD_INVALID')
    expect(refused(fields).message).toContain(message)
  })

  test.each([
    [''],
    ['approve'],
    ['{"action":"approve","action":"reject"}'],
    ['{"action":"submit_input","payload":"\\u0000"}'],
    ['{"action":"submit_input","payload":{"__proto__":1}}'],
    ['{"action":"submit_input","payload":9007199254740993}'],
    ['{"action":"submit_input","payload":1e999}'],
  ])('is as strict about JSON as a create: %s', (text) => {
    expect(refusalOf(() => finish(readSignal(text))).reason).toBe('SIGNAL_PAYLOAD_INVALID')
  })

  test('a payload may nest 64 levels and be 262,144 bytes', () => {
    const text = 'x'.repeat(maxPayloadBytes - 2)
    expect(signal({ action: 'submit_input', payload: nested(64) }).payload).toBeDefined()
    expect(signal({ action: 'submit_input', payload: text }).payload).toBe(text)
    expect(refused({ action: 'submit_input', payload: nested(65) }).reason).toBe('SIGNAL_PAYLOAD_INVALID')
    expect(refused({ action: 'submit_input', payload: `${text}x` }).reason).toBe('SIGNAL_PAYLOAD_INVALID')
  })
})
