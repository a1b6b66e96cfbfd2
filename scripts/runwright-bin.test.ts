import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

test('with a build the command passes on its arguments', () => {
  mkdirSync(join(folder, 'dist/cli'), { recursive: true })
  writeFileSync(join(folder, 'dist/package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'dist/cli/main.js'), 'export const main = async (args) => console.log(args.join())')
  expect(runwright('keys', 'list')).toMatchObject({ status: 0, stdout: 'keys,list\n' })
})
