// @ts-check
// The licenses of the packages in a bundle, which ask to be passed on.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** @param {string[]} modules paths of the files in the bundle */
export function licensesOf(modules) {
  const folders = new Set(modules.flatMap((id) => id.match(/^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0] ?? []))
  const licenses = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
    const text = file === undefined ? '' : `\n\n${readFileSync(join(folder, file), 'utf8').trim()}`
    return `${name} ${version} (${license})${text}`
  })
  return `${licenses.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
}
