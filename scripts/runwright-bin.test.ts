import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'runwright-bin-'))
  mkdirSync(join(folder, 'bin'))
  copyFileSync(new URL('../packages/server/bin/runwright.mjs', import.meta.url), join(folder, 'bin/runwright.mjs'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

function runwright(...args: string[]) {
  return spawnSync(process.execPath, [join(folder, 'bin/runwright.mjs'), ...args], { encoding: 'utf8' })
}

test('without a build the command says what to do', () => {
  expect(runwright('start')).toMatchObject({
    status: 1,
    stdout: '',
    stderr: 'Runwright is not built yet: run npm run build first.\n',
  })
})

/** Writes an entry that prints where it is and what it was called with. */
function build(name: string, at: Date): void {
  const file = join(folder, 'dist', name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(join(folder, 'dist/package.json'), '{ "type": "module" }')
  writeFileSync(file, `export const main = async (args) => console.log('${name}', args.join())`)
  utimesSync(file, at, at)
}

const earlier = new Date('2026-01-01T00:00:00Z')
const later = new Date('2026-01-01T00:00:01Z')

test('with a build the command runs the bundle and passes on its arguments', () => {
  build('.tsbuildinfo', earlier)
  build('cli/main.js', earlier)
  build('bundle/main.js', later)
  expect(runwright('keys', 'list')).toMatchObject({ status: 0, stdout: 'bundle/main.js keys,list\n' })
})

test('a bundle that is older than the compiled code is not used', () => {
  build('bundle/main.js', earlier)
  build('.tsbuildinfo', later)
  build('cli/main.js', later)
  expect(runwright('keys', 'list')).toMatchObject({ status: 0, stdout: 'cli/main.js keys,list\n' })
})

test('a package that contains only the bundle runs it', () => {
  build('bundle/main.js', earlier)
  expect(runwright('--version')).toMatchObject({ status: 0, stdout: 'bundle/main.js --version\n' })
})
