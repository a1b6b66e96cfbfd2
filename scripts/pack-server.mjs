// @ts-check
// `npm run pack`: packs the server, after a build, into one npm package that installs alone and prints where it is.
// The package is put together in a folder of its own: the bundle of the server, the files that the bundle reads, and
// the sites that the service serves.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isBundled } from './bundle-server.mjs'

const projectRoot = dirname(dirname(fileURLToPath(import.meta.url)))

/** What the bundle reads: migrations, prompts and worker programs. */
const asset = /\.(mjs|sql|md)$/

/**
 * Returns the path of the package.
 * @param {{ root?: string, to: string }} options
 */
export function packServer({ root = projectRoot, to }) {
  const folder = mkdtempSync(join(tmpdir(), 'runwright-pack-'))
  try {
    stageServer(root, folder)
    return npmPack(folder, to)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/**
 * Returns the path of the package. npm is quiet and its own checks of the network are off.
 * @param {string} folder
 * @param {string} to
 */
export function npmPack(folder, to) {
  mkdirSync(to, { recursive: true })
  const args = ['pack', '--json', '--offline', '--ignore-scripts', '--pack-destination', resolve(to)]
  const printed = execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  const [{ filename }] = JSON.parse(printed)
  return join(resolve(to), filename)
}

/** @param {string} root @param {string} to */
function stageServer(root, to) {
  const server = join(root, 'packages/server')
  for (const name of ['bin', 'README.md']) cpSync(join(server, name), join(to, name), { recursive: true })
  cpSync(join(root, 'LICENSE'), join(to, 'LICENSE'))
  copyAssets(join(server, 'dist'), join(to, 'dist'))
  cpSync(join(server, 'dist/bundle'), join(to, 'dist/bundle'), { recursive: true })
  for (const name of ['console', 'docs']) {
    // Without the stamp of the build.
    const filter = (/** @type {string} */ path) => !basename(path).startsWith('.')
    cpSync(join(root, 'packages', name, 'dist'), join(to, 'sites', name), { recursive: true, filter })
  }
  const manifest = readManifest(server)
  stagePackages(root, to, manifest.version)
  const { private: _, scripts: __, devDependencies: ___, dependencies, ...published } = manifest
  writeManifest(to, { ...published, dependencies: notBundled(dependencies) })
}

/** @param {Record<string, string>} dependencies */
const notBundled = (dependencies) =>
  Object.fromEntries(Object.entries(dependencies).filter(([name]) => !isBundled(name)))

/** What is served at `/client.tgz` and `/cli.tgz`. @param {string} root @param {string} to @param {string} version */
function stagePackages(root, to, version) {
  const folders = { client: 'packages/client/dist', cli: 'packages/server/dist/cli-package' }
  for (const [site, folder] of Object.entries(folders)) {
    const name = `runwright-${site}-${version}.tgz`
    cpSync(join(root, folder, name), join(to, 'sites', site, name))
  }
}

/** @param {string} from @param {string} to */
function copyAssets(from, to) {
  for (const name of readdirSync(from, { recursive: true, encoding: 'utf8' })) {
    if (asset.test(name)) cpSync(join(from, name), join(to, name))
  }
}

/** @param {string} folder */
const readManifest = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

/** @param {string} folder @param {object} manifest */
const writeManifest = (folder, manifest) =>
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { ensureReady, runScript } = await import('./setup.mjs')
  await runScript(async () => {
    await ensureReady()
    const path = packServer({ to: process.argv[2] ?? join(projectRoot, 'release') })
    console.log(`${path} (${(statSync(path).size / 1e6).toFixed(1)} MB)`)
  })
}
