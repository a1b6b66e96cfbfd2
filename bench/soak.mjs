// What stays constant: the memory of a service that has executed 10,000 runs, and the time of a claim with 100,000
// queued runs.
import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { percentile, report } from './lib/report.mjs'
import { benchKey, startProcess } from './lib/service.mjs'

const input = { sandbox: { steps: [{}, {}, {}] } }
const body = JSON.stringify({ input, metadata: {}, routing_hint: 'skip_planning' })
const loader = new URL('./lib/drain-load.mjs', import.meta.url).pathname
/** Long enough for the garbage collector. */
const restMs = 15_000
const rounds = 200
const places = 16
/** Enough for every claim. */
const few = rounds * places
const megabytes = (bytes) => bytes / 1024 / 1024

export async function run([runsText = '10000', queuedText = '100000']) {
  const memory = await measureMemory(Number(runsText))
  const claims = await measureClaims(Number(queuedText))
  const p50 = (times) => percentile(times, 0.5).toFixed(2)
  const p99 = (times) => percentile(times, 0.99).toFixed(2)
  report('soak', {
    title: 'What stays flat',
    columns: ['what', 'before', 'after', 'change'],
    rows: [
      [
        `heap in use, MB, before and after ${runsText} runs`,
        memory.before.heap.toFixed(1),
        memory.after.heap.toFixed(1),
        `${(memory.after.heap - memory.before.heap).toFixed(1)} MB`,
      ],
      [
        `resident memory, MB, before and after ${runsText} runs`,
        memory.before.resident.toFixed(0),
        memory.after.resident.toFixed(0),
        `${(memory.after.resident - memory.before.resident).toFixed(0)} MB`,
      ],
      [
        `claiming ${places} runs, p50 ms, with ${few} and with ${queuedText} queued`,
        p50(claims.few),
        p50(claims.many),
        `${(percentile(claims.many, 0.5) / percentile(claims.few, 0.5)).toFixed(2)} ×`,
      ],
      ['the same, p99 ms', p99(claims.few), p99(claims.many), ''],
    ],
    notes: [
      'Memory is read after a warm-up of 10,000 runs and again after the others, each time after 15 s of rest and a full garbage collection.',
      'Claims are real ones, committed with fsync on.',
    ],
  })
}

async function measureMemory(runs) {
  const service = await startProcess('./serve.mjs', {
    args: [JSON.stringify({ executes: true })],
    env: { NODE_OPTIONS: '--expose-gc' },
  })
  const read = async () => {
    await sleep(restMs)
    const { rss, heapUsed } = (await service.ask({ what: 'memory' })).answer
    return { resident: megabytes(rss), heap: megabytes(heapUsed) }
  }
  try {
    await execute(service, 10_000)
    const before = await read()
    await execute(service, runs)
    return { before, after: await read() }
  } finally {
    await service.stop()
  }
}

async function execute(service, runs) {
  const options = { url: service.url, key: benchKey, runs, inFlight: 50, body }
  await promisify(execFile)(process.execPath, [loader, JSON.stringify(options)])
  await service.ask({ what: 'drained' })
}

async function measureClaims(queued) {
  const service = await startProcess('./serve.mjs', { args: ['{}'] })
  try {
    const claim = async () => (await service.ask({ what: 'claim', rounds, places })).answer
    await service.ask({ what: 'queue', runs: few })
    const behindFew = await claim()
    await service.ask({ what: 'queue', runs: queued })
    return { few: behindFew, many: await claim() }
  } finally {
    await service.stop()
  }
}
