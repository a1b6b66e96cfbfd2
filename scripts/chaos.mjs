// @ts-check
// `npm run chaos [-- --scenario kill,pause --seconds 90 --seed 7 --faults 500 --plant once --record]`: runs processes
// of the service under load and faults, and checks all that they did. The scenario `soak` looks for leaks instead.
// `--plant all` tries builds with a defect. `--record` keeps the figures in bench/reliability.json and writes
// docs/reliability.md.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { recordFigures, trialRow, trialTable } from './reliability-page.mjs'
import { ensureReady, projectRoot, runScript } from './setup.mjs'

const folder = 'packages/server/test/chaos'

/** @param {Record<string, string | boolean | undefined>} values @param {string} result */
function start(values, result) {
  const isSoak = values.scenario === 'soak'
  /** @type {Record<string, unknown>} */
  const variables = {
    CHAOS_RESULT: result,
    CHAOS_SEED: values.seed ?? Math.floor(Math.random() * 1e6),
    CHAOS_FAULTS: values.faults,
    CHAOS_PLANT: values.plant,
    ...(isSoak ? { CHAOS_SOAK_SECONDS: values.seconds ?? 600 } : {}),
    ...(isSoak ? {} : { CHAOS_SCENARIO: values.scenario, CHAOS_SECONDS: values.seconds }),
  }
  const set = Object.entries(variables).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  const file = join(folder, isSoak ? 'soak.test.ts' : 'chaos.test.ts')
  const child = spawn(process.execPath, [join(projectRoot, 'node_modules/vitest/vitest.mjs'), 'run', file], {
    cwd: projectRoot,
    env: { ...process.env, ...Object.fromEntries(set) },
    stdio: 'inherit',
  })
  return new Promise((resolve) => child.on('close', resolve))
}

/** One line of JSON for each trial. @param {string} file @returns {any[]} */
const readResults = (file) =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    : []

await runScript(async () => {
  const { values } = parseArgs({
    options: {
      scenario: { type: 'string' },
      seconds: { type: 'string' },
      seed: { type: 'string' },
      faults: { type: 'string' },
      plant: { type: 'string' },
      record: { type: 'boolean' },
    },
  })
  await ensureReady({ forTests: true })
  const temporary = mkdtempSync(join(tmpdir(), 'runwright-chaos-'))
  try {
    const file = join(temporary, 'results.jsonl')
    process.exitCode = await start(values, file)
    const results = readResults(file)
    if (values.scenario !== 'soak') console.log(`\n${trialTable(results.map(trialRow))}`)
    if (values.record) recordFigures(results)
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
})
