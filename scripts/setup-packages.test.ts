import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { FakeCheckout } from './fake-checkout.ts'
import { makeFakeCheckout } from './fake-checkout.ts'
import { projectRoot } from './setup.mjs'
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
  expect(holdsLockedPackages(checkout.root, { forTests: true })).toBe(true)
})

test.each([
  ['a package of another version', { 'node_modules/a': { ...a, version: '1.0.1' } }],
  ['a package with other contents', { 'node_modules/a': { ...a, integrity: 'sha512-b' } }],
  ['one more package', { 'node_modules/a': a, 'node_modules/b': a }],
  ['an optional package for this machine', { 'node_modules/b': { ...a, optional: true, os: [process.platform] } }],
  ['a dependency that no package.json names', { '': { dependencies: { a: '1.0.0' } }, 'node_modules/a': a }],
])('a lockfile with %s is not satisfied', (_, packages) => {
  lock(packages)
  expect(holdsLockedPackages(checkout.root, { forTests: true })).toBe(false)
})

test('what only tests need may be missing for a start, and not for tests', () => {
  lock({ 'node_modules/a': a, 'node_modules/b': { ...a, dev: true } })
  expect(holdsLockedPackages(checkout.root, { forTests: false })).toBe(true)
  expect(holdsLockedPackages(checkout.root, { forTests: true })).toBe(false)
})

test.each([
  ['another system', { os: ['beos'] }],
  ['another processor', { os: [process.platform], cpu: ['z80'] }],
  ['another C library', { os: [process.platform], cpu: [process.arch], libc: ['other'] }],
  ['something that another optional package needs', {}],
])('an optional package for %s may be missing', (_, condition) => {
  lock({ 'node_modules/a': a, 'node_modules/b': { ...a, optional: true, ...condition } })
  expect(holdsLockedPackages(checkout.root, { forTests: true })).toBe(true)
})

test('a record that does not match the package itself does not count', () => {
  lock({ 'node_modules/a': a })
  checkout.write('node_modules/a/package.json', '{ "version": "0.9.0" }')
  expect(holdsLockedPackages(checkout.root, { forTests: true })).toBe(false)
})

test('an installation that npm did not finish does not count', () => {
  lock({ 'node_modules/a': a })
  checkout.remove('node_modules/.package-lock.json')
  expect(holdsLockedPackages(checkout.root, { forTests: true })).toBe(false)
})

test('what sources and builds import is installed for a start, too', () => {
  const locked = JSON.parse(readFileSync(join(projectRoot, 'package-lock.json'), 'utf8')).packages
  const isOnlyForTests = (path: string, name: string): boolean => {
    const own = locked[`${path.split('/').slice(0, 2).join('/')}/node_modules/${name}`]
    return (own ?? locked[`node_modules/${name}`])?.dev === true
  }
  const imports = programs().flatMap((path) => packagesIn(path).map((name) => [path, name] as const))
  expect(imports.length).toBeGreaterThan(100)
  expect(imports.filter(([path, name]) => isOnlyForTests(path, name))).toEqual([])
})

const programs = (): string[] =>
  ['packages/console', 'packages/docs/build', 'packages/server/src', 'packages/client/src', 'scripts']
    .flatMap((folder) =>
      readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
    )
    .filter((path) => /^(?:packages|scripts\/bundle-).*\.(?:[mc]?[jt]sx?|css)$/.test(path))
    .filter((path) => !/node_modules|\/(?:dist|lib|test)\/|\.test\./.test(path))

const packagesIn = (path: string): string[] =>
  [...readFileSync(join(projectRoot, path), 'utf8').matchAll(importPattern)].map(([, name = '']) => name)

const importPattern = /(?:from|^import|@import|import\() ?['"]((?:@[\w-]+\/)?[\w-][\w.-]*)(?=[/'"])/gm
