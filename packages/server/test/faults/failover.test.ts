// The primary dies and its synchronous standby is promoted: the service finds it, nothing acknowledged is lost, and
// runs go on.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Database } from '../../src/store/postgres/database.ts'
import { migrate } from '../../src/store/postgres/migrate.ts'
import { findWriteProblem } from '../../src/store/postgres/write-check.ts'
import { type Bench, outline, scripted, startBench } from '../support/engine.ts'
import { ownTool } from '../support/own-tool.ts'
import { type ReplicatedPostgres, startReplicatedPostgres } from '../support/replicated-postgres.ts'

let folder: string
let postgres: ReplicatedPostgres
let bench: Bench
const pay = ownTool({ name: 'pay', effect: 'once', held: true })

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rw-'))
  postgres = await startReplicatedPostgres(folder)
  const { connection } = postgres
  // With a connection of its own, so that the service has to find the primary by itself.
  const own = { ...connection }
  const database = new Database({ connection: own, maxConnections: 4, applicationName: 'runwright test' })
  await migrate(database)
  const host = { connection, database, drop: () => database.close() }
  bench = await startBench({}, { tools: [pay], host })
})
afterAll(async () => {
  await bench?.stop()
  await postgres?.stop()
  await rm(folder, { recursive: true, force: true })
})

test('a standby alone is found to be read-only', async () => {
  const connectionString = postgres.connection.connectionString?.replace(/@[^,/]*,/, '@')
  const standby = new Database({
    connection: { connectionString: connectionString ?? '' },
    maxConnections: 1,
    applicationName: 'runwright test',
  })
  expect(await findWriteProblem(standby)).toBe('read_only')
  await standby.close()
})

/** Creates runs one after another, as a client that repeats what was not acknowledged, until told to stop. */
function keepCreating() {
  const acknowledged: { readonly id: string; readonly at: number }[] = []
  let isStopped = false
  const work = async () => {
    for (let n = 0; !isStopped; ) {
      const headers = { 'idempotency-key': `run-${n}` }
      const reply = await bench.acme.create(scripted([{ say: 'done' }]), headers)
      if (reply.status === 503) continue
      expect([200, 201]).toContain(reply.status)
      acknowledged.push({ id: reply.json<{ id: string }>().id, at: performance.now() })
      n += 1
    }
  }
  const working = work()
  const stop = () => {
    isStopped = true
    return working
  }
  return { acknowledged, stop }
}

test('the promoted standby is found within 5 s, nothing acknowledged is lost, and a call is not made again', async () => {
  const id = await bench.create(scripted([{ say: 'paid', tools: [{ name: 'pay' }] }]))
  await pay.called(id)
  const client = keepCreating()
  await bench.ended(await bench.create(scripted([{ say: 'before' }])))

  await postgres.killPrimary()
  pay.release()
  await postgres.promoteStandby()
  const promotedAt = performance.now()
  const events = await bench.ended(id)
  await client.stop()

  const firstAfter = client.acknowledged.find(({ at }) => at > promotedAt)
  expect((firstAfter?.at ?? Number.POSITIVE_INFINITY) - promotedAt).toBeLessThan(5_000)
  expect(outline(events)).toEqual([
    'created',
    'started',
    'tool_call_start pay',
    'tool_call_done pay',
    'invoked pay succeeded',
    'step.done succeeded',
    'judge stop all_done',
    'succeeded',
  ])
  expect(pay.calls).toHaveLength(1)
  const ids = client.acknowledged.map((run) => run.id)
  expect(new Set(ids).size).toBe(ids.length)
  for (const each of ids) expect(outline(await bench.ended(each)).at(-1)).toBe('succeeded')
})
