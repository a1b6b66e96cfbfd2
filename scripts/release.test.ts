import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checksumsOf, parseArguments, release } from './release.mjs'
import { readManifests, versionProblems } from './release-checks.mjs'
import { sbomCommand, serverBill } from './release-sbom.mjs'

const root = fileURLToPath(new URL('../', import.meta.url))
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'runwright-release-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const [program = '', ...args] = sbomCommand
const billOfLockfile = execFileSync(program, args, { cwd: root, encoding: 'utf8', maxBuffer: 64e6, stdio: 'pipe' })

const sha256 = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex')

/** Records what it is asked to run, and runs nothing. */
function recordingShell({ status = '' } = {}) {
  const ran: string[] = []
  const read = (command: string[]) => (command[0] === 'git' ? status : billOfLockfile)
  return { ran, shell: { read, say: () => undefined, run: (command: string[]) => void ran.push(command.join(' ')) } }
}

/** Instead of npm: packages/server/test/package.slow.test.ts packs. */
const pack = () =>
  ['client.tgz', 'server.tgz'].map((name) => {
    writeFileSync(join(folder, name), name)
    return join(folder, name)
  })

test.each([[[]], [['--publish', '--dry-run']], [['--force']]])('the arguments %j are refused', (given) => {
  expect(() => parseArguments(given)).toThrow('Usage: npm run release -- --dry-run | --publish')
})

test('a dry run builds, tests and writes the files, and publishes nothing', () => {
  const { ran, shell } = recordingShell()
  release({ ...parseArguments(['--dry-run']), root, folder, shell, pack })
  expect(ran).toEqual(['npm run build', 'npm run test:all'])
  const [{ version = '' } = {}] = readManifests(root)
  const files = ['SHA256SUMS', 'client.tgz', `runwright-server-${version}.cdx.json`, 'server.tgz']
  expect(readdirSync(folder).sort()).toEqual(files)
  const sums = readFileSync(join(folder, 'SHA256SUMS'), 'utf8').trimEnd().split('\n')
  expect(sums.map((line) => line.slice(66))).toEqual(files.slice(1))
  expect(sums.map((line) => line.slice(0, 66))).toEqual(sums.map((line) => `${sha256(join(folder, line.slice(66)))}  `))
})

test('publishing is the last step, with provenance', () => {
  const { ran, shell } = recordingShell()
  release({ ...parseArguments(['--publish']), root, folder, shell, pack })
  expect(ran).toEqual([
    'npm run build',
    'npm run test:all',
    `npm publish ${join(folder, 'client.tgz')} --access public --provenance`,
    `npm publish ${join(folder, 'server.tgz')} --access public --provenance`,
  ])
})

test('a checkout with changes is not released, and nothing runs', () => {
  const { ran, shell } = recordingShell({ status: ' M README.md\n' })
  expect(() => release({ publish: true, root, folder, shell })).toThrow(/not committed.*\n M README\.md$/)
  expect(ran).toEqual([])
})

describe('versions', () => {
  const names = ['package.json', 'clients/python/pyproject.toml', 'packages/server/package.json']

  test('are equal in this checkout', () => {
    expect(versionProblems(root)).toEqual([])
  })

  test('each that differs is named', () => {
    const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    for (const name of [...names, ...workspaces.map((each: string) => `${each}/package.json`)]) {
      cpSync(join(root, name), join(folder, name))
    }
    for (const name of names.slice(1)) {
      const text = readFileSync(join(folder, name), 'utf8').replaceAll(/"0\.1\.0"/g, '"0.9.9"')
      writeFileSync(join(folder, name), text)
    }
    expect(versionProblems(folder)).toEqual([
      '@runwright/server has version 0.9.9, but package.json has 0.1.0.',
      '@runwright/server, dependency @runwright/client has version 0.9.9, but package.json has 0.1.0.',
      '@runwright/server, dependency @runwright/contract has version 0.9.9, but package.json has 0.1.0.',
      'clients/python has version 0.9.9, but package.json has 0.1.0.',
    ])
  })
})

describe('the bill of materials', () => {
  const bill = serverBill(JSON.parse(billOfLockfile), readManifests(root))
  const refs = bill.components.map((component) => component['bom-ref'])
  const manifest = JSON.parse(readFileSync(join(root, 'packages/server/package.json'), 'utf8'))

  test('is that of the server, with all its dependencies on all platforms', () => {
    expect(bill.metadata.component.name).toBe('@runwright/server')
    const named = Object.entries({ ...manifest.dependencies, ...manifest.optionalDependencies })
    expect(refs).toEqual(expect.arrayContaining(named.map(([name, version]) => `${name}@${version}`)))
    expect(refs.some((ref) => ref.startsWith('pg-protocol@'))).toBe(true)
  })

  test('has no development dependency, and no reference that leads nowhere', () => {
    const names = refs.map((ref) => ref.slice(0, ref.lastIndexOf('@')))
    expect(names.filter((name) => Object.hasOwn(manifest.devDependencies, name))).toEqual([])
    expect(names).not.toContain('vitest')
    const known = new Set([...refs, bill.metadata.component['bom-ref']])
    expect(
      bill.dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn]).filter((ref) => !known.has(ref)),
    ).toEqual([])
  })
})

test('checksums are in the order of the names', () => {
  writeFileSync(join(folder, 'b'), 'b')
  writeFileSync(join(folder, 'a'), '')
  expect(checksumsOf(folder).split('\n')[0]).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a')
})
