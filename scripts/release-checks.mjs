// @ts-check
// What must be true before a release: nothing is uncommitted, and every package has the same version.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** @typedef {import('./release-sbom.mjs').Manifest} Manifest */

/** @param {string} root @param {string} folder @returns {Manifest} */
const readManifest = (root, folder) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))

/** The packages of the workspace. @param {string} root */
export function readManifests(root) {
  const { workspaces } = /** @type {Manifest & { workspaces: string[] }} */ (readManifest(root, '.'))
  return workspaces.map((folder) => readManifest(root, folder))
}

/**
 * One sentence for each version that differs from that of the workspace.
 * @param {string} root
 */
export function versionProblems(root) {
  const { version } = readManifest(root, '.')
  const manifests = readManifests(root)
  const own = new Set(manifests.map(({ name }) => name))
  const versions = manifests.flatMap(({ name, version, dependencies = {} }) => [
    [name, version],
    ...Object.entries(dependencies).flatMap(([needed, wanted]) =>
      own.has(needed) ? [[`${name}, dependency ${needed}`, wanted]] : [],
    ),
  ])
  versions.push(['clients/python', pythonVersion(root)])
  return versions
    .filter(([, found]) => found !== version)
    .map(([name, found]) => `${name} has version ${found}, but package.json has ${version}.`)
}

/** @param {string} root */
function pythonVersion(root) {
  const project = readFileSync(join(root, 'clients/python/pyproject.toml'), 'utf8')
  return /^version = "([^"]+)"$/m.exec(project)?.[1] ?? 'unknown'
}

/** @param {string} status the output of `git status --porcelain` */
export function treeProblems(status) {
  if (status.trim() === '') return []
  return [`The checkout has changes that are not committed. Commit or remove them:\n${status.trimEnd()}`]
}
