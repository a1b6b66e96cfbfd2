// How long clients and runs notice that the primary of a Patroni cluster is switched over or killed, and what is lost.
import { randomUUID } from 'node:crypto'
import { Database } from '../packages/server/dist/store/postgres/database.js'
import { startPatroni } from './lib/patroni.mjs'
import { report } from './lib/report.mjs'
import { createRun } from './lib/send.mjs'
import { startService } from './lib/service-on.mjs'

const step = { say: 'A step.', delay_ms: 500, tools: [{ name: 'calculator', input: { expression: '1+1' } }] }
const bodyOf = (steps) =>
  JSON.stringify({
    input: { sandbox: { steps: Array(steps).fill(step) } },
    metadata: {},
    routing_hint: 'skip_planning',
  })
const underWay = 20

const faults = {
  'switchover, synchronous standby': { synchronous: true, act: (patroni) => patroni.switchOver() },
  'primary killed, synchronous standby': { synchronous: true, act: (patroni) => patroni.killPrimary() },
  'primary killed, asynchronous standby': { synchronous: false, act: (patroni) => patroni.killPrimary() },
}

export async function run() {
  const rows = []
  for (const [name, fault] of Object.entries(faults)) rows.push([name, ...(await measure(fault))])
  report('failover', {
    title: 'Fail-over of a Patroni cluster with one standby',
    columns: [
      'what',
      'without a 201, s',
      'of it after the standby was promoted, s',
      'creates acknowledged, lost',
      `of ${underWay} runs under way: stalled, failed`,
    ],
    rows,
    notes: [
      'PostgreSQL, Patroni and etcd on loopback, with the times that Patroni has by default (`ttl` 30, `loop_wait` 10).',
      'Four clients create runs one after another and repeat what was not acknowledged, with the same key.',
    ],
  })
}

async function measure({ synchronous, act }) {
  const patroni = await startPatroni({ synchronous })
  const service = await startService(patroni.url)
  try {
    const runs = await Promise.all(Array.from({ length: underWay }, () => createRun(service.url, request(bodyOf(60)))))
    const clients = Array.from({ length: 4 }, () => keepCreating(service.url))
    await pause(3_000)
    const { name } = await patroni.primary()
    const [promoted] = await Promise.all([patroni.untilOther(name).then(() => performance.now()), act(patroni)])
    await pause(10_000)
    const acknowledged = (await Promise.all(clients.map((client) => client.stop()))).flat()
    const gap = longestGap(acknowledged.map(({ at }) => at))
    const fate = await examine(patroni.url, { acknowledged, runs })
    const seconds = (ms) => (ms / 1000).toFixed(1)
    const afterPromotion = Math.max(0, gap.end - promoted)
    return [seconds(gap.end - gap.start), seconds(afterPromotion), `${acknowledged.length}, ${fate.lost}`, fate.runs]
  } finally {
    await service.stop()
    await patroni.stop()
  }
}

function longestGap(times) {
  const sorted = times.toSorted((a, b) => a - b)
  const gaps = sorted.slice(1).map((end, index) => ({ start: sorted[index], end }))
  return gaps.toSorted((a, b) => b.end - b.start - (a.end - a.start))[0]
}

const request = (body) => ({ idempotencyKey: randomUUID(), body })
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

function keepCreating(url) {
  const acknowledged = []
  let isStopped = false
  const work = async () => {
    while (!isStopped) {
      const wanted = request(bodyOf(1))
      for (let id; id === undefined && !isStopped; ) {
        id = await createRun(url, wanted).catch(() => pause(50))
        if (id !== undefined) acknowledged.push({ id, at: performance.now() })
      }
    }
  }
  const working = work()
  return {
    stop: async () => {
      isStopped = true
      await working
      return acknowledged
    },
  }
}

async function examine(url, { acknowledged, runs }) {
  const database = new Database({ connection: { connectionString: url }, maxConnections: 1, applicationName: 'bench' })
  const uuids = await database.query({ text: 'select id::text from runs' })
  const { fromWireId } = await import('../packages/server/dist/runtime/ids.js')
  const stored = new Set(uuids.map(({ id }) => id))
  const lost = acknowledged.filter(({ id }) => !stored.has(fromWireId('run', id))).length
  const [fate] = await database.query({
    text: `
select count(distinct run_id) filter (where type = 'run.worker.stalled') as stalled,
  count(distinct run_id) filter (where type = 'run.worker.failed') as failed
from event_rows
where run_id = any ($1)`,
    values: [runs.map((id) => fromWireId('run', id))],
  })
  await database.close()
  return { lost, runs: `${fate.stalled}, ${fate.failed}` }
}
