import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromWireId, newUuid, newWireId, toWireId } from './ids.ts'

test('an id on the wire is a prefix and 26 characters of base32', () => {
  expect(newWireId('run')).toMatch(/^run_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
  expect(toWireId('run', '00000000-0000-0000-0000-000000000000')).toBe('run_00000000000000000000000000')
  expect(toWireId('mem', 'ffffffff-ffff-ffff-ffff-ffffffffffff')).toBe('mem_7zzzzzzzzzzzzzzzzzzzzzzzzz')
  // The worked example of the TypeID format.
  expect(toWireId('key', '01890a5d-ac96-774b-bcce-b302099a8057')).toBe('key_01h455vb4pex5vsknk084sn02q')
})

test('every UUID comes back from its id', () => {
  fc.assert(fc.property(fc.uuid(), (uuid) => fromWireId('run', toWireId('run', uuid)) === uuid))
})

test.each([
  ['UUID', newUuid],
  ['id on the wire', () => fromWireId('req', newWireId('req'))],
])('a new %s has version 7 and contains the time', (_, make) => {
  for (let made = 0; made < 1_000; made += 1) {
    const uuid = make() ?? ''
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(Math.abs(Number.parseInt(uuid.slice(0, 13).replace('-', ''), 16) - Date.now())).toBeLessThan(1_000)
  }
})

test('ids created one after another sort in that order, however they are created', () => {
  const ids = Array.from({ length: 20_000 }, (_, n) => (n % 2 ? newWireId('run') : toWireId('run', newUuid())))
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(ids).size).toBe(ids.length)
})

test.each([
  ['UUIDs', newUuid],
  ['ids on the wire', () => fromWireId('req', newWireId('req')) ?? ''],
])('every random bit of %s is random', (_, make) => {
  const bitsOf = (uuid: string) => BigInt(`0x${uuid.replaceAll('-', '')}`)
  const made = Array.from({ length: 300 }, () => bitsOf(make()))
  // The 62 bits after the variant.
  for (let bit = 0n; bit < 62n; bit += 1n) {
    const ones = made.filter((uuid) => (uuid >> bit) & 1n).length
    expect(ones).toBeGreaterThan(50)
    expect(ones).toBeLessThan(250)
  }
})

test.each([
  '',
  'run_',
  'run_0',
  'key_01h455vb4pex5vsknk084sn02q',
  'run_81h455vb4pex5vsknk084sn02q',
  'run_01H455VB4PEX5VSKNK084SN02Q',
  'run_01h455vb4pex5vsknk084sn02qq',
  'run_01h455vb4pex5vsknk084sn0lq',
  ' run_01h455vb4pex5vsknk084sn02q',
  'run_01h455vb4pex5vsknk084sn02q\n',
  '01890a5d-ac96-774b-bcce-b302099a8057',
])('%j is not a run id', (id) => {
  expect(fromWireId('run', id)).toBeUndefined()
})
