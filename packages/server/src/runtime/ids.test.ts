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

test('a new UUID is of version 7 and tells the time', () => {
  const uuid = newUuid()
  expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(Math.abs(Number.parseInt(uuid.slice(0, 13).replace('-', ''), 16) - Date.now())).toBeLessThan(1_000)
})

test('ids made one after another sort in that order', () => {
  const ids = Array.from({ length: 20_000 }, () => toWireId('run', newUuid()))
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(ids).size).toBe(ids.length)
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
])('%j is no run id', (id) => {
  expect(fromWireId('run', id)).toBeUndefined()
})
