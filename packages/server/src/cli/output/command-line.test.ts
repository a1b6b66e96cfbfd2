import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  commandLine,
  exampleLine,
  findCommand,
  findOriginOfPackage,
  installedCommandLine,
  type Place,
} from './command-line.ts'

let root: string

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'runwright-command-')))
})
afterEach(() => rmSync(root, { recursive: true }))

const write = (path: string, text = ''): string => {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}

/** A package with the command in it. */
function packageIn(path: string, name = '@runwright/server'): string {
  write(`${path}/bin/runwright.mjs`)
  write(`${path}/package.json`, JSON.stringify({ name }))
  return join(root, path)
}

const placeAt = (place: Partial<Place> & Pick<Place, 'packageFolder'>): Place => ({
  currentFolder: root,
  programFolders: ['/opt/node/bin'],
  node: '/opt/node/bin/node',
  ...place,
})
const at = (place: Parameters<typeof placeAt>[0]): string => findCommand(placeAt(place))

test('in the root of a checkout, npm runs it', () => {
  const packageFolder = packageIn('checkout/packages/server')
  write('checkout/scripts/setup.mjs')
  const program = join(packageFolder, 'bin/runwright.mjs')
  expect(at({ packageFolder, currentFolder: join(root, 'checkout') })).toBe('npm run -s runwright --')
  expect(at({ packageFolder, currentFolder: join(root, 'checkout/packages') })).toBe(`node ${program}`)
})

test('a program that PATH finds has its plain name, unless it is another one or PATH is that of npm', () => {
  const packageFolder = packageIn('lib/node_modules/@runwright/server')
  const program = join(packageFolder, 'bin/runwright.mjs')
  for (const folder of ['bin', 'project/node_modules/.bin']) {
    mkdirSync(join(root, folder), { recursive: true })
    symlinkSync(program, join(root, folder, 'runwright'))
  }
  write('other/runwright')
  const inFolders = (...names: string[]) =>
    at({ packageFolder, programFolders: ['/opt/node/bin', ...names.map((name) => join(root, name))] })
  expect(inFolders('bin')).toBe('runwright')
  expect(inFolders('other', 'bin')).toBe(`node ${program}`)
  expect(inFolders('project/node_modules/.bin')).toBe(`node ${program}`)
})

test('in a project that has the package, npx runs it and fetches nothing', () => {
  const packageFolder = packageIn('project/node_modules/@runwright/server')
  expect(at({ packageFolder, currentFolder: join(root, 'project') })).toBe('npx --no runwright')
})

test('a package that npx has fetched from a service is fetched from there again', () => {
  const packageFolder = packageIn('.npm/_npx/1a2b/node_modules/@runwright/cli', '@runwright/cli')
  const asked = 'http://127.0.0.1:8080/cli.tgz'
  write('.npm/_npx/1a2b/package.json', JSON.stringify({ _npx: { packages: [asked] } }))
  expect(at({ packageFolder })).toBe(`npx -y ${asked}`)
  expect(findOriginOfPackage(placeAt({ packageFolder }))).toBe('http://127.0.0.1:8080')
  const where = 'runwright start on the machine of the service'
  expect(installedCommandLine('start', placeAt({ packageFolder }))).toBe(where)
})

test('otherwise Node runs the file, by paths that a shell reads as one word', () => {
  const packageFolder = packageIn('my programs/server')
  const program = join(packageFolder, 'bin/runwright.mjs')
  expect(at({ packageFolder, node: '/nodejs/bin/node' })).toBe(`/nodejs/bin/node "${program}"`)
})

test('examples begin with the command as it is written here', () => {
  const here = commandLine('list')
  expect(here).toMatch(/\S list$/)
  const command = here.replace(/ list$/, '')
  expect(exampleLine('id=$(runwright run "runwright" --detach) && runwright watch "$id"')).toBe(
    `id=$(${command} run "runwright" --detach) && ${command} watch "$id"`,
  )
  expect(exampleLine('cat a.json | runwright run --input -')).toBe(`cat a.json | ${command} run --input -`)
  expect(exampleLine('DATABASE_URL=postgres://… runwright migrate')).toBe(
    `DATABASE_URL=postgres://… ${command} migrate`,
  )
})
