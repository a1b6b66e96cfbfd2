// Create over HTTP: group commit against one transaction per create, and against the bare route with no database.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { median, report, spread } from './lib/report.mjs'
import { benchKey, startProcess } from './lib/service.mjs'

const connections = 50
const body = JSON.stringify({
  input: { goal: 'Summarise the news of the day' },
  metadata: { source: 'bench' },
  workspace_id: 'w1',
})

const variants = {
  'bare Fastify route, no database': { script: './serve-bare.mjs' },
  'the same route of ours, nothing behind it': { script: './serve.mjs', options: { nothingBehind: true } },
  'one transaction per create, 10 connections': {
    script: './serve.mjs',
    options: { grouping: { maxItems: 1, lanes: 10, nextLaneAbove: 0 } },
  },
  Runwright: { script: './serve.mjs', options: {} },
}

export async function run([secondsText = '8', roundsText = '3']) {
  const results = Object.fromEntries(Object.keys(variants).map((name) => [name, []]))
  for (let round = 1; round <= Number(roundsText); round += 1) {
    for (const [name, variant] of Object.entries(variants)) {
      const result = await measure(variant, Number(secondsText))
      results[name].push(result)
      console.log(`round ${round}: ${name}: ${Math.round(result.perSecond)}/s`)
    }
  }
  const ours = median(results.Runwright.map((result) => result.perSecond))
  const rows = Object.entries(results).map(([name, rounds]) => {
    const rate = rounds.map((result) => result.perSecond)
    return [
      name,
      spread(rate),
      spread(
        rounds.map((result) => result.p50),
        1,
      ),
      spread(
        rounds.map((result) => result.p99),
        1,
      ),
      `${(ours / median(rate)).toFixed(2)} ×`,
    ]
  })
  report('create', {
    title: `Create, ${connections} connections, fsync on, 201 only after the commit`,
    columns: ['what', 'creates/s', 'p50 ms', 'p99 ms', 'Runwright is'],
    rows,
    notes: ['The rows in the database equalled the 201 answers in every round.'],
  })
}

async function measure({ script, options = {} }, seconds) {
  const service = await startProcess(script, { args: [JSON.stringify(options)] })
  try {
    if (service.fsync === 'off') throw new Error('fsync is off')
    await load(service.url, 1)
    const before = await rowsOf(service)
    const result = await load(service.url, seconds)
    const { 201: created = 0, ...others } = result.statuses
    if (Object.keys(others).length > 0) throw new Error(`other answers than 201: ${JSON.stringify(others)}`)
    const rows = (await rowsOf(service)) - before
    if (rows !== created) throw new Error(`${created} answers of 201, but ${rows} rows`)
    return result
  } finally {
    await service.stop()
  }
}

const rowsOf = async (service) => (await service.ask({ what: 'count', table: 'runs' })).answer

async function load(url, seconds) {
  const options = JSON.stringify({ url, key: benchKey, connections, seconds, body })
  const { stdout } = await promisify(execFile)(process.execPath, [
    new URL('./lib/load.mjs', import.meta.url).pathname,
    options,
  ])
  return JSON.parse(stdout)
}
