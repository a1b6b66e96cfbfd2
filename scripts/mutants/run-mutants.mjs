// @ts-check
// A warm Vitest that tries mutants, with one PostgreSQL.
import { join } from 'node:path'
import { createVitest } from 'vitest/node'

const root = join(import.meta.dirname, '../..')
const entry = join(import.meta.dirname, 'try-mutants.ts')
const sourceOf = (/** @type {string} */ name) => join(root, `packages/${name}/src/index.ts`)

/** @typedef {{ name: string, id?: number, tests: string[] }} Trial */
/** Which of the tests are red, the first one first. @typedef {{ red: number[], message: string }} Answer */

/** @param {Map<string, string>} switched the code of the files with mutants, by their paths */
export async function startVitest(switched) {
  /** @type {Map<string, Answer>} */
  let answers = new Map()
  const vitest = await createVitest(
    'test',
    {
      // A configuration of its own: the projects of vitest.config.ts would not get the plugin.
      config: false,
      root,
      watch: false,
      reporters: [reporter((name, answer) => answers.set(name, answer))],
      include: ['scripts/mutants/try-mutants.ts'],
      globalSetup: ['packages/server/test/support/postgres.ts'],
      testTimeout: 30_000,
      hookTimeout: 60_000,
      expect: { poll: { timeout: 15_000 } },
      isolate: false,
      maxWorkers: 1,
      dangerouslyIgnoreUnhandledErrors: true,
    },
    {
      plugins: [{ name: 'mutants', enforce: 'pre', load: (id) => switched.get(id) ?? null }],
      resolve: { alias: { '@runwright/contract': sourceOf('contract'), '@runwright/client': sourceOf('client') } },
    },
  )
  return {
    /** Tries one after another. Without an answer: its process has ended. @param {readonly Trial[]} trials */
    async try(trials) {
      answers = new Map()
      vitest.provide('mutantTrials', [...trials])
      await vitest.runTestSpecifications(await vitest.globTestSpecifications([entry]))
      return answers
    },
    close: () => vitest.close(),
  }
}

/** @param {(name: string, answer: Answer) => void} onAnswer @returns {import('vitest/reporters').Reporter} */
const reporter = (onAnswer) => ({
  onTestSuiteResult(suite) {
    if (suite.parent.type !== 'module') return
    const red = [...suite.children.suites()].filter((each) => !each.ok()).map(({ name }) => Number(name))
    const [failed] = suite.children.allTests('failed')
    const errors = failed
      ? failed.result().errors
      : [suite, ...suite.children.allSuites()].flatMap((each) => each.errors())
    const message = `${failed?.name ?? 'before the tests'}: ${errors?.[0]?.message ?? ''}`
    onAnswer(suite.name, { red, message: message.replaceAll(/\s+/g, ' ').slice(0, 160) })
  },
})
