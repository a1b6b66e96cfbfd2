// A minimal checkout for the tests of the setup: its npm and compiler only record that they were called.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'

const setup = JSON.stringify(new URL('./setup.mjs', import.meta.url).href)

// `npm ci` and `npm install` install the compiler and the packages of the lockfile; those for tests only with
// `--include=dev`. A file `no-network` makes them fail, a file `slow-network` makes them take a minute.
const npm = `
const fs = require('node:fs')
const root = __dirname + '/root/'
fs.appendFileSync(root + 'npm.log', process.argv.slice(2).join(' ') + '\\n')
fs.writeFileSync(root + 'npm.pid', String(process.pid))
if (fs.existsSync(root + 'no-network')) { console.log('the registry\\ncannot be reached'); process.exit(1) }
if (fs.existsSync(root + 'slow-network')) setTimeout(() => {}, 60_000)
else if (['ci', 'install'].includes(process.argv[2])) {
  if (process.argv[2] === 'ci') fs.rmSync('node_modules', { recursive: true, force: true })
  fs.mkdirSync('node_modules/typescript/bin', { recursive: true })
  fs.copyFileSync(__dirname + '/tsc.cjs', 'node_modules/typescript/bin/tsc')
  const { packages } = JSON.parse(fs.readFileSync('package-lock.json'))
  const isWanted = ([, { dev }]) => !dev || process.argv.includes('--include=dev')
  const installed = Object.fromEntries(Object.entries(packages).filter(isWanted))
  for (const [path, { version }] of Object.entries(installed)) {
    if (path === '') continue
    fs.mkdirSync(path, { recursive: true })
    fs.writeFileSync(path + '/package.json', JSON.stringify({ version }))
  }
  fs.writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages: installed }))
} else if (fs.existsSync(root + 'builds-meet')) {
  // Each build ends when both have begun.
  fs.mkdirSync('dist', { recursive: true })
  const begun = () => ['console', 'docs'].every((name) => fs.existsSync(root + 'packages/' + name + '/dist'))
  const watchers = ['console', 'docs'].map((name) => fs.watch(root + 'packages/' + name, look))
  function look() { if (begun()) for (const watcher of watchers) watcher.close() }
  look()
} else fs.mkdirSync('dist', { recursive: true })
`

const compiler = `
const fs = require('node:fs')
fs.appendFileSync('tsc.log', process.argv.slice(2).join(' ') + '\\n')
const folders = process.argv.slice(2).filter((argument) => argument.startsWith('packages/'))
for (const folder of folders) {
  const source = fs.readFileSync(folder + '/src/index.ts', 'utf8')
  if (source.includes('mistake')) { console.log(folder + ': there is a mistake'); process.exit(2) }
  fs.mkdirSync(folder + '/dist', { recursive: true })
  fs.writeFileSync(folder + '/dist/index.js', source)
}
`

export interface FakeCheckout {
  readonly root: string
  write(path: string, content: string): void
  remove(path: string): void
  has(path: string): boolean
  giveTo(userId: number): void
  /** What npm or the compiler was called with, one entry a call. */
  callsOf(program: 'npm' | 'tsc'): string[]
  /** Runs `ensureReady` in a separate process. */
  start(options?: object): SetupProcess
  setUp(options?: object): Promise<{ code: number | null; output: string }>
}

export type SetupProcess = ReturnType<typeof startSetup>

export function makeFakeCheckout(): FakeCheckout {
  const folder = mkdtempSync(join(tmpdir(), 'checkout-'))
  const root = join(folder, 'root')
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  for (const [path, content] of Object.entries(filesOfCheckout)) write(path, content)
  return {
    root,
    write,
    remove: (path) => rmSync(join(root, path), { recursive: true, force: true }),
    giveTo: (userId) => chownSync(root, userId, userId),
    has: (path) => existsSync(join(root, path)),
    callsOf: (program) => linesOf(join(root, `${program}.log`)),
    start: (options) => startSetup(folder, options),
    setUp: async (options) => finish(startSetup(folder, options)),
  }
}

const filesOfCheckout = {
  '../npm-cli.js': npm,
  '../tsc.cjs': compiler,
  'package.json': '{ "workspaces": ["packages/contract", "packages/client", "packages/server"] }',
  'package-lock.json': '{ "packages": { "": {} } }',
  'packages/contract/package.json': '{}',
  'packages/contract/src/index.ts': 'contract',
  'packages/client/package.json': '{}',
  'packages/client/src/index.ts': 'client',
  'packages/server/package.json': '{}',
  'packages/server/src/index.ts': 'server',
  'packages/server/src/store/migrations/001.sql': 'select 1;',
}

function startSetup(folder: string, options: object = {}) {
  const given = JSON.stringify({ root: join(folder, 'root'), ...options })
  const script = `import { ensureReady, runScript } from ${setup}; await runScript(() => ensureReady(${given}))`
  const env = { ...process.env, npm_execpath: join(folder, 'npm-cli.js') }
  return spawn(process.execPath, ['--input-type=module', '-e', script], { env, stdio: ['ignore', 'ignore', 'pipe'] })
}

export async function finish(child: SetupProcess): Promise<{ code: number | null; output: string }> {
  const [output, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
  return { code, output }
}

function linesOf(path: string): string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []
}
