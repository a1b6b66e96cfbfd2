// Places: one customer has 100,000 queued runs and every place, another creates one short run at a time. How long the
// short run waits until it is started, by the times that the database stamped on its events.
import { percentile, report } from './lib/report.mjs'
import { createRun, followRun, hasEnd } from './lib/send.mjs'
import { benchKey, startProcess } from './lib/service.mjs'

const neighbour = 'key_neighbour:another-secret-of-no-importance'
const places = 64
const stepMs = 500
const waitSeconds = 1.5
const steps = 100
const shortRun = JSON.stringify({
  input: {},
  metadata: {},
  run_class: 'short',
  plan: { version: 'v2', steps: [{ tool: 'calculator', input: { expression: '6 * 7' } }] },
})

const working = { input: JSON.stringify({ sandbox: { steps: Array(steps).fill({ delay_ms: stepMs }) } }) }
const waiting = {
  plan: { version: 'v2', steps: Array(steps).fill({ tool: 'wait', input: { seconds: waitSeconds } }) },
}

export async function run([queuedText = '100000', triesText = '50']) {
  const [queued, tries] = [Number(queuedText), Number(triesText)]
  const idle = await measure({ tries })
  const beside = await measure({ tries, queued, part: working })
  const besideWaits = await measure({ tries, queued, part: waiting })
  const row = (name, { waits, stepMedian }, goal) => [
    name,
    stepMedian === undefined ? '' : stepMedian.toFixed(0),
    percentile(waits, 0.5).toFixed(1),
    percentile(waits, 0.99).toFixed(1),
    goal,
  ]
  report('places', {
    title: `A short run of another customer, ${places} places taken by one with ${queued.toLocaleString('en')} queued runs`,
    columns: ['the other customer', 'median step ms', 'start p50 ms', 'start p99 ms', 'goal for each'],
    rows: [
      row('has no runs, the baseline', idle, ''),
      row(`has runs of ${steps} steps of ${stepMs} ms`, beside, `≤ ${(2 * beside.stepMedian).toFixed(0)}`),
      row(`has runs of ${steps} waits of ${waitSeconds} s`, besideWaits, '≤ 1000'),
    ],
    notes: [
      `From run.created to run.worker.started, ${tries} runs one after another. With ${tries} of them, p99 is the slowest.`,
      'All queued runs are of the class `short`, which may take every place.',
    ],
  })
}

async function measure({ tries, queued, part }) {
  const service = await startProcess('./serve.mjs', {
    args: [JSON.stringify({ executes: true })],
    env: {
      RUNWRIGHT_WORKER_CONCURRENCY: String(places),
      RUNWRIGHT_BOOTSTRAP_KEYS: `bench=${benchKey},neighbour=${neighbour}`,
    },
  })
  try {
    for (let n = 0; n < 20; n += 1) await waitOf(service.url, `warm-up-${n}`)
    if (queued) await service.ask({ what: 'queue', runs: queued, part: { ...part, runClass: 'short' } })
    if (queued) await service.ask({ what: 'full', places })
    const waits = []
    for (let n = 0; n < tries; n += 1) waits.push(await waitOf(service.url, `run-${n}`))
    return { waits, stepMedian: queued && (await service.ask({ what: 'stepMedian' })).answer }
  } finally {
    await service.stop()
  }
}

async function waitOf(url, idempotencyKey) {
  const id = await createRun(url, { idempotencyKey, body: shortRun, key: neighbour })
  const text = await followRun(url, id, hasEnd, neighbour)
  const stampOf = (type) => Date.parse(new RegExp(`"type":"${type}","timestamp":"([^"]+)"`).exec(text)[1])
  return stampOf('run.worker.started') - stampOf('run.created')
}
