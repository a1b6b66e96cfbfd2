// @ts-check
// Checks whether node_modules matches the lockfile, however it was installed.
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { packageFolders, readJson } from './setup-stamps.mjs'

/**
 * @typedef {{ link?: boolean, version?: string, integrity?: string, optional?: boolean, dev?: boolean, os?: string[],
 * cpu?: string[], libc?: string[] }} LockedPackage
 */
/** @typedef {{ packages?: Record<string, LockedPackage & Record<string, unknown>> }} Lockfile */

const dependencyKinds = ['dependencies', 'devDependencies', 'optionalDependencies']

/**
 * Compares the lockfile with the record that npm writes at the end of an installation, and with the packages
 * themselves: `npm install --package-lock-only` updates the record without installing anything.
 * @param {string} root
 * @param {{ forTests: boolean }} purpose only tests need development dependencies
 */
export function holdsLockedPackages(root, { forTests }) {
  const locked = /** @type {Lockfile} */ (readJson(join(root, 'package-lock.json')))?.packages
  const recorded = /** @type {Lockfile} */ (readJson(join(root, 'node_modules/.package-lock.json')))?.packages
  if (locked === undefined || recorded === undefined || !lockMatchesManifests(root, locked)) return false
  return Object.entries(locked)
    .filter(([path]) => path.includes('node_modules/'))
    .every(([path, entry]) =>
      recorded[path]
        ? isInPlace(root, path, [entry, recorded[path]])
        : (entry.dev === true && !forTests) || mayBeAbsent(entry),
    )
}

/**
 * Whether development dependencies are installed, in whatever versions.
 * @param {string} root
 */
export function holdsDevelopmentPackages(root) {
  const recorded = /** @type {Lockfile} */ (readJson(join(root, 'node_modules/.package-lock.json')))?.packages ?? {}
  return Object.values(recorded).some(({ dev }) => dev === true)
}

/**
 * If the lockfile does not match package.json, npm reports it.
 * @param {string} root
 * @param {NonNullable<Lockfile['packages']>} locked
 */
function lockMatchesManifests(root, locked) {
  return ['', ...packageFolders(root)].every((folder) => {
    const manifest = readJson(join(root, folder, 'package.json'))
    return dependencyKinds.every((kind) => isDeepStrictEqual(manifest?.[kind] ?? {}, locked[folder]?.[kind] ?? {}))
  })
}

/**
 * @param {string} root
 * @param {string} path
 * @param {[wanted: LockedPackage, recorded: LockedPackage]} entries
 */
function isInPlace(root, path, [wanted, recorded]) {
  if (wanted.version !== recorded.version || wanted.integrity !== recorded.integrity) return false
  return wanted.link === true || readJson(join(root, path, 'package.json'))?.version === wanted.version
}

/**
 * Optional packages for other platforms are not installed, and only one of those for different C libraries is.
 * @param {LockedPackage} entry
 */
function mayBeAbsent({ optional, os, cpu, libc }) {
  const isForUs = (os?.includes(process.platform) ?? false) && (cpu?.includes(process.arch) ?? true)
  return optional === true && (!isForUs || libc !== undefined)
}
