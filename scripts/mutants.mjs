// @ts-check
// `npm run mutants`: changes the code in small ways, and lists the changes that no test notices. A mutant is tried
// against the unit tests that are nearest to it by their imports, and, if they stay green, against scenarios.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startVitest } from './mutants/run-mutants.mjs'
import { sampleMutants } from './mutants/sample.mjs'
import { areas, scenariosOf, unitTestsBy } from './mutants/test-choice.mjs'
import { tryBatch } from './mutants/try-all.mjs'
import { withSwitches } from './mutants/with-switches.mjs'
import { recordMutants } from './reliability-page.mjs'
import { ensureReady, projectRoot, runScript } from './setup.mjs'

const usage = `npm run mutants -- [options]
  --per-area 60        mutants of each area
  --seed 1             which ones: the same seed chooses the same ones
  --area runs,engine   only these areas: ${Object.keys(areas).join(', ')}
  --only states.ts     only files whose path contains this
  --minutes 60         begins nothing after so long
  --tests unit         leaves out the scenarios; \`scenarios\` leaves out the unit tests
  --results FILE       keeps what it finds, and does not try again what a test has noticed before
  --record             writes docs/reliability.md`

const server = join(projectRoot, 'packages/server')
const source = join(server, 'src')
/** Nearest unit tests of a file. */
const mostTests = 12
const batchSize = 20

/** @typedef {import('./mutants/sample.mjs').Sampled} Sampled */
/** @typedef {import('./mutants/try-all.mjs').Outcome} Outcome */

/** Those that a test has noticed before. @param {string | undefined} results @returns {Map<string, Outcome>} */
function readResults(results) {
  if (!results || !existsSync(results)) return new Map()
  const lines = readFileSync(results, 'utf8').split('\n').filter(Boolean)
  const kept = lines.map((line) => JSON.parse(line)).filter(({ isNoticed }) => isNoticed)
  return new Map(kept.map(({ key, ...outcome }) => [key, outcome]))
}

/** @template T @param {readonly T[]} all @returns {T[][]} */
const batches = (all) =>
  Array.from({ length: Math.ceil(all.length / batchSize) }, (_, n) => all.slice(n * batchSize, (n + 1) * batchSize))

/** The files with all of their mutants. @param {readonly Sampled[]} mutants */
function switchedFiles(mutants) {
  const paths = new Set(mutants.map(({ path }) => path))
  const own = (/** @type {string} */ wanted) => mutants.filter(({ path }) => path === wanted)
  const numbered = (/** @type {string} */ path) => own(path).map(({ id, mutant }) => ({ ...mutant, id }))
  return new Map([...paths].map((path) => [path, withSwitches(readFileSync(path, 'utf8'), numbered(path))]))
}

/**
 * @param {readonly Sampled[]} mutants
 * @param {{ end: number, stages: readonly string[], onOutcome: (mutant: Sampled, outcome: Outcome) => void }} options
 */
async function tryAll(mutants, { end, stages, onOutcome }) {
  const nearest = unitTestsBy(server)
  const runner = await startVitest(switchedFiles(mutants))
  const testsOf = (/** @type {string} */ stage, /** @type {Sampled} */ { path, area }) =>
    stage === 'unit' ? nearest(path, mostTests) : scenariosOf(join(server, 'test'), area)
  let left = [...mutants]
  for (const stage of stages) {
    /** @type {Sampled[]} */
    const survived = []
    for (const batch of batches(left)) {
      if (performance.now() > end) break
      await tryBatch(
        runner,
        batch.map((mutant) => ({ id: mutant.id, tests: testsOf(stage, mutant) })),
        (id, outcome) => {
          const mutant = /** @type {Sampled} */ (batch.find((each) => each.id === id))
          onOutcome(mutant, outcome)
          if (!outcome.isNoticed) survived.push(mutant)
        },
      )
    }
    left = survived
  }
  await runner.close()
}

await runScript(async () => {
  const { values } = parseArgs({
    options: {
      'per-area': { type: 'string', default: '60' },
      seed: { type: 'string', default: '1' },
      area: { type: 'string', default: Object.keys(areas).join(',') },
      only: { type: 'string', default: '' },
      minutes: { type: 'string', default: '60' },
      tests: { type: 'string', default: 'unit,scenarios' },
      results: { type: 'string' },
      record: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(usage)
  const names = /** @type {import('./mutants/test-choice.mjs').Area[]} */ (values.area.split(','))
  const samples = sampleMutants(source, names, { perArea: Number(values['per-area']), seed: values.seed })
  const chosen = samples.flatMap(({ mutants }) => mutants).filter(({ file }) => file.includes(values.only))
  const outcomes = readResults(values.results)
  await ensureReady({ forTests: true })
  await tryAll(
    chosen.filter(({ key }) => !outcomes.has(key)),
    {
      end: performance.now() + Number(values.minutes) * 60_000,
      stages: values.tests.split(','),
      onOutcome({ key, file, line, kind, was }, outcome) {
        outcomes.set(key, outcome)
        const end = outcome.isNoticed ? 'noticed ' : 'survived'
        console.log(`${end} ${file}:${line}  ${kind}  ${was.slice(0, 60)}  ${outcome.message}`)
        if (values.results) appendFileSync(values.results, `${JSON.stringify({ key, ...outcome })}\n`)
      },
    },
  )
  console.log('')
  for (const { area, all, mutants } of samples) {
    const tried = mutants.filter(({ key }) => outcomes.has(key))
    const noticed = tried.filter(({ key }) => outcomes.get(key)?.isNoticed)
    console.log(`${area}: ${all} mutants, ${tried.length} tried, ${noticed.length} noticed`)
  }
  const survivors = chosen.filter(({ key }) => outcomes.get(key)?.isNoticed === false)
  for (const { file, line, kind, was } of survivors) console.log(`  survived: ${file}:${line}  ${kind}  ${was}`)
  if (values.record) {
    const command = `npm run mutants -- --per-area ${values['per-area']} --seed ${values.seed}`
    recordMutants(command, samples, outcomes)
  }
})
