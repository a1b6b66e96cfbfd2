// Runs that wait for a provider without a worker: what they hold meanwhile, and how soon after their time they go on.
import { setTimeout as sleep } from 'node:timers/promises'
import { Database } from '../../packages/server/dist/store/postgres/database.js'
import { ask, createRuns, withAgentService } from './agent-service.mjs'

const pollMs = 100
const restMs = 15_000
const giveUpSeconds = 600
const maxWarmUpRuns = 2_000

export const measureParking = ({ parked, places, retrySeconds }) =>
  withAgentService({ places }, async ({ provider, service }) => {
    // A connection of its own: the service is busy when the runs wake up.
    const database = new Database({ connection: service.connection, maxConnections: 1, applicationName: 'bench' })
    const read = async (text) => (await database.query({ text }))[0]
    try {
      await warmUp({ provider, service, read }, Math.min(maxWarmUpRuns, parked))
      const before = await memoryAtRest(service, restMs)
      const asleep = await park({ provider, service, read }, { parked, retrySeconds })
      const after = await memoryAtRest(service, Math.min(restMs, asleep.msLeft / 2))
      const { held } = await read('select count(*) as held from runs where worker_id is not null')
      await ask(provider, { what: 'behave', behaviour: { mode: 'answer', delayMs: 50 } })
      const woken = await watchWaking(read)
      const calls = await ask(provider, { what: 'calls' })
      const perRun = (name) => (after[name] - before[name]) / parked / 1000
      return { held, residentKb: perRun('rss'), heapKb: perRun('heapUsed'), ...asleep, ...woken, calls }
    } finally {
      await database.close()
    }
  })

async function warmUp({ provider, service, read }, runs) {
  await ask(provider, { what: 'behave', behaviour: { mode: 'answer', delayMs: 1 } })
  await createRuns(service, runs)
  await repeat(async () => (await openRuns(read)) === 0, 'the warm-up')
}

/** Read after a collection every second: the collector gives memory back only little by little. */
async function memoryAtRest(service, ms) {
  let memory
  for (const end = performance.now() + ms; performance.now() < end; await sleep(1_000)) {
    memory = await ask(service, { what: 'memory' })
  }
  return memory
}

/** Creates runs whose first call is refused, until all wait for another try. */
async function park({ provider, service, read }, { parked, retrySeconds }) {
  await ask(provider, { what: 'behave', behaviour: { mode: 'refuse', retryAfterSeconds: retrySeconds } })
  const start = performance.now()
  await createRuns(service, parked)
  await repeat(
    async () => (await read(`select count(*) as count from runs where ${isParked}`)).count === parked,
    'parking',
  )
  const parkingSeconds = (performance.now() - start) / 1000
  const refused = await ask(provider, { what: 'calls' })
  await read(`create temporary table due as select customer_id, id, epoch, ready_at as at from runs where ${isParked}`)
  const { ms_left: msLeft, spread } = await read(`
    select extract(epoch from min(at) - clock_timestamp())::float8 * 1000 as ms_left,
      extract(epoch from max(at) - min(at))::float8 as spread
    from due`)
  return { parkingSeconds, refused, msLeft, spreadSeconds: spread }
}

/** With time left to look at it. A run that wakes up before the last is parked is refused again. */
const isParked = "state = 'running' and worker_id is null and ready_at > clock_timestamp() + interval '8 s'"

/** A claim raises the epoch: a run that still has the one it was parked with has not woken up. */
async function watchWaking(read) {
  let lateSeconds = 0
  await repeat(async () => {
    const { asleep, late } = await read(`
      select count(*) as asleep, extract(epoch from clock_timestamp() - min(at))::float8 as late
      from due
      join runs using (customer_id, id, epoch)`)
    lateSeconds = Math.max(lateSeconds, late ?? 0)
    return asleep === 0
  }, 'waking up')
  await repeat(async () => (await openRuns(read)) === 0, 'the end of the runs')
  const { seconds } = await read('select extract(epoch from clock_timestamp() - max(at))::float8 as seconds from due')
  const { failed, recoveries } = await read(`
    select count(*) filter (where state <> 'succeeded') as failed, sum(recoveries)::integer as recoveries
    from runs`)
  return { lateSeconds, endSeconds: seconds, failed, recoveries }
}

const openRuns = async (read) =>
  (await read("select count(*) as count from runs where state in ('queued', 'running', 'stalled')")).count

async function repeat(isDone, what) {
  const end = performance.now() + giveUpSeconds * 1000
  while (!(await isDone())) {
    if (performance.now() > end) throw new Error(`${what} takes longer than ${giveUpSeconds} s`)
    await sleep(pollMs)
  }
}
