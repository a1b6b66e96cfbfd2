// @ts-check
// `npm test`: format and lint, spelling, types, and the quick tests. `npm run test:all` also runs the slow ones, and
// `npm run test:all -- --rest` only those that `npm test` leaves out. With other arguments, only the tests that they
// select: `npm test -- packages/client`. A failed check does not hide what the later ones have to say; the exit code is
// that of the first that failed.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { runCheck, wasInterrupted } from './run-check.mjs'
import { ensureReady, projectRoot, runScript } from './setup.mjs'
import { secondsSince } from './setup-steps.mjs'
import { stopWithShell } from './stop-with-shell.mjs'

/** @typedef {{ name: string, script: string, args: string[] }} Check */
/** @typedef {{ name: string, code: number, isInterrupted: boolean, took: string }} Result */

const typescript = 'typescript/bin/tsc'
const vitest = 'vitest/vitest.mjs'
const consoleConfig = 'packages/console/tsconfig.json'
const docsConfig = 'packages/docs/tsconfig.json'
const exampleConfig = 'examples/nextjs/tsconfig.json'

/** @returns {Check[]} */
const staticChecks = () => [
  { name: 'format and lint', script: '@biomejs/biome/bin/biome', args: ['ci', '.'] },
  { name: 'spelling', script: 'cspell/bin.mjs', args: ['--no-progress', '--no-summary', '--quiet'] },
  { name: 'types', script: typescript, args: ['-p', 'tsconfig.test.json'] },
  ...(existsSync(join(projectRoot, consoleConfig))
    ? [{ name: 'types of the console', script: typescript, args: ['-p', consoleConfig, '--noEmit'] }]
    : []),
  { name: 'types of the docs', script: typescript, args: ['-p', docsConfig] },
  { name: 'types of the examples', script: typescript, args: ['-p', exampleConfig] },
]

/**
 * vitest.config.ts says which tests are quick, and which of them run side by side.
 * @param {string[]} args
 * @returns {Check[]}
 */
function checksFor([first, ...more]) {
  const tests = (/** @type {string[]} */ ...args) => ({ name: 'tests', script: vitest, args: ['run', ...args] })
  if (first === undefined) return [...staticChecks(), tests('--project=quick-*')]
  if (first !== '--all') return [tests(first, ...more)]
  const [second] = more
  if (second === '--rest') return [tests('--project=slow-*')]
  return second === undefined ? [...staticChecks(), tests()] : [tests(...more)]
}

/**
 * @param {Check} check
 * @returns {Promise<Result>}
 */
async function run({ name, script, args }) {
  const startedAt = performance.now()
  console.log(`\n${name}`)
  const { code, isInterrupted } = await runCheck([join(projectRoot, 'node_modules', script), ...args], {
    cwd: projectRoot,
  })
  return { name, code, isInterrupted, took: secondsSince(startedAt) }
}

/** @param {Result[]} results */
function summarize(results) {
  const width = Math.max(...results.map(({ name }) => name.length))
  const lines = results.map(
    ({ name, code, took }) => `  ${code === 0 ? 'ok    ' : 'FAILED'}  ${name.padEnd(width)}  ${took}`,
  )
  console.log(`\n${lines.join('\n')}`)
}

await runScript(async () => {
  await ensureReady({ forTests: true })
  stopWithShell('SIGINT', wasInterrupted)
  /** @type {Result[]} */
  const results = []
  for (const check of checksFor(process.argv.slice(2))) {
    results.push(await run(check))
    if (results.at(-1)?.isInterrupted) break
  }
  summarize(results)
  const stopped = results.find(({ isInterrupted }) => isInterrupted)
  if (stopped) console.log(`\nInterrupted: "${stopped.name}" and everything that it had started were stopped.`)
  process.exitCode = results.find(({ code }) => code !== 0)?.code ?? 0
})
