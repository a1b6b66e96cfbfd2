import { expect, test } from 'vitest'
import { derivedWireId } from './derived-ids.ts'
import { fromWireId, newUuid } from './ids.ts'

test('the same parts give the same id, others another', () => {
  const run = newUuid()
  expect(derivedWireId('task', run, 'a')).toBe(derivedWireId('task', run, 'a'))
  expect(derivedWireId('task', run, 'a')).not.toBe(derivedWireId('task', run, 'b'))
  expect(derivedWireId('task', run, 'a', 'b')).not.toBe(derivedWireId('task', newUuid(), 'a', 'b'))
})

test('it is a UUIDv7 with the time of its run', () => {
  const run = newUuid()
  const uuid = fromWireId('call', derivedWireId('call', run, 'x'))
  expect(uuid?.slice(0, 13)).toBe(run.slice(0, 13))
  expect(uuid).toMatch(/^.{14}7.{4}[89ab]/)
})
