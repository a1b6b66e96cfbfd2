// @ts-check
// Builds the packages if their sources have changed since the last build.
import { cpSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { lockName } from './setup-lock.mjs'
import { findStamp, hashOf, packageFolders, readJson, writeStamp } from './setup-stamps.mjs'
import { runNpm, runQuietly, step } from './setup-steps.mjs'

const clientFolder = 'packages/client'
const serverFolder = 'packages/server'
const compiled = ['packages/contract', clientFolder, serverFolder]
const consoleFolder = 'packages/console'
const docsFolder = 'packages/docs'
const rootFiles = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.base.json',
  'scripts/setup-build.mjs',
  'scripts/bundle-client.mjs',
  'scripts/bundle-server.mjs',
]
const notSources = new Set(['node_modules', 'dist', 'lib', 'test'])

/** @param {string} root */
const stampPath = (root) => join(root, serverFolder, 'dist/.build-stamp')

/** @param {string} root */
export function isBuilt(root) {
  const outputs = [...new Set([...compiled, ...ownBuilds(root)])]
  return (
    outputs.every((folder) => existsSync(join(root, folder, 'dist'))) && findStamp(stampPath(root)) === sourceHash(root)
  )
}

/**
 * @param {string} root
 * @param {{ clean: boolean }} options
 */
export async function build(root, { clean }) {
  const words = {
    doing: 'Building',
    done: 'Built',
    failed: 'The build failed: fix the errors above and try again.',
  }
  // Computed first, so that a file edited during the build counts as changed afterwards.
  const hash = sourceHash(root)
  rmSync(stampPath(root), { force: true })
  if (clean) removeOutputs(root)
  await step(words, async () => {
    await compile(root)
    copyAssets(root)
    for (const folder of ownBuilds(root)) await runNpm(['run', 'build'], { cwd: join(root, folder) })
  })
  writeStamp(stampPath(root), hash)
}

/**
 * Forced, because the compiler relies on file times, but this is called only if contents have changed.
 * @param {string} root
 */
function compile(root) {
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  return runQuietly([process.execPath, compiler, '-b', '--force', ...compiled], { cwd: root })
}

/**
 * Copies what the compiler does not handle: migrations, and the worker thread programs, which are plain JavaScript.
 * @param {string} root
 */
function copyAssets(root) {
  const from = join(root, serverFolder, 'src')
  const to = join(root, serverFolder, 'dist')
  // A migration that was removed from the sources must not stay in the build.
  rmSync(join(to, 'store/migrations'), { recursive: true, force: true })
  const isAsset = (/** @type {string} */ path) => /\.(sql|mjs|md)$/.test(path) || statSync(path).isDirectory()
  cpSync(from, to, { recursive: true, filter: isAsset })
}

/** @param {string} root */
function removeOutputs(root) {
  for (const folder of [...compiled, consoleFolder, docsFolder]) {
    const dist = join(root, folder, 'dist')
    const names = existsSync(dist) ? readdirSync(dist).filter((name) => name !== lockName) : []
    for (const name of names) rmSync(join(dist, name), { recursive: true, force: true })
  }
}

/**
 * The packages with a build of their own: the client is bundled for its users, the server for a quick start, the
 * console for browsers, and the docs are rendered.
 * @param {string} root
 */
function ownBuilds(root) {
  return [clientFolder, serverFolder, consoleFolder, docsFolder].filter(
    (folder) => readJson(join(root, folder, 'package.json'))?.scripts?.build !== undefined,
  )
}

/** @param {string} root */
function sourceHash(root) {
  const folders = [...packageFolders(root), 'docs'].filter((folder) => existsSync(join(root, folder)))
  const sources = folders.flatMap((folder) => sourcesIn(root, folder))
  return hashOf(root, [...rootFiles, ...sources])
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
