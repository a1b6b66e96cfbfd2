// @ts-check
// Detects changes: a setup step writes a stamp with the hash of its input files, and runs again if the hash differs.
// Contents are compared, not times, because checkouts, archives and container images set file times arbitrarily.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * The package folders of the workspace, relative to the root.
 * @param {string} root
 */
export function packageFolders(root) {
  return readdirSync(join(root, 'packages'))
    .map((name) => `packages/${name}`)
    .filter((folder) => existsSync(join(root, folder, 'package.json')))
    .sort()
}

/**
 * @param {string} root
 * @param {string[]} paths relative to the root; a missing file is part of the hash
 */
export function hashOf(root, paths) {
  const hash = createHash('sha256')
  for (const path of paths) {
    const content = findContent(join(root, path))
    hash.update(`${path}\0${content === undefined ? 'absent' : content.length}\0`).update(content ?? '')
  }
  return hash.digest('hex')
}

/** @param {string} path */
export function findStamp(path) {
  return findContent(path)?.toString('utf8')
}

/**
 * If the stamp cannot be written, the next start compares again.
 * @param {string} path
 * @param {string} stamp
 */
export function writeStamp(path, stamp) {
  try {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, stamp)
  } catch (error) {
    if (!['EROFS', 'EACCES', 'EPERM'].includes(codeOf(error))) throw error
  }
}

/**
 * @param {string} path
 * @returns {Record<string, any> | undefined}
 */
export function readJson(path) {
  const content = findContent(path)
  return content === undefined ? undefined : JSON.parse(content.toString('utf8'))
}

/** @param {string} path */
function findContent(path) {
  try {
    return readFileSync(path)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return undefined
    throw error
  }
}

/** @param {unknown} error */
export function codeOf(error) {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
