import type { Tool } from '@runwright/contract'
import { expect, test } from 'vitest'
import { isGraveTool } from './use-is-grave.ts'

const tool = (effect: Tool['effect'], sends_out: boolean | null) =>
  ({ effect, exposure: sends_out === null ? null : { sends_out } }) as Tool

test.each([
  ['a call that must not be repeated', tool('once', false), true],
  ['a call that sends data out', tool('idempotent', true), true],
  ['a read that sends data out', tool('read', true), true],
  ['a call whose effect depends on its arguments', tool(null, false), true],
  ['a call whose exposure is not known', tool('read', null), true],
  ['a tool that the service does not list', undefined, true],
  ['a call that only reads', tool('read', false), false],
  ['a call that can be repeated', tool('idempotent', false), false],
])('%s', (_, of, isGrave) => {
  expect(isGraveTool(of)).toBe(isGrave)
})
