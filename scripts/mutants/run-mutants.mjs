// @ts-check
// Tries mutants one after another in one Vitest: its transform changes one file at a time. The parent process ends it
// when a mutant never does, and starts another one that goes on. Prints one line of JSON for each mutant.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createVitest } from 'vitest/node'
import { apply } from './mutate.mjs'

/** @type {Asked | undefined} */
let current

const mutation = {
  name: 'mutation',
  enforce: /** @type {const} */ ('pre'),
  /** @param {string} id */
  load(id) {
    const [path] = id.split('?')
    if (path !== current?.file) return null
    return apply(readFileSync(path, 'utf8'), current.mutant)
  },
}

const root = join(import.meta.dirname, '../..')
const sourceOf = (/** @type {string} */ name) => join(root, `packages/${name}/src/index.ts`)

// A configuration of its own: the projects of vitest.config.ts would not get the plugin.
const vitest = await createVitest(
  'test',
  {
    config: false,
    root,
    watch: false,
    bail: 1,
    silent: true,
    reporters: [{}],
    include: ['packages/server/**/*.test.ts'],
    globalSetup: ['packages/server/test/support/postgres.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
    isolate: false,
    maxWorkers: 2,
  },
  {
    plugins: [mutation],
    resolve: { alias: { '@runwright/contract': sourceOf('contract'), '@runwright/client': sourceOf('client') } },
  },
)

/** The files with red tests. @param {string[]} files @returns {Promise<string[]>} */
async function findRed(files) {
  const all = await vitest.globTestSpecifications(files)
  const specifications = all.filter(({ moduleId }) => files.includes(moduleId))
  if (specifications.length === 0) return []
  const { testModules } = await vitest.runTestSpecifications(specifications)
  return testModules.filter((module) => !module.ok()).map(({ moduleId }) => moduleId)
}

/** @typedef {{ file: string, mutant: import('./mutate.mjs').Mutant, tests: string[][] }} Asked */

/** @param {Asked | undefined} asked @param {string} file */
function change(asked, file) {
  current = asked
  vitest.invalidateFile(file)
}

/** Tests that are red without the mutant, too, as on a busy machine, have not noticed it. @param {Asked} asked */
async function tryMutant(asked) {
  for (const files of asked.tests) {
    change(asked, asked.file)
    const red = await findRed(files)
    change(undefined, asked.file)
    if (red.length > 0) return (await findRed(red)).length > 0 ? 'unclear' : 'killed'
  }
  return 'survived'
}

for await (const line of createInterface({ input: process.stdin })) {
  const end = await tryMutant(JSON.parse(line))
  process.stdout.write(`\n@ ${JSON.stringify({ end })}\n`)
}
await vitest.close()
