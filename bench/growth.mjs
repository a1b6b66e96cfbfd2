// Growth: the time of requests, claims and sweeps with more and more runs that have ended, and the bytes a run takes.
import { Database } from '../packages/server/dist/store/postgres/database.js'
import {
  findExpiredLeases,
  findExpiredWaits,
  findPastDeadline,
} from '../packages/server/dist/store/runs/overdue-runs.js'
import { fillRuns, fillTotals } from './lib/fill-runs.mjs'
import { percentile, report } from './lib/report.mjs'
import { createRun, send } from './lib/send.mjs'
import { benchKey, startProcess } from './lib/service.mjs'
import { measureBytes } from './lib/stored-bytes.mjs'

const places = 16
const claims = 30
const authorization = `Bearer ${benchKey}`
const monthAgo = new Date(Date.now() - 30 * 86_400_000).toISOString()

/** `run` is the id of one that has ended. */
const requests = (run) => ({
  'get a run': `/v1/runs/${run}`,
  'the events of a run': `/v1/runs/${run}/events`,
  'list the newest runs': '/v1/runs?limit=50',
  'list runs of a workspace': '/v1/runs?limit=50&workspace_id=workspace%207',
  'list runs of a subject': '/v1/runs?limit=50&subject_id=subject%2077',
  'list runs of a class': '/v1/runs?limit=50&run_class=long',
  'list failed runs': '/v1/runs?limit=50&status=failed',
  'count the runs of each state': '/v1/runs/counts',
  'list what agents remember': '/v1/memory/items?limit=50',
  'usage by day': `/v1/usage?start=${monthAgo}`,
  'usage of a subject by day': `/v1/usage?subject_id=subject%2077&start=${monthAgo}`,
  'usage records': `/v1/usage/events?start=${monthAgo}`,
  'usage records of tools': `/v1/usage/events?event_type=tool.invoked&start=${monthAgo}`,
  'usage records of a subject': `/v1/usage/events?subject_id=subject%2077&start=${monthAgo}`,
})

export async function run([sizesText = '10000,100000', asksText = '40', bytesRunsText = '600']) {
  const sizes = sizesText.split(',').map(Number)
  const service = await startProcess('./serve.mjs', { args: ['{}'] })
  const options = { connection: service.connection, maxConnections: 1, applicationName: 'bench' }
  const database = new Database({ ...options, statementTimeoutMs: 3_600_000, session: { work_mem: "'256MB'" } })
  const results = []
  try {
    for (const [index, size] of sizes.entries()) {
      const start = performance.now()
      await fillRuns(database, (sizes[index - 1] ?? 0) + 1, size)
      await fillTotals(database)
      await database.run({ text: 'vacuum analyze' })
      console.log(`${size} runs: filled in ${((performance.now() - start) / 1000).toFixed(0)} s`)
      results.push(await measure({ service, database }, Number(asksText)))
    }
  } finally {
    await database.close()
    await service.stop()
  }
  publish(sizes, results, await measureBytes(Number(bytesRunsText)))
}

/** Name → the times of all calls, in ms. */
async function measure({ service, database }, asks) {
  const times = new Map()
  const ask = async (name, work) => times.set(name, await timesOf(asks, work))
  const [{ id }] = JSON.parse(await read(service.url, '/v1/runs?limit=1&status=succeeded')).runs
  let created = 0
  const create = () => createRun(service.url, { idempotencyKey: `${Date.now()}-${++created}`, body: newRunBody })
  await ask('create a run', create)
  for (const [name, path] of Object.entries(requests(id))) await ask(name, () => read(service.url, path))
  await service.ask({ what: 'queue', runs: claims * places })
  times.set(`claim ${places} runs`, (await service.ask({ what: 'claim', rounds: claims, places })).answer)
  await ask('find expired leases', () => findExpiredLeases(database))
  await ask('find expired waits', () => findExpiredWaits(database))
  await ask('find runs past their deadline', () => findPastDeadline(database))
  // Claimed runs would be found again with the next size.
  await database.run({ text: endClaimed })
  return times
}

const endClaimed = `
update runs
set state = 'cancelled', worker_id = null, lease_until = null, step_until = null, await_until = null
where worker_id is not null`

const newRunBody = JSON.stringify({ input: { question: 'What is 2 + 2?' }, metadata: {} })

async function read(url, path) {
  const text = await send(`${url}${path}`, { headers: { authorization } })
  if (JSON.parse(text).error) throw new Error(`${path}: ${text}`)
  return text
}

async function timesOf(asks, work) {
  const times = []
  for (let one = -5; one < asks; one += 1) {
    const start = performance.now()
    await work()
    if (one >= 0) times.push(performance.now() - start)
  }
  return times
}

function publish(sizes, results, bytes) {
  const [smallest] = results
  // The machine may be busy with something else: of many calls, most of the fast ones are undisturbed.
  const p10 = (times) => percentile(times, 0.1)
  const cell = (result, name) => {
    const ratio = p10(result.get(name)) / p10(smallest.get(name))
    return `${p10(result.get(name)).toFixed(2)}${result === smallest ? '' : ` (${ratio.toFixed(2)} ×)`}`
  }
  report('growth', {
    title: 'Growth: p10 ms with so many runs that have ended, and the ratio to the fewest',
    columns: ['what', ...sizes.map((size) => size.toLocaleString('en-US'))],
    rows: [...smallest.keys()].map((name) => [name, ...results.map((result) => cell(result, name))]),
    notes: [
      'One request at a time over HTTP; claims and sweeps as the service makes them. 20 workspaces, 200 subjects, one customer.',
      'A class without runs is looked for among the newest 10,000 runs, and as many are counted. The usage of a subject adds up the hours of today in which it has records: a few hours with 10,000 runs, each hour with more.',
      ...bytes.map(describeBytes),
    ],
  })
}

function describeBytes({ name, ended, trimmed }) {
  const total = (sizes) => [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0)
  const largest = [...trimmed].toSorted(([, one], [, other]) => other - one).slice(0, 4)
  const parts = largest.map(([table, bytes]) => `\`${table}\` ${Math.round(bytes)}`).join(', ')
  return `Bytes of a run (${name}): ${Math.round(total(ended))} at its end, ${Math.round(total(trimmed))} after it was trimmed, of which ${parts}.`
}
