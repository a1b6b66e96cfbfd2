import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { FakeCheckout } from './fake-checkout.ts'
import { makeFakeCheckout } from './fake-checkout.ts'
import { holdsLockedPackages } from './setup-packages.mjs'

const a = { version: '1.0.0', integrity: 'sha512-a' }
const contract = { resolved: 'packages/contract', link: true }
let checkout: FakeCheckout

beforeEach(() => {
  checkout = makeFakeCheckout()
  record({ 'node_modules/a': a, 'node_modules/contract': contract })
  checkout.write('node_modules/a/package.json', '{ "version": "1.0.0" }')
})

afterEach(() => rmSync(dirname(checkout.root), { recursive: true, force: true }))

function lock(packages: object): void {
  checkout.write('package-lock.json', JSON.stringify({ packages }))
}

function record(packages: object): void {
  checkout.write('node_modules/.package-lock.json', JSON.stringify({ packages }))
}

test('an installation made by hand is recognized', () => {
  lock({ '': {}, 'node_modules/a': a, 'node_modules/contract': contract })
  expect(holdsLockedPackages(checkout.root)).toBe(true)
})

test.each([
  ['a package of another version', { 'node_modules/a': { ...a, version: '1.0.1' } }],
  ['a package with other contents', { 'node_modules/a': { ...a, integrity: 'sha512-b' } }],
  ['one more package', { 'node_modules/a': a, 'node_modules/b': a }],
  ['an optional package for this machine', { 'node_modules/b': { ...a, optional: true, os: [process.platform] } }],
  ['a dependency that no package.json names', { '': { dependencies: { a: '1.0.0' } }, 'node_modules/a': a }],
])('a lockfile with %s is not satisfied', (_, packages) => {
  lock(packages)
  expect(holdsLockedPackages(checkout.root)).toBe(false)
})

test.each([
  ['another system', { os: ['beos'] }],
  ['another processor', { os: [process.platform], cpu: ['z80'] }],
  ['another C library', { os: [process.platform], cpu: [process.arch], libc: ['other'] }],
  ['something that another optional package needs', {}],
])('an optional package for %s may be missing', (_, condition) => {
  lock({ 'node_modules/a': a, 'node_modules/b': { ...a, optional: true, ...condition } })
  expect(holdsLockedPackages(checkout.root)).toBe(true)
})

test('a record that does not match the package itself does not count', () => {
  lock({ 'node_modules/a': a })
  checkout.write('node_modules/a/package.json', '{ "version": "0.9.0" }')
  expect(holdsLockedPackages(checkout.root)).toBe(false)
})

test('an installation that npm did not finish does not count', () => {
  lock({ 'node_modules/a': a })
  checkout.remove('node_modules/.package-lock.json')
  expect(holdsLockedPackages(checkout.root)).toBe(false)
})
