// A fleet on one database: how many claims a started run takes, what a run costs in CPU (services and database
// together), and what an idle process does.
import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { median, report, spread } from './lib/report.mjs'
import { createRun } from './lib/send.mjs'
import { benchKey, startProcess } from './lib/service.mjs'

const inFlight = 50
const body = JSON.stringify({
  input: { sandbox: { steps: [{}, {}, {}] } },
  metadata: {},
  routing_hint: 'skip_planning',
})
const loader = new URL('./lib/drain-load.mjs', import.meta.url).pathname
const idleSeconds = 30
const pausedMs = 20

/** `own`: the first process executes runs too. */
const shapes = {
  one: { name: 'one process for all', own: true, apis: 1, workers: 0 },
  five: { name: '2 API and 3 workers', own: false, apis: 2, workers: 3 },
  twenty: { name: '1 API and 19 workers', own: false, apis: 1, workers: 19 },
}

export async function run([runsText = '6000', roundsText = '3']) {
  const [runs, rounds] = [Number(runsText), Number(roundsText)]
  const results = { one: [], five: [], twenty: [] }
  for (let round = 1; round <= rounds; round += 1) {
    for (const [name, shape] of Object.entries(shapes)) {
      const result = await measure(shape, runs)
      results[name].push(result)
      console.log(`round ${round}, ${shape.name}: ${JSON.stringify(result)}`)
    }
  }
  const baseline = median(results.one.map(({ cpuMs }) => cpuMs))
  const column = (name, key, digits) =>
    spread(
      results[name].map((result) => result[key]),
      digits,
    )
  report('fleet', {
    title: `A fleet on one database: ${runs} runs of 3 no-op steps, ${inFlight} at a time, and 200 one every ${pausedMs} ms`,
    columns: [
      'processes',
      'claims per run, at full speed',
      'claims per run, one by one',
      'CPU ms per run',
      'of one process',
      'idle statements/s per process',
      'connections per process',
    ],
    rows: Object.entries(shapes).map(([name, shape]) => [
      shape.name,
      column(name, 'claimsAtSpeed', 2),
      column(name, 'claimsOneByOne', 2),
      column(name, 'cpuMs', 2),
      `${(median(results[name].map(({ cpuMs }) => cpuMs)) / baseline).toFixed(2)} ×`,
      column(name, 'idlePerSecond', 2),
      column(name, 'connections', 1),
    ]),
    notes: [
      'CPU is that of all processes of the services and of the database.',
      'Connections are counted at the end of the load; idle statements during 30 s after it.',
    ],
  })
}

async function measure({ own, apis, workers }, runs) {
  const first = await startProcess('./serve.mjs', { args: [JSON.stringify({ executes: own })] })
  const fleet = [first]
  try {
    const { connection } = first
    for (let n = 1; n < apis; n += 1) fleet.push(await startOther({ connection, serves: true }))
    for (let n = 0; n < workers; n += 1) fleet.push(await startOther({ connection, executes: true }))
    const urls = fleet.flatMap(({ url }) => url ?? [])
    // Until the code of every process is compiled: a cold fleet of five costs a quarter more.
    await load(first, urls, runs / 2)
    const before = await readAll(fleet)
    await load(first, urls, runs)
    const after = await readAll(fleet)
    const connections = (await first.ask({ what: 'connections' })).answer
    const claimsOneByOne = await oneByOne(fleet, urls)
    const idlePerSecond = await idle(fleet)
    return {
      claimsAtSpeed: (after.claims - before.claims) / runs,
      claimsOneByOne,
      cpuMs: ((after.cpu - before.cpu) * 1000) / runs,
      idlePerSecond,
      connections: connections / fleet.length,
    }
  } finally {
    for (const process of fleet.reverse()) await process.stop()
  }
}

const startOther = (options) => startProcess('./serve.mjs', { args: [JSON.stringify(options)] })

async function load(service, urls, runs) {
  await Promise.all(
    urls.map((url) =>
      promisify(execFile)(process.execPath, [
        loader,
        JSON.stringify({
          url,
          key: benchKey,
          runs: Math.ceil(runs / urls.length),
          inFlight: inFlight / urls.length,
          body,
        }),
      ]),
    ),
  )
  await service.ask({ what: 'drained' })
}

/** Claims per run when a run comes after the one before it has ended. */
async function oneByOne(fleet, urls) {
  const runs = 200
  const before = await readAll(fleet)
  for (let number = 0; number < runs; number += 1) {
    await createRun(urls[number % urls.length], { idempotencyKey: `alone-${number}`, body })
    await sleep(pausedMs)
  }
  await fleet[0].ask({ what: 'drained' })
  return ((await readAll(fleet)).claims - before.claims) / runs
}

async function idle(fleet) {
  await sleep(2_000)
  const before = await readAll(fleet)
  await sleep(idleSeconds * 1000)
  return ((await readAll(fleet)).statements - before.statements) / idleSeconds / fleet.length
}

/** The sums over all processes. */
async function readAll(fleet) {
  const counts = await Promise.all(fleet.map(async (process) => (await process.ask({ what: 'statements' })).answer))
  const used = await Promise.all(fleet.map(async (process) => (await process.ask({ what: 'cpu' })).answer))
  const ofDatabase = (await fleet[0].ask({ what: 'databaseCpu' })).answer
  return {
    statements: counts.reduce((sum, { all }) => sum + all, 0),
    claims: counts.reduce((sum, { claims }) => sum + claims, 0),
    cpu: used.reduce((sum, { user, system }) => sum + (user + system) / 1e6, ofDatabase),
  }
}
