// Latency on an idle service: from the moment a create is sent to its start and its end, as a client sees them over
// SSE.
import { percentile, report, spread } from './lib/report.mjs'
import { createRun, followRun, send } from './lib/send.mjs'
import { startProcess } from './lib/service.mjs'

const body = JSON.stringify({
  input: { sandbox: { steps: [{}, {}, {}] } },
  metadata: {},
  routing_hint: 'skip_planning',
})

export async function run([runsText = '200', roundsText = '3']) {
  const rounds = []
  for (let round = 1; round <= Number(roundsText); round += 1) rounds.push(await measure(Number(runsText)))
  const row = (name, values) => [
    name,
    spread(
      rounds.map((result) => percentile(result[values], 0.5)),
      1,
    ),
    spread(
      rounds.map((result) => percentile(result[values], 0.99)),
      1,
    ),
  ]
  report('latency', {
    title: `Latency on an idle service, ${runsText} runs of 3 no-op steps one by one`,
    columns: ['from the create being sent to', 'p50 ms', 'p99 ms'],
    rows: [
      row('a bare round trip (GET /health/live), the baseline', 'bare'),
      row('the answer 201', 'created'),
      row('run.worker.started committed', 'startedAt'),
      row('the end committed', 'endedAt'),
      row('run.worker.started received over SSE', 'started'),
      row('the end received over SSE', 'ended'),
    ],
    notes: ['“Committed” is the time that the database stamped on the event, just before its commit.'],
  })
}

async function measure(runs) {
  const service = await startProcess('./serve.mjs', { args: [JSON.stringify({ executes: true })] })
  const result = { bare: [], created: [], startedAt: [], endedAt: [], started: [], ended: [] }
  try {
    for (let number = 0; number < 50; number += 1) await one(service.url, `warm-${number}`)
    for (let number = 0; number < runs; number += 1) {
      result.bare.push(await roundTrip(service.url))
      const times = await one(service.url, `run-${number}`)
      for (const [name, value] of Object.entries(times)) result[name].push(value)
    }
    return result
  } finally {
    await service.stop()
  }
}

const now = () => performance.timeOrigin + performance.now()

async function roundTrip(url) {
  const start = now()
  await send(`${url}/health/live`, {})
  return now() - start
}

async function one(url, idempotencyKey) {
  const start = now()
  const id = await createRun(url, { idempotencyKey, body })
  const created = now() - start
  let started
  const text = await followRun(url, id, (received) => {
    if (received.includes('run.worker.started')) started ??= now() - start
    return received.includes('run.worker.succeeded')
  })
  const ended = now() - start
  const stampOf = (type) => Date.parse(new RegExp(`"type":"${type}","timestamp":"([^"]+)"`).exec(text)[1]) - start
  return { created, started, ended, startedAt: stampOf('run.worker.started'), endedAt: stampOf('run.worker.succeeded') }
}
