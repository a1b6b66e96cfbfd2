// @ts-check
// `npm run pack`: packs the server, after a build, into one npm package that installs alone and prints where it is.
// npm cannot bundle packages of a workspace, because their links are in the node_modules of the root. So the package is
// put together in a folder of its own: the server, the packages it imports, and the sites that it serves.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const projectRoot = dirname(dirname(fileURLToPath(import.meta.url)))

/** What runs. Declarations, source maps and records of the build stay behind. */
const runnable = /\.(js|mjs|sql|md)$/

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
function npmPack(folder, to) {
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
  copyRunnable(join(server, 'dist'), join(to, 'dist'))
  for (const name of ['contract', 'client']) stageImported(join(root, 'packages', name), to)
  for (const name of ['console', 'docs']) {
    cpSync(join(root, 'packages', name, 'dist'), join(to, 'sites', name), { recursive: true })
  }
  const manifest = readManifest(server)
  stageClientPackage(root, to, manifest.version)
  const { private: _, devDependencies: __, ...published } = manifest
  writeManifest(to, { ...published, bundleDependencies: ['@runwright/client', '@runwright/contract'] })
}

/** A package that the server imports. @param {string} from @param {string} to */
function stageImported(from, to) {
  const manifest = readManifest(from)
  const folder = join(to, 'node_modules', manifest.name)
  for (const name of manifest.files) copyRunnable(join(from, name), join(folder, name))
  writeManifest(folder, manifest)
}

/** The client as `/client.tgz`. @param {string} root @param {string} to @param {string} version */
function stageClientPackage(root, to, version) {
  const name = `runwright-client-${version}.tgz`
  cpSync(join(root, 'packages/client/dist', name), join(to, 'sites/client', name))
}

/** @param {string} from @param {string} to */
function copyRunnable(from, to) {
  cpSync(from, to, { recursive: true, filter: (path) => statSync(path).isDirectory() || runnable.test(path) })
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
