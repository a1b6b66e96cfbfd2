// The database is away for longer than a lease: how soon do runs go on when it is back, and what is asked or done
// twice?
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../packages/server/dist/store/embedded/start-embedded-postgres.js'
import { Database } from '../packages/server/dist/store/postgres/database.js'
import { report, spread } from './lib/report.mjs'
import { createRun, followRun, hasEnd } from './lib/send.mjs'
import { startService } from './lib/service-on.mjs'

const runs = 20
const step = { say: 'A step.', delay_ms: 500, tools: [{ name: 'pay', input: {} }] }
const body = JSON.stringify({
  input: { sandbox: { steps: Array(10).fill(step) } },
  metadata: {},
  routing_hint: 'skip_planning',
})

export async function run([secondsText = '40']) {
  const awayMs = Number(secondsText) * 1000
  const folder = mkdtempSync(join(tmpdir(), 'runwright-bench-'))
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), diesWithParent: true })
  const line = await startLine(postgres.connection)
  writeFileSync(join(folder, 'pay.mjs'), payTool(join(folder, 'calls')))
  const service = await startService(line.url, { RUNWRIGHT_TOOLS_DIR: folder })
  const created = Array.from({ length: runs }, () => createRun(service.url, { idempotencyKey: randomUUID(), body }))
  const ids = await Promise.all(created)
  await pause(4_000)
  line.cut()
  await pause(awayMs)
  const backAt = Date.now()
  line.mend()
  for (const id of ids) while (!hasEnd(await followRun(service.url, id, hasEnd))) await pause(100)
  const facts = await examine(postgres.connection, backAt)
  const calls = readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n')
  await service.stop()
  line.stop()
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
  report('outage', {
    title: `The database is away for ${secondsText} s, with the default lease of 30 s`,
    columns: ['what', 'result'],
    rows: [
      [`from its return to the next event of each of ${runs} runs under way, s`, spread(facts.waits, 1)],
      ['runs stalled, questions to a person, runs failed', `${facts.stalled}, ${facts.asked}, ${facts.failed}`],
      ['calls of a `once` tool, of them made twice', `${calls.length}, ${calls.length - new Set(calls).size}`],
    ],
  })
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** Takes 2 s, so that calls are under way when the database goes and when it comes back. */
const payTool = (file) => `
import { appendFileSync } from 'node:fs'
export default {
  name: 'pay',
  description: 'Pays.',
  input: { type: 'object' },
  effect: 'once',
  policy: 'allow',
  async run(input, { toolCallId }) {
    appendFileSync(${JSON.stringify(file)}, toolCallId + '\\n')
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    return { paid: true }
  },
}
`

/** A way to the database that can be cut. */
async function startLine({ host, port, user, password, database }) {
  const sockets = new Set()
  let isCut = false
  const server = createServer((near) => {
    if (isCut) return near.destroy()
    const far = connect(join(host, `.s.PGSQL.${port}`))
    for (const [one, other] of [
      [near, far],
      [far, near],
    ]) {
      sockets.add(one)
      one.pipe(other)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${server.address().port}/${database}`,
    cut,
    mend: () => {
      isCut = false
    },
    stop: () => {
      cut()
      server.close()
    },
  }
}

async function examine(connection, backAt) {
  const database = new Database({ connection, maxConnections: 1, applicationName: 'bench' })
  const waits = await database.query({
    text: `
select extract(epoch from min(at))::float8 - $1::float8 / 1000 as seconds
from event_rows
where at > to_timestamp($1::float8 / 1000)
group by run_id`,
    values: [backAt],
  })
  const [fate] = await database.query({
    text: `
select count(*) filter (where type = 'run.worker.stalled') as stalled,
  count(*) filter (where type = 'run.awaiting_input') as asked,
  count(*) filter (where type = 'run.worker.failed') as failed
from event_rows`,
  })
  await database.close()
  return { waits: waits.map(({ seconds }) => seconds), ...fate }
}
