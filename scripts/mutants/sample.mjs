// @ts-check
// The mutants to try: the same ones each time, however the other files change.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { mutantsOf } from './mutate.mjs'
import { filesBelow } from './test-choice.mjs'

/** @typedef {import('./test-choice.mjs').Area} Area */
/**
 * `key` is the same as long as the changed code is.
 * @typedef {{ id: number, key: string, area: Area, path: string, file: string, line: number, kind: string, was: string,
 * mutant: import('./mutate.mjs').Mutant }} Sampled
 */

/**
 * @param {string} source the folder `src` of the server
 * @param {readonly Area[]} areas
 * @param {{ perArea: number, seed: string }} size
 */
export function sampleMutants(source, areas, { perArea, seed }) {
  let id = 0
  return areas.map((area) => {
    const paths = filesBelow(join(source, area)).filter((path) => !path.endsWith('.test.ts'))
    const all = paths.flatMap((path) => inFile(source, area, path).map((each) => ({ ...each, id: ++id })))
    const place = ({ key = '' }) => createHash('sha256').update(`${seed} ${key}`).digest('hex')
    const mutants = all.toSorted((a, b) => (place(a) < place(b) ? -1 : 1)).slice(0, perArea)
    return { area, all: all.length, mutants: mutants.toSorted((a, b) => a.id - b.id) }
  })
}

/** @param {string} source @param {Area} area @param {string} path */
function inFile(source, area, path) {
  const text = readFileSync(path, 'utf8')
  const file = relative(source, path)
  /** @type {Map<string, number>} */
  const seen = new Map()
  return mutantsOf(text, path).map((mutant) => {
    const was = mutant.was.replaceAll(/\s+/g, ' ').slice(0, 100)
    const name = `${file} ${mutant.kind} ${was}`
    const nth = (seen.get(name) ?? 0) + 1
    seen.set(name, nth)
    const line = text.slice(0, mutant.at).split('\n').length
    return { key: `${name} ${nth}`, area, path, file, line, kind: mutant.kind, was, mutant }
  })
}
