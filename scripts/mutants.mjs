// @ts-check
// `npm run mutants [-- --per-area 50 --seed 1 --minutes 60 --area runs]`: changes the code in small ways, and lists the
// changes that no test notices. A mutant is tried against the nearest unit tests, and, if they stay green, against
// scenarios. The figures go to bench/reliability.json with `--record`.
import { spawn } from 'node:child_process'
import { appendFileSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { mutantsOf } from './mutants/mutate.mjs'
import { areas, filesBelow, scenariosOf, unitTestsBy } from './mutants/test-choice.mjs'
import { ensureReady, projectRoot, runScript } from './setup.mjs'

const server = join(projectRoot, 'packages/server')
const source = join(server, 'src')
/** Nearest unit tests of a file. */
const mostTests = 6
/** A mutant that runs for so long has turned the code into an endless loop. */
const limitMs = 240_000

/** @typedef {keyof typeof areas} Area */
/**
 * @typedef {{ n: number, area: Area, file: string, mutant: import('./mutants/mutate.mjs').Mutant, tests:
 * string[][] }} Trial
 */
/**
 * @typedef {{ area: string, file: string, line: number, kind: string, was: string, end: 'killed' | 'survived' |
 * 'unclear' | 'endless' }} Outcome
 */

/** @param {number} seed */
function randomOf(seed) {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** A sample of each area. @param {Area[]} names @param {number} perArea @param {number} seed @returns {Trial[]} */
function sample(names, perArea, seed) {
  const random = randomOf(seed)
  const testsOf = unitTestsBy(source)
  const chosen = names.flatMap((area) => {
    const files = filesBelow(join(source, area)).filter((file) => !file.endsWith('.test.ts'))
    const all = files.flatMap((file) => mutantsOf(readFileSync(file, 'utf8'), file).map((mutant) => ({ file, mutant })))
    const keyed = all.map((each) => ({ ...each, key: random() })).sort((a, b) => a.key - b.key)
    process.stderr.write(`${area}: ${all.length} mutants in ${files.length} files\n`)
    return keyed.slice(0, perArea).map(({ file, mutant }, index) => {
      const tests = [testsOf(file, mostTests), scenariosOf(join(server, 'test'), area)]
      return { n: 0, area, file, mutant, tests, index }
    })
  })
  // Area by area in turns: a run that is stopped early has tried some of each.
  return chosen.sort((a, b) => a.index - b.index).map(({ index: _, ...trial }, n) => ({ ...trial, n }))
}

function startRunner() {
  const args = [join(projectRoot, 'scripts/mutants/run-mutants.mjs')]
  const child = spawn(process.execPath, args, { cwd: projectRoot, stdio: ['pipe', 'pipe', 'ignore'] })
  /** @type {((line: string | undefined) => void)} */
  let answer = () => undefined
  createInterface({ input: child.stdout }).on('line', (line) => line.startsWith('@ ') && answer(line.slice(2)))
  child.on('exit', () => answer(undefined))
  return {
    /** @param {Trial} trial @returns {Promise<'killed' | 'survived' | 'unclear' | 'endless'>} */
    try(trial) {
      return new Promise((resolve) => {
        const timer = setTimeout(() => child.kill('SIGKILL'), limitMs)
        answer = (line) => {
          clearTimeout(timer)
          resolve(line === undefined ? 'endless' : JSON.parse(line).end)
        }
        child.stdin.write(`${JSON.stringify(trial)}\n`)
      })
    },
    get isAlive() {
      return child.exitCode === null && child.signalCode === null
    },
    stop: () => child.kill(),
  }
}

/** @param {Trial} trial @param {Outcome['end']} end @returns {Outcome} */
function toOutcome({ area, file, mutant }, end) {
  const text = readFileSync(file, 'utf8')
  const was = text.slice(mutant.start, mutant.end).replaceAll(/\s+/g, ' ').slice(0, 100)
  const line = text.slice(0, mutant.start).split('\n').length
  return { area, file: relative(source, file), line, kind: mutant.kind, was, end }
}

/** @param {Outcome[]} outcomes */
function summarize(outcomes) {
  for (const area of new Set(outcomes.map((outcome) => outcome.area))) {
    const own = outcomes.filter((outcome) => outcome.area === area)
    const count = (/** @type {Outcome['end']} */ wanted) => own.filter(({ end }) => end === wanted).length
    const noticed = count('killed') + count('endless')
    console.log(`${area}: ${own.length} tried, ${noticed} noticed, ${count('unclear')} unclear`)
  }
  for (const { file, line, kind, was } of outcomes.filter(({ end }) => end === 'survived')) {
    console.log(`  survived: ${file}:${line}  ${kind}  ${was}`)
  }
}

await runScript(async () => {
  const { values } = parseArgs({
    options: {
      'per-area': { type: 'string', default: '50' },
      seed: { type: 'string', default: '1' },
      minutes: { type: 'string', default: '60' },
      area: { type: 'string' },
      only: { type: 'string' },
      out: { type: 'string' },
    },
  })
  await ensureReady({ forTests: true })
  const names = /** @type {Area[]} */ (values.area ? values.area.split(',') : Object.keys(areas))
  const end = performance.now() + Number(values.minutes) * 60_000
  /** @type {Outcome[]} */
  const outcomes = []
  let runner = startRunner()
  for (const trial of sample(names, Number(values['per-area']), Number(values.seed))) {
    if (performance.now() > end) break
    if (values.only && !`${trial.file}`.includes(values.only)) continue
    if (!runner.isAlive) runner = startRunner()
    const outcome = toOutcome(trial, await runner.try(trial))
    outcomes.push(outcome)
    console.log(`${outcomes.length} ${outcome.end}: ${outcome.file}:${outcome.line} ${outcome.kind} ${outcome.was}`)
    if (values.out) appendFileSync(values.out, `${JSON.stringify(outcome)}\n`)
  }
  runner.stop()
  summarize(outcomes)
})
