// The server as npm installs it: one package that contains all of Runwright and most of what it imports, next to the
// dependencies that it names.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, extname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { packServer } from '../../../scripts/pack-server.mjs'
import { type FreshDatabase, freshDatabase } from './support/database.ts'
import { untilEnded } from './support/engine.ts'
import { Caller } from './support/http.ts'
import { ServiceProcess, urlOf } from './support/processes.ts'

interface Manifest {
  readonly version: string
  readonly dependencies: Readonly<Record<string, string>>
  readonly optionalDependencies: Readonly<Record<string, string>>
}

const workspace = join(import.meta.dirname, '../../..')
let project: string
let installed: string
let size: number
let manifest: Manifest
let files: string[]
let database: FreshDatabase

beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), 'runwright-server-'))
  installed = join(project, 'node_modules/@runwright/server')
  const tarball = packServer({ to: project })
  size = statSync(tarball).size
  mkdirSync(installed, { recursive: true })
  execFileSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1'])
  manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  files = filesIn(installed)
  linkDependencies()
  database = await freshDatabase({ migrated: false })
})
afterAll(async () => {
  await database.drop()
  rmSync(project, { recursive: true })
})

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return entries.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
}

/** Stands in for the registry: the same versions are installed in the workspace. */
function linkDependencies(): void {
  for (const name of Object.keys(manifest.dependencies)) {
    const own = join(workspace, 'packages/server/node_modules', name)
    const link = join(project, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(existsSync(own) ? own : join(workspace, 'node_modules', name), link)
  }
}

test('contains what runs and nothing else, in less than 5 MB', () => {
  expect([...new Set(files.map((file) => file.split('/')[0]))].sort()).toEqual(
    ['LICENSE', 'README.md', 'bin', 'dist', 'package.json', 'sites'].sort(),
  )
  const code = files.filter((file) => /^(bin|dist)\//.test(file))
  expect([...new Set(code.map((file) => extname(file)))].sort()).toEqual(['.cjs', '.js', '.md', '.mjs', '.sql', '.txt'])
  expect(code.filter((file) => extname(file) === '.js' && dirname(file) !== 'dist/bundle')).toEqual([])
  expect(files.filter((file) => /\.test\.|(^|\/)\.|\/test\/|\.(key|pem|env)$/.test(file))).toEqual([])
  expect(size).toBeLessThan(5_000_000)
})

test('imports only what it contains or names as a dependency', () => {
  const named = [...Object.keys(manifest.dependencies), ...Object.keys(manifest.optionalDependencies)]
  const imported = files.filter((file) => /^dist\/.*\.m?js$/.test(file)).flatMap(packagesImportedBy)
  expect(imported).toEqual(expect.arrayContaining(['html-to-text', 'pino', 'quickjs-emscripten-core']))
  expect([...new Set(imported)].filter((name) => !named.includes(name))).toEqual([])
})

function packagesImportedBy(file: string): string[] {
  const code = readFileSync(join(installed, file), 'utf8')
  const statements = code.matchAll(/^(?:import|export) (?:[^'"\n]*? from )?['"]([^'"]+)['"]|\bimport\('([^']+)'\)/gm)
  const names = [...statements].map(([, statically, dynamically = '']) => statically ?? dynamically)
  return names
    .filter((name) => !/^(\.|node:)/.test(name) && !isBuiltin(name))
    .map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name)
}

const key = 'key_package:a-secret-of-the-test'
const environment = () => ({
  PATH: process.env.PATH ?? '',
  DATABASE_URL: urlOf(database.connection),
  RUNWRIGHT_DATA_DIR: join(project, 'data'),
  RUNWRIGHT_PORT: '0',
  RUNWRIGHT_BOOTSTRAP_KEYS: `acme=${key}`,
})

test('starts and serves the API, the console, the docs, the client and the command', async () => {
  const env = environment()
  const service = new ServiceProcess('start', env, project, join(installed, 'bin/runwright.mjs'))
  try {
    const { url } = await service.ready()
    const get = async (path: string) => {
      const response = await fetch(`${url}${path}`)
      return { status: response.status, body: Buffer.from(await response.arrayBuffer()) }
    }
    expect((await get('/health/ready')).status).toBe(200)
    expect((await get('/console')).body.toString()).toContain('<div id="root">')
    expect((await get('/docs/operations.html')).body.toString()).toContain('<h1')
    for (const name of ['client', 'cli']) {
      const packed = readFileSync(join(installed, `sites/${name}/runwright-${name}-${manifest.version}.tgz`))
      expect((await get(`/${name}.tgz`)).body).toEqual(packed)
    }
    expect(await service.stop()).toEqual({ code: 0, signal: null })
  } finally {
    await service.kill()
  }
})

test('compiles and checks output schemas on its threads, and ends although they are idle', async () => {
  const service = new ServiceProcess('start', environment(), project, join(installed, 'bin/runwright.mjs'))
  try {
    const { url } = await service.ready()
    const caller = new Caller(url, key)
    const played = (output: unknown, output_schema: object) => ({
      routing_hint: 'skip_planning',
      input: { output_schema, sandbox: { steps: [{ output }] } },
      metadata: {},
    })
    const schema = { type: 'object', properties: { code: { type: 'string', pattern: '^[A-Z]{3}$' } } }
    const refused = await caller.create(played({}, { type: 'nonsense' }))
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('schema is invalid')])
    for (const [code, end] of [
      ['ABC', 'run.worker.succeeded'],
      ['abc', 'run.worker.failed'],
    ] as const) {
      const { id } = await caller.newRun(played({ code }, schema))
      expect((await untilEnded(caller, id)).at(-1)?.type).toBe(end)
    }
    expect(await service.stop()).toEqual({ code: 0, signal: null })
  } finally {
    await service.kill()
  }
})
