// @ts-check
// Which tests should notice a mutant of a file: the unit tests that are nearest to it by their imports, and scenarios.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** The areas, and the scenarios that test them through the whole service. */
export const areas = {
  'domain/run': [
    'scenarios/run-steps',
    'scenarios/plan-gates',
    'scenarios/decisions',
    'scenarios/transitions',
    'conformance/titles-and-search',
    'scenarios/fork',
  ],
  engine: [
    'scenarios/courses',
    'scenarios/delivery',
    'scenarios/signals',
    'scenarios/decisions',
    'scenarios/plan-steps',
  ],
  'store/run-log': ['scenarios/races', 'scenarios/invariants', 'scenarios/stalls', 'faults/run-log-fight'],
  runs: [
    'conformance/signals',
    'scenarios/decisions',
    'scenarios/approvers',
    'conformance/fork',
    'conformance/create',
    'conformance/signal-idempotency',
    'scenarios/sensitive-values',
    'scenarios/fork-secrets',
  ],
  'tools/policy': ['scenarios/policy', 'scenarios/approvers', 'scenarios/tools-list'],
}

/** @param {string} folder @returns {string[]} */
export const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort()

const importPattern = /(?:from|import\()\s*'(\.[^']+\.ts)'/g

/**
 * Unit tests by how far their imports are from the file. Some reach it through the support of tests.
 * @param {string} server
 */
export function unitTestsBy(server) {
  /** @type {Map<string, string[]>} */
  const importers = new Map()
  for (const file of [...filesBelow(join(server, 'src')), ...filesBelow(join(server, 'test/support'))]) {
    for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(importPattern)) {
      const target = join(dirname(file), path)
      importers.set(target, [...(importers.get(target) ?? []), file])
    }
  }
  return (/** @type {string} */ file, /** @type {number} */ most) => nearest(importers, file, most)
}

/** @param {Map<string, string[]>} importers @param {string} file @param {number} most */
function nearest(importers, file, most) {
  const seen = new Set([file])
  /** @type {string[]} */
  const tests = []
  for (let level = [file]; level.length > 0 && tests.length < most; ) {
    const next = level.flatMap((each) => importers.get(each) ?? []).filter((each) => !seen.has(each) && seen.add(each))
    // The test beside the file comes first.
    tests.push(
      ...next.filter((each) => each.endsWith('.test.ts')).sort((a, b) => distance(file, a) - distance(file, b)),
    )
    level = next.filter((each) => !each.endsWith('.test.ts'))
  }
  return tests.slice(0, most)
}

/** @param {string} a @param {string} b */
const distance = (a, b) => relative(dirname(a), b).split('/').length + (b.startsWith(a.slice(0, -3)) ? -10 : 0)

/** @typedef {keyof typeof areas} Area */

/** @param {string} tests the folder `test` of the server @param {Area} area */
export const scenariosOf = (tests, area) =>
  areas[area].map((name) => join(tests, `${name}.test.ts`)).filter((file) => existsSync(file))
