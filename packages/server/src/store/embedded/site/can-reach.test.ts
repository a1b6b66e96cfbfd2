// Who may go where, told from modes alone.
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { canReach } from './can-reach.ts'

const outer = realpathSync(mkdtempSync(join(tmpdir(), 'runwright-test-')))
const inner = join(outer, 'inner')
mkdirSync(inner)
afterAll(() => rmSync(outer, { recursive: true, force: true }))

const owner = { uid: statSync(outer).uid, gid: statSync(outer).gid }
const stranger = { uid: 54_321, gid: 54_321 }
const colleague = { uid: 54_321, gid: owner.gid }

test.each([
  [0o755, 0o755, { owner: true, colleague: true, stranger: true }],
  [0o700, 0o755, { owner: true, colleague: false, stranger: false }],
  [0o711, 0o755, { owner: true, colleague: true, stranger: true }],
  [0o755, 0o700, { owner: true, colleague: false, stranger: false }],
  [0o750, 0o755, { owner: true, colleague: true, stranger: false }],
])('mode %o above mode %o', (outerMode, innerMode, expected) => {
  chmodSync(outer, outerMode)
  chmodSync(inner, innerMode)
  const reached = {
    owner: canReach(inner, owner),
    colleague: canReach(inner, colleague),
    stranger: canReach(inner, stranger),
  }
  expect(reached).toEqual(expected)
})

test('the user of the process itself is not checked', () => {
  expect(canReach('/no/such/folder', undefined)).toBe(true)
})
