// @ts-check
// Builds the packages whose sources, or those of the packages they use, have changed since the last build.
import { cpSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { lockName } from './setup-lock.mjs'
import { findStamp, hashOf, readJson, writeStamp } from './setup-stamps.mjs'
import { runNpm, runQuietly, step } from './setup-steps.mjs'

/** @typedef {{ folder: string, from: string[], isCompiled?: boolean }} Package */

const contract = 'packages/contract'
const client = 'packages/client'
const server = 'packages/server'

/**
 * What each is built from, in the order of the build. Besides the compiler, a package may have a build of its own: the
 * client is bundled for its users, the server for a quick start, the console for browsers, and the docs are rendered.
 * @type {Package[]}
 */
const packages = [
  { folder: contract, from: [contract], isCompiled: true },
  { folder: client, from: [contract, client], isCompiled: true },
  { folder: server, from: [contract, client, server], isCompiled: true },
  { folder: 'packages/console', from: [contract, client, 'packages/console'] },
  { folder: 'packages/docs', from: [contract, 'packages/docs', 'docs'] },
]

/** What every build depends on. */
const rootFiles = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.base.json',
  'scripts/setup-build.mjs',
  'scripts/bundle-cli.mjs',
  'scripts/bundle-client.mjs',
  'scripts/bundle-server.mjs',
  'scripts/licenses.mjs',
]
const notSources = new Set(['node_modules', 'dist', 'lib', 'test'])

/** @param {string} root @param {Package} unit */
const stampPath = (root, { folder }) => join(root, folder, 'dist/.build-stamp')

/** @param {string} root */
export function isBuilt(root) {
  return changedPackages(root).length === 0
}

/** @param {string} root @returns {Package[]} */
function changedPackages(root) {
  return packages
    .filter((unit) => unit.isCompiled || hasOwnBuild(root, unit))
    .filter((unit) => findStamp(stampPath(root, unit)) !== sourceHash(root, unit))
}

/**
 * @param {string} root
 * @param {{ fromScratch: boolean }} options `fromScratch` also checks the types, for a developer who asks for a build
 */
export async function build(root, { fromScratch }) {
  const words = {
    doing: 'Building',
    done: 'Built',
    failed: 'The build failed: fix the errors above and try again.',
  }
  if (fromScratch) removeOutputs(root)
  await step(words, async () => {
    const changed = changedPackages(root)
    for (const unit of changed.filter(isUsedByOthers)) await buildPackage(root, unit, fromScratch)
    const others = changed.filter((unit) => !isUsedByOthers(unit))
    const built = await Promise.allSettled(others.map((unit) => buildPackage(root, unit, fromScratch)))
    for (const result of built) if (result.status === 'rejected') throw result.reason
  })
}

/** @param {Package} unit */
const isUsedByOthers = ({ folder }) => packages.some((unit) => unit.folder !== folder && unit.from.includes(folder))

/** @param {string} root @param {Package} unit @param {boolean} withTypes */
async function buildPackage(root, unit, withTypes) {
  // Computed first, so that a file edited during the build counts as changed afterwards.
  const hash = sourceHash(root, unit)
  rmSync(stampPath(root, unit), { force: true })
  if (unit.isCompiled) await compile(root, unit, withTypes)
  if (unit.folder === server) copyAssets(root)
  if (hasOwnBuild(root, unit)) await runNpm(['run', 'build'], { cwd: join(root, unit.folder) })
  writeStamp(stampPath(root, unit), hash)
}

/**
 * Not with `-b`, which relies on file times. So the compiler compares contents with its last build, and compiles what
 * has changed. A start does not check the types, which takes most of the time: `npm test` does.
 * @param {string} root
 * @param {Package} unit
 * @param {boolean} withTypes
 */
function compile(root, { folder }, withTypes) {
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  return runQuietly([process.execPath, compiler, '-p', folder, ...(withTypes ? [] : ['--noCheck'])], { cwd: root })
}

/**
 * Copies what the compiler does not handle: migrations, and the worker thread programs, which are plain JavaScript.
 * @param {string} root
 */
function copyAssets(root) {
  const from = join(root, server, 'src')
  const to = join(root, server, 'dist')
  // A migration that was removed from the sources must not stay in the build.
  rmSync(join(to, 'store/migrations'), { recursive: true, force: true })
  const isAsset = (/** @type {string} */ path) => /\.(sql|mjs|md)$/.test(path) || statSync(path).isDirectory()
  cpSync(from, to, { recursive: true, filter: isAsset })
}

/** @param {string} root */
function removeOutputs(root) {
  for (const { folder } of packages) {
    const dist = join(root, folder, 'dist')
    const names = existsSync(dist) ? readdirSync(dist).filter((name) => name !== lockName) : []
    for (const name of names) rmSync(join(dist, name), { recursive: true, force: true })
  }
}

/** @param {string} root @param {Package} unit */
function hasOwnBuild(root, { folder }) {
  return readJson(join(root, folder, 'package.json'))?.scripts?.build !== undefined
}

/** @param {string} root @param {Package} unit */
function sourceHash(root, { from }) {
  const folders = from.filter((folder) => existsSync(join(root, folder)))
  return hashOf(root, [...rootFiles, ...folders.flatMap((folder) => sourcesIn(root, folder))])
}

/**
 * @param {string} root
 * @param {string} folder
 * @returns {string[]}
 */
function sourcesIn(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') && !notSources.has(name) && !/\.test\.tsx?$/.test(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`
      return entry.isDirectory() ? sourcesIn(root, path) : [path]
    })
}
