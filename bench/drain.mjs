// Draining: 5,000 runs of three no-op steps created over HTTP and executed to the end by one process, against the bare
// batched append of the same rows; and by two more worker processes on the same database.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { median, report, spread } from './lib/report.mjs'
import { benchKey, startProcess } from './lib/service.mjs'

const inFlight = 50
const input = { sandbox: { steps: [{}, {}, {}] } }
const body = JSON.stringify({ input, metadata: {}, routing_hint: 'skip_planning' })
const script = (name) => new URL(`./lib/${name}`, import.meta.url).pathname

export async function run([runsText = '5000', roundsText = '3']) {
  const runs = Number(runsText)
  const results = { append: [], one: [], two: [], unmetered: [] }
  const statements = []
  const deltasLeft = []
  for (let round = 1; round <= Number(roundsText); round += 1) {
    results.append.push(await append(runs))
    const one = await drain(runs)
    results.one.push(one.perSecond)
    statements.push(one.statementsPerRun)
    results.two.push((await drain(runs, { extraWorkers: 1 })).perSecond)
    results.unmetered.push((await drain(runs, { withoutUsage: true })).perSecond)
    deltasLeft.push(one.deltasLeft)
    const [appended, drained, byTwo] = [results.append, results.one, results.two].map((list) => Math.round(list.at(-1)))
    console.log(
      `round ${round}: append ${appended}, one process ${drained}, with a second worker process ${byTwo} runs/s`,
    )
  }
  const baseline = median(results.append)
  const row = (name, values) => [name, spread(values), `${(median(values) / baseline).toFixed(2)} ×`]
  report('drain', {
    title: `${runs} runs of 3 no-op steps (12 events each), created over HTTP, ${inFlight} at a time, to the end of the last`,
    columns: ['what', 'runs/s', 'of the bare append'],
    rows: [
      row('the same rows appended in batches, no service around it', results.append),
      row('Runwright, one process for all', results.one),
      row('Runwright, and a second process that only executes', results.two),
      row('Runwright, one process, steps and tokens not metered', results.unmetered),
    ],
    notes: [
      `${spread(statements, 2)} transactions per run in one process.`,
      `Metering costs ${((1 - median(results.one) / median(results.unmetered)) * 100).toFixed(0)} % of the throughput; ${spread(deltasLeft)} deltas were not folded yet when the last run ended.`,
    ],
  })
}

async function append(runs) {
  const { stdout } = await promisify(execFile)(process.execPath, [
    script('append.mjs'),
    JSON.stringify({ runs, inFlight, input }),
  ])
  return JSON.parse(stdout).perSecond
}

async function drain(runs, { extraWorkers = 0, withoutUsage = false } = {}) {
  const service = await startProcess('./serve.mjs', { args: [JSON.stringify({ executes: true, withoutUsage })] })
  const workers = []
  try {
    await create(service, Math.min(500, runs))
    await service.ask({ what: 'drained' })
    for (let extra = 0; extra < extraWorkers; extra += 1) workers.push(await startWorker(service))
    const before = (await service.ask({ what: 'transactions' })).answer
    const start = performance.now()
    await create(service, runs)
    await service.ask({ what: 'drained' })
    const seconds = (performance.now() - start) / 1000
    const after = (await service.ask({ what: 'transactions' })).answer
    const deltasLeft = (await service.ask({ what: 'count', table: 'usage_deltas' })).answer
    return { perSecond: runs / seconds, statementsPerRun: (after - before) / runs, deltasLeft }
  } finally {
    for (const worker of workers) {
      worker.kill('SIGTERM')
      await once(worker, 'exit')
    }
    await service.stop()
  }
}

const create = (service, runs) =>
  promisify(execFile)(process.execPath, [
    script('drain-load.mjs'),
    JSON.stringify({ url: service.url, key: benchKey, runs, inFlight, body }),
  ])

async function startWorker(service) {
  const args = [script('serve.mjs'), JSON.stringify({ executes: true, connection: service.connection })]
  const worker = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit', 'ipc'] })
  await Promise.race([
    once(worker.stdout, 'data'),
    once(worker, 'exit').then(([code]) => Promise.reject(new Error(`a worker ended with code ${code}`))),
  ])
  return worker
}
