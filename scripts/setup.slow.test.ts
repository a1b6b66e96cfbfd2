import { readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { FakeCheckout } from './fake-checkout.ts'
import { makeFakeCheckout } from './fake-checkout.ts'
import { checkNode } from './setup.mjs'

const allCompiled = ['contract', 'client', 'server'].map((name) => `-p packages/${name} --noCheck`)

let checkout: FakeCheckout

beforeEach(() => {
  checkout = makeFakeCheckout()
})

afterEach(() => rmSync(dirname(checkout.root), { recursive: true, force: true }))

test('a fresh checkout is installed and built, and says so', async () => {
  const { code, output } = await checkout.setUp()
  expect(code).toBe(0)
  expect(output.replace(/[\d.]+ s/g, 'N s')).toBe(
    'Installing packages (first start, about a minute)…\nInstalled packages in N s.\nBuilding…\nBuilt in N s.\n',
  )
  expect(checkout.callsOf('npm')).toEqual([expect.stringMatching(/^ci --omit=dev /)])
  expect(checkout.callsOf('tsc')).toEqual(allCompiled)
  expect(checkout.has('packages/server/dist/store/migrations/001.sql')).toBe(true)
  expect(checkout.has('packages/server/dist/.setup-lock')).toBe(false)
})

describe('a checkout that is ready', () => {
  beforeEach(async () => {
    expect(await checkout.setUp()).toMatchObject({ code: 0 })
  })

  test('is not changed, without any output', async () => {
    expect(await checkout.setUp()).toEqual({ code: 0, output: '' })
    expect([checkout.callsOf('npm').length, checkout.callsOf('tsc').length]).toEqual([1, 3])
  })

  test.each([
    ['packages/client/src/new.ts', allCompiled.slice(1)],
    ['packages/server/src/store/migrations/002.sql', allCompiled.slice(2)],
    ['packages/contract/src/index.ts', allCompiled],
    ['tsconfig.base.json', allCompiled],
  ])('is not installed when %s changes, and what is made from it is built', async (path, compiled) => {
    checkout.write(path, '{}')
    await checkout.setUp()
    expect(checkout.callsOf('npm')).toHaveLength(1)
    expect(checkout.callsOf('tsc').slice(3)).toEqual(compiled)
  })

  test('is not built again for a test', async () => {
    checkout.write('packages/client/src/new.test.ts', '')
    checkout.write('packages/server/test/scenario.ts', '')
    expect(await checkout.setUp()).toEqual({ code: 0, output: '' })
  })

  test('is installed again when the lockfile names another package', async () => {
    checkout.write('package-lock.json', '{ "packages": { "": {}, "node_modules/a": { "version": "1.0.0" } } }')
    const { output } = await checkout.setUp()
    expect(output).toContain('Installing packages (they have changed)…')
    expect(checkout.callsOf('npm')).toHaveLength(2)
  })

  test('is built again when a package has lost its output', async () => {
    checkout.remove('packages/contract/dist')
    await checkout.setUp()
    expect(checkout.has('packages/contract/dist/index.js')).toBe(true)
  })

  test('loses a migration that its sources no longer have', async () => {
    checkout.remove('packages/server/src/store/migrations/001.sql')
    checkout.write('packages/server/src/store/migrations/002.sql', '')
    await checkout.setUp()
    expect(checkout.has('packages/server/dist/store/migrations/001.sql')).toBe(false)
    expect(checkout.has('packages/server/dist/store/migrations/002.sql')).toBe(true)
  })

  test('is rebuilt from scratch on demand', async () => {
    checkout.write('packages/server/dist/left-over.js', '')
    await checkout.setUp({ forceBuild: true })
    expect(checkout.callsOf('tsc').slice(3)).toEqual(allCompiled.map((call) => call.replace(' --noCheck', '')))
    expect(checkout.has('packages/server/dist/left-over.js')).toBe(false)
    expect(await checkout.setUp()).toEqual({ code: 0, output: '' })
  })
})

test('what only tests need is added for the tests, and nothing that a running service uses is removed', async () => {
  const packages = { '': {}, 'node_modules/a': { version: '1.0.0' }, 'node_modules/b': { version: '1.0.0', dev: true } }
  checkout.write('package-lock.json', JSON.stringify({ packages }))
  await checkout.setUp()
  expect([checkout.has('node_modules/a'), checkout.has('node_modules/b')]).toEqual([true, false])
  const { output } = await checkout.setUp({ forTests: true })
  expect(output).toContain('Installing packages (first test run, about a minute)…')
  expect(checkout.callsOf('npm')[1]).toMatch(/^install --no-save --include=dev /)
  expect(checkout.has('node_modules/b')).toBe(true)
  expect(await checkout.setUp()).toEqual({ code: 0, output: '' })
  expect(await checkout.setUp({ forTests: true })).toEqual({ code: 0, output: '' })
})

test('what only tests need stays when the service is started with other packages', async () => {
  const packages = { '': {}, 'node_modules/b': { version: '1.0.0', dev: true } }
  checkout.write('package-lock.json', JSON.stringify({ packages }))
  await checkout.setUp({ forTests: true })
  checkout.write(
    'package-lock.json',
    JSON.stringify({ packages: { ...packages, 'node_modules/a': { version: '1.0.0' } } }),
  )
  const { output } = await checkout.setUp()
  expect(output).toContain('Installing packages (they have changed)…')
  expect([checkout.has('node_modules/a'), checkout.has('node_modules/b')]).toEqual([true, true])
})

test('packages that are independent of each other are built side by side', async () => {
  for (const name of ['console', 'docs'])
    checkout.write(`packages/${name}/package.json`, '{ "scripts": { "build": "meet the other one" } }')
  checkout.write('builds-meet', '')
  expect(await checkout.setUp()).toMatchObject({ code: 0 })
})

test('the console is built if it has a build script', async () => {
  checkout.write('packages/console/package.json', '{ "scripts": { "build": "vite build" } }')
  await checkout.setUp()
  expect(checkout.has('packages/console/dist')).toBe(true)
  expect(await checkout.setUp()).toEqual({ code: 0, output: '' })
})

test('an installation that fails ends with one sentence, and the next attempt starts over', async () => {
  checkout.write('no-network', '')
  const failed = await checkout.setUp({ forTests: true })
  expect(failed).toEqual({
    code: 1,
    output:
      'Installing packages (first test run, about a minute)…\n    the registry\n    cannot be reached\n' +
      'The packages could not be installed: see the output of npm above, check the network and try again.\n',
  })
  checkout.remove('no-network')
  expect(await checkout.setUp()).toMatchObject({ code: 0 })
})

test('a build that fails ends with one sentence, and the next attempt starts over', async () => {
  checkout.write('packages/client/src/index.ts', 'mistake')
  const failed = await checkout.setUp()
  expect(failed.code).toBe(1)
  expect(failed.output).toMatch(/Building…\n {4}packages\/client: there is a mistake\nThe build failed: .*\n$/)
  checkout.write('packages/client/src/index.ts', 'corrected')
  expect(await checkout.setUp()).toMatchObject({ code: 0 })
  expect(readFileSync(join(checkout.root, 'packages/client/dist/index.js'), 'utf8')).toBe('corrected')
})

test.skipIf(process.getuid?.() !== 0)(
  'files that root creates in another user’s checkout belong to that user',
  async () => {
    checkout.giveTo(12_345)
    await checkout.setUp()
    for (const path of [
      'node_modules/typescript/bin/tsc',
      'packages/server/dist/.build-stamp',
      'packages/client/dist',
    ]) {
      expect(statSync(join(checkout.root, path)).uid).toBe(12_345)
    }
  },
)

describe('the version of Node', () => {
  test.each(['20.19.0', '20.20.2', '22.0.0', '24.1.0'])('%s is new enough', (version) => {
    expect(() => checkNode(version)).not.toThrow()
  })

  test.each(['20.18.3', '18.20.0', '9.99.0'])('%s is refused in one sentence', (version) => {
    expect(() => checkNode(version)).toThrow(
      `Runwright requires Node 20.19 or newer, but this is Node ${version}. Install a newer version.`,
    )
  })
})
