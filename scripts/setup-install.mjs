// @ts-check
// Installs the packages of the lockfile if node_modules does not match it. A start needs only the dependencies of the
// workspace, which build and run the service. The development dependencies are for tests and checks.
import { accessSync, constants, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { holdsDevelopmentPackages, holdsLockedPackages } from './setup-packages.mjs'
import { findStamp, hashOf, packageFolders, readJson, writeStamp } from './setup-stamps.mjs'
import { runNpm, say, step } from './setup-steps.mjs'

// Packages installed for another Node or platform may not work here, even in the right versions.
const platform = `${process.versions.node.split('.')[0]} ${process.platform} ${process.arch}`

/** @param {string} root */
const stampPath = (root) => join(root, 'node_modules', '.cache', 'runwright', 'installed')

/** @typedef {{ forTests: boolean }} Purpose */

/** @param {string} root @param {Purpose} purpose */
export function isInstalled(root, { forTests }) {
  const stamp = findStamp(stampPath(root))
  if (stamp === wantedStamp(root, { forTests: true })) return true
  const wanted = wantedStamp(root, { forTests })
  if (stamp === wanted) return true
  const samePlatform = stamp === undefined || stamp.startsWith(`${platform} `)
  if (!samePlatform || !holdsLockedPackages(root, { forTests })) return false
  // npm was run by hand. In a read-only checkout the stamp cannot be written, so the next start compares again.
  writeStamp(stampPath(root), wanted)
  return true
}

/** @param {string} root @param {Purpose} purpose */
export async function install(root, purpose) {
  // A developer who pulls changes and starts the service keeps what tests and checks need.
  const forTests = purpose.forTests || holdsDevelopmentPackages(root)
  // A service may run from this checkout: nothing that it uses is removed.
  const isAddition = forTests && isInstalled(root, { forTests: false })
  // npm writes this file last, so an interrupted installation does not count.
  const wasInstalled = existsSync(join(root, 'node_modules/.package-lock.json'))
  const occasion = purpose.forTests ? 'first test run' : 'first start'
  const why = isAddition || !wasInstalled ? `${occasion}, about a minute` : 'they have changed'
  const words = {
    doing: `Installing packages (${why})`,
    done: 'Installed packages',
    failed: 'The packages could not be installed: see the output of npm above, check the network and try again.',
  }
  const wanted = wantedStamp(root, { forTests })
  rmSync(stampPath(root), { force: true })
  const command = isAddition ? ['install', '--no-save'] : ['ci']
  await step(words, () => runInstallation(root, [...command, forTests ? '--include=dev' : '--omit=dev'], { forTests }))
  writeStamp(stampPath(root), wanted)
}

/** @param {string} root @param {string[]} command @param {Purpose} purpose */
async function runInstallation(root, command, purpose) {
  const cache = scratchCacheIfNeeded()
  const env = cache === undefined ? process.env : { ...process.env, npm_config_cache: cache }
  try {
    const isNoise = fetchProgress(countLocked(root, purpose), (text) => say(`  ${text}`))
    await runNpm([...command, '--no-audit', '--no-fund', '--loglevel=http'], { cwd: root, env, isNoise })
  } finally {
    if (cache !== undefined) rmSync(cache, { recursive: true, force: true })
  }
}

/** @param {string} root @param {Purpose} purpose */
function countLocked(root, { forTests }) {
  const packages = readJson(join(root, 'package-lock.json'))?.packages ?? {}
  const wanted = Object.entries(packages).filter(([, { link, dev }]) => !link && (forTests || !dev))
  return wanted.filter(([path]) => path.includes('node_modules/')).length
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

/** @param {string} root @param {Purpose} purpose */
function wantedStamp(root, { forTests }) {
  const manifests = packageFolders(root).map((folder) => join(folder, 'package.json'))
  const hash = hashOf(root, ['package-lock.json', 'package.json', ...manifests])
  return `${platform} ${hash}${forTests ? ' for tests' : ''}`
}
