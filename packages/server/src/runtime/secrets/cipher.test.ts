import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { SealBroken, seal, unseal } from './cipher.ts'
import { Keyring } from './cipher-keyring.ts'

const key = randomBytes(32)
const plain = Buffer.from('the secret of a run: ünïcode')

describe('a sealed value', () => {
  test('opens with its key in its place', () => {
    expect(unseal(key, seal(key, plain, 'here'), 'here')).toEqual(plain)
    expect(unseal(key, seal(key, Buffer.alloc(0), 'here'), 'here')).toEqual(Buffer.alloc(0))
  })

  test('shows nothing and is never the same twice', () => {
    const [one, two] = [seal(key, plain, 'here'), seal(key, plain, 'here')]
    expect(one.equals(two)).toBe(false)
    expect(one.includes(plain.subarray(0, 8))).toBe(false)
  })

  test.each<[string, () => Buffer]>([
    ['another key', () => unseal(randomBytes(32), seal(key, plain, 'here'), 'here')],
    ['another place', () => unseal(key, seal(key, plain, 'here'), 'there')],
    [
      'a form of the future',
      () => unseal(key, Buffer.concat([Buffer.of(2), seal(key, plain, 'here').subarray(1)]), 'here'),
    ],
    ['nothing at all', () => unseal(key, Buffer.alloc(0), 'here')],
    ['half of it', () => unseal(key, seal(key, plain, 'here').subarray(0, 20), 'here')],
  ])('does not open with %s', (_, open) => {
    expect(open).toThrow(SealBroken)
  })

  test('does not open when any byte has changed', () => {
    const sealed = seal(key, plain, 'here')
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed)
      changed[at] = (changed[at] as number) ^ 1
      expect(() => unseal(key, changed, 'here')).toThrow(SealBroken)
    }
  })
})

describe('a keyring', () => {
  const owner = { runId: 'run-1', customerId: 'acme' }
  const ring = new Keyring()
  ring.learn(new Map([[1, randomBytes(32)]]))
  const old = ring.seal({ a: [1] }, owner)
  ring.learn(new Map([[3, randomBytes(32)]]))

  test('seals with the newest key and opens with all', () => {
    expect(old.keyId).toBe(1)
    expect(ring.seal('x', owner).keyId).toBe(3)
    expect(ring.open(old, owner)).toEqual({ a: [1] })
  })

  test('reseals a value of an older key', () => {
    const again = ring.reseal(old, owner)
    expect(again.keyId).toBe(3)
    expect(ring.open(again, owner)).toEqual({ a: [1] })
  })

  test.each([
    { ...owner, runId: 'run-2' },
    { ...owner, customerId: 'other' },
    { runId: 'run-1\0acme', customerId: '' },
  ])('does not open a value that was moved to %j', (other) => {
    expect(() => ring.open(old, other)).toThrow(SealBroken)
  })

  test('reports which key it does not have', () => {
    expect(() => ring.open({ ...old, keyId: 2 }, owner)).toThrow('data key 2')
  })
})
