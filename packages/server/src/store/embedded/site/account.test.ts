// The user that root runs the server as. Other users run it themselves.
import { chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { chooseAccount, isRoot } from './account.ts'

function newCheckout(): { checkout: string; choose: () => ReturnType<typeof chooseAccount> } {
  const checkout = mkdtempSync(join(tmpdir(), 'runwright-test-'))
  onTestFinished(() => rmSync(checkout, { recursive: true, force: true }))
  const dataDir = join(checkout, '.runwright')
  return { checkout, choose: () => chooseAccount(join(dataDir, 'postgres'), dataDir) }
}

// Every Unix has this one; its ids differ.
const daemon = { uid: 1, gid: 1 }

test.skipIf(isRoot())('an ordinary user runs it themselves', () => {
  expect(newCheckout().choose()).toBeUndefined()
})

const asRoot = test.skipIf(!isRoot())

asRoot("root's own checkout: an account of the host, never root", () => {
  expect(newCheckout().choose()?.uid).toBeGreaterThan(0)
})

asRoot("a user's checkout: its owner", () => {
  const { checkout, choose } = newCheckout()
  chownSync(checkout, daemon.uid, daemon.gid)
  expect(choose()).toEqual(daemon)
})

asRoot('an owner without a passwd entry can make no database: an account of the host', () => {
  const { checkout, choose } = newCheckout()
  chownSync(checkout, 54_321, 54_321)
  expect(choose()?.uid).not.toBe(54_321)
})

asRoot('an existing database: its owner, not that of the folders around it', () => {
  const { checkout, choose } = newCheckout()
  const cluster = join(checkout, '.runwright', 'postgres')
  mkdirSync(cluster, { recursive: true })
  chownSync(cluster, 54_321, 54_321)
  chownSync(checkout, daemon.uid, daemon.gid)
  expect(choose()).toEqual({ uid: 54_321, gid: 54_321 })
})
