// Streams: 1,000 busy ones on 1,000 runs through the log, against bare SSE from memory; and the memory of 5,000 idle
// ones.
import { percentile, report, spread } from './lib/report.mjs'
import { benchKey, startProcess } from './lib/service.mjs'

const busyStreams = 1_000
const perSecond = 5
const idleStreams = 5_000
const keyNames = ['a', 'b', 'c', 'd', 'e']
const keys = keyNames.map((name) => `key_bench_${name}:bench-secret-of-no-importance`)
const env = {
  RUNWRIGHT_BOOTSTRAP_KEYS: [benchKey, ...keys].map((key) => `bench=${key}`).join(),
  NODE_OPTIONS: '--expose-gc',
}

export async function run([secondsText = '10', roundsText = '3']) {
  const results = { ours: [], bare: [] }
  for (let round = 1; round <= Number(roundsText); round += 1) {
    results.bare.push(await busy('./serve-sse.mjs', Number(secondsText)))
    results.ours.push(await busy('./serve.mjs', Number(secondsText)))
    console.log(`round ${round}: p99 ${results.ours.at(-1).p99} ms, bare ${results.bare.at(-1).p99} ms`)
  }
  const idle = await idleWeight()
  const row = (name, rounds) => [
    name,
    spread(rounds.map((result) => result.eventsPerSecond)),
    spread(rounds.map((result) => result.p50)),
    spread(rounds.map((result) => result.p99)),
    String(Math.max(...rounds.map((result) => result.gaps))),
  ]
  report('stream', {
    title: `${busyStreams} streams on ${busyStreams} runs, ${perSecond} events/s each`,
    columns: ['what', 'events/s received', 'p50 ms', 'p99 ms', 'gaps'],
    rows: [
      row('bare SSE from memory, no database', results.bare),
      row('Runwright, from the time stamped before the commit', results.ours),
    ],
    notes: [`${idleStreams} idle streams: ${idle.toFixed(1)} kB of resident memory each.`],
  })
}

async function busy(script, seconds) {
  const service = await startProcess(script, { args: ['{}'], env })
  const clients = await startProcess('./streams.mjs')
  try {
    const runs = script.includes('sse') ? fakeRuns() : await createRuns(service.url, busyStreams)
    await clients.ask({ what: 'open', requests: runs.map(({ path }) => ({ url: service.url, key: benchKey, path })) })
    await service.ask({ what: 'append', runIds: runs.map(({ uuid }) => uuid), perSecond })
    await later(2)
    await clients.ask({ what: 'forget' })
    await later(seconds)
    const { answer } = await clients.ask({ what: 'result' })
    await service.ask({ what: 'stopAppending' })
    const { latencies, gaps, events } = answer
    return {
      eventsPerSecond: events / seconds,
      p50: percentile(latencies, 0.5),
      p99: percentile(latencies, 0.99),
      gaps,
    }
  } finally {
    await clients.stop()
    await service.stop()
  }
}

async function idleWeight() {
  const service = await startProcess('./serve.mjs', {
    args: ['{}'],
    env: { ...env, RUNWRIGHT_SSE_IDLE_SECONDS: '600' },
  })
  const clients = await startProcess('./streams.mjs')
  try {
    const runs = await createRuns(service.url, idleStreams)
    const before = (await service.ask({ what: 'memory' })).answer.rss
    const requests = runs.map(({ path }, index) => ({ url: service.url, key: keys[index % keys.length], path }))
    await clients.ask({ what: 'open', requests })
    await later(3)
    const after = (await service.ask({ what: 'memory' })).answer.rss
    return (after - before) / idleStreams / 1000
  } finally {
    await clients.stop()
    await service.stop()
  }
}

const later = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000))
const fakeRuns = () => Array.from({ length: busyStreams }, (_, index) => ({ uuid: String(index), path: `/${index}` }))

async function createRuns(url, count) {
  const { fromWireId } = await import('../packages/server/dist/runtime/ids.js')
  const runs = []
  for (let start = 0; start < count; start += 50) {
    const created = await Promise.all(Array.from({ length: 50 }, (_, index) => create(url, `run-${start + index}`)))
    runs.push(...created.map((id) => ({ uuid: fromWireId('run', id), path: `/v1/runs/${id}/events/stream` })))
  }
  return runs
}

async function create(url, idempotencyKey) {
  const response = await fetch(`${url}/v1/runs`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${benchKey}`,
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey,
    },
    body: '{"input":{},"metadata":{}}',
  })
  return (await response.json()).id
}
