// @ts-check
// Installs the packages of the lockfile if node_modules does not match it.
import { accessSync, constants, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { holdsLockedPackages } from './setup-packages.mjs'
import { findStamp, hashOf, packageFolders, readJson, writeStamp } from './setup-stamps.mjs'
import { runNpm, say, step } from './setup-steps.mjs'

// Packages installed for another Node or platform may not work here, even in the right versions.
const platform = `${process.versions.node.split('.')[0]} ${process.platform} ${process.arch}`

/** @param {string} root */
const stampPath = (root) => join(root, 'node_modules', '.cache', 'runwright', 'installed')

/** @param {string} root */
export function isInstalled(root) {
  const stamp = findStamp(stampPath(root))
  const wanted = wantedStamp(root)
  if (stamp === wanted) return true
  const samePlatform = stamp === undefined || stamp.startsWith(`${platform} `)
  if (!samePlatform || !holdsLockedPackages(root)) return false
  // npm was run by hand. In a read-only checkout the stamp cannot be written, so the next start compares again.
  writeStamp(stampPath(root), wanted)
  return true
}

/**
 * @param {string} root
 * @param {string} occasion
 */
export async function install(root, occasion) {
  // npm writes this file last, so an interrupted installation does not count.
  const wasInstalled = existsSync(join(root, 'node_modules/.package-lock.json'))
  const why = wasInstalled ? 'they have changed' : `${occasion}, about a minute`
  const words = {
    doing: `Installing packages (${why})`,
    done: 'Installed packages',
    failed: 'The packages could not be installed: see the output of npm above, check the network and try again.',
  }
  const wanted = wantedStamp(root)
  rmSync(stampPath(root), { force: true })
  await step(words, () => runNpmCi(root))
  writeStamp(stampPath(root), wanted)
}

/** @param {string} root */
async function runNpmCi(root) {
  const cache = scratchCacheIfNeeded()
  const env = cache === undefined ? process.env : { ...process.env, npm_config_cache: cache }
  try {
    const isNoise = fetchProgress(countLocked(root), (text) => say(`  ${text}`))
    await runNpm(['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=http'], { cwd: root, env, isNoise })
  } finally {
    if (cache !== undefined) rmSync(cache, { recursive: true, force: true })
  }
}

/** @param {string} root */
function countLocked(root) {
  const packages = readJson(join(root, 'package-lock.json'))?.packages ?? {}
  return Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link).length
}

/**
 * npm says nothing for a minute but a line for each package that it fetches, or finds in its cache. Not all of the
 * lockfile are for this platform.
 * @param {number} total
 * @param {(text: string) => void} tell
 * @returns {(line: string) => boolean} whether the line was one of them
 */
export function fetchProgress(total, tell) {
  let fetched = 0
  return (line) => {
    const words = /^npm http (?:fetch GET \d+|cache) (\S+)/.exec(line)
    if (words?.[1]?.endsWith('.tgz')) {
      fetched += 1
      if (fetched % progressEvery === 0) tell(`${fetched} of about ${total} packages`)
    }
    return words !== null
  }
}

const progressEvery = 100

/** npm needs a cache folder, and the default is in the home folder, which may be missing or read-only. */
function scratchCacheIfNeeded() {
  const usual = process.env.npm_config_cache ?? join(homedir(), '.npm')
  return isWritable(usual) ? undefined : mkdtempSync(join(tmpdir(), 'runwright-npm-'))
}

/**
 * @param {string} folder
 * @returns {boolean}
 */
function isWritable(folder) {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    // A missing folder can be created if its parent is writable.
    return !existsSync(folder) && dirname(folder) !== folder && isWritable(dirname(folder))
  }
}

/** @param {string} root */
function wantedStamp(root) {
  const manifests = packageFolders(root).map((folder) => join(folder, 'package.json'))
  return `${platform} ${hashOf(root, ['package-lock.json', 'package.json', ...manifests])}`
}
