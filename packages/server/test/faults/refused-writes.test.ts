// The database refuses writes, and can be read: its disk is full, or it has become read-only. Reads work, writes are
// refused by name, the service is not ready, and all is well when the database accepts writes again.
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/store/embedded/start-embedded-postgres.ts'
import { Database } from '../../src/store/postgres/database.ts'
import { migrate } from '../../src/store/postgres/migrate.ts'
import { Metrics } from '../../src/telemetry/metrics.ts'
import { type Bench, eventually, scripted, startBench, thenStep } from '../support/engine.ts'
import { expectRefusal, type Reply } from '../support/http.ts'
import { canMount, SmallDisk } from '../support/small-disk.ts'
import { testPostgres } from '../support/test-postgres.ts'

const large = { input: { text: 'x'.repeat(100_000) }, metadata: {} }
const full = 'The disk of the database is full'

// Only root can mount a disk. Elsewhere the errors of such a disk are played: see database-trouble.test.ts.
describe.skipIf(!canMount)('a disk without room', () => {
  let disk: SmallDisk
  let server: EmbeddedPostgres
  let bench: Bench
  let ended: string
  let waiting: string
  const metrics = new Metrics()

  beforeAll(async () => {
    disk = new SmallDisk(400)
    server = await startEmbeddedPostgres({ dataDir: join(disk.folder, 'data'), diesWithParent: true })
    const { connection } = server
    const database = new Database({ connection, maxConnections: 4, applicationName: 'runwright test' })
    await migrate(database)
    bench = await startBench({}, { metrics, host: { connection, database, drop: () => database.close() } })
    ended = (await bench.play(scripted([{ say: 'one' }]))).id
    waiting = await bench.create(scripted([thenStep('await_input')]))
    await bench.waits(waiting)
  }, 60_000)
  afterAll(async () => {
    disk?.free()
    await bench?.stop()
    await server?.stop()
    disk?.remove()
  })

  /** The log of the database has room in its last file: a few writes may still succeed. */
  const untilRefused = (): Promise<Reply> =>
    eventually(async () => {
      const replies = await Promise.all(Array.from({ length: 20 }, () => bench.acme.create(large)))
      return replies.find(({ status }) => status !== 201)
    }, 40_000)

  test('creates are refused with 503 and the reason, and the service is not ready', async () => {
    await disk.fill()
    const refused = await untilRefused()
    expectRefusal(refused, 503, 'DATABASE_UNAVAILABLE')
    expect(refused.text).toContain(full)
    for (const path of ['/health/ready', '/health/deps']) {
      const probe = await bench.acme.get(path)
      expect({ path, status: probe.status, message: probe.json().message }).toMatchObject({
        status: 503,
        message: expect.stringContaining(full),
      })
    }
    expect((await bench.acme.get('/health/live')).status).toBe(200)
    const log = bench.service.log.all.filter((line) => line.includes('the disk of the database is full'))
    expect(log).not.toHaveLength(0)
    expect(await metrics.text()).toMatch(/runwright_database_trouble_total\{pool="creates",kind="disk_full"\} [1-9]/)
  }, 60_000)

  test('reads work while writes wait for more than the 2 s after which the service is overloaded', async () => {
    const since = performance.now()
    const refusals: Promise<Reply>[] = []
    const paths = [`/v1/runs/${ended}`, '/v1/runs', `/v1/runs/${ended}/events`, '/v1/usage', '/v1/memory/items']
    const seen = new Set<string>()
    while (performance.now() - since < 4_000) {
      if (refusals.length < 40) refusals.push(bench.acme.create(large))
      for (const path of paths) seen.add(`${path} ${(await bench.acme.get(path)).status}`)
    }
    expect([...seen]).toEqual(paths.map((path) => `${path} 200`))
    const told = new Set((await Promise.all(refusals)).map(({ status, text }) => `${status} ${text.includes(full)}`))
    // The database may find room in between, as when it recycles a file of its log.
    told.delete('201 false')
    expect([...told]).toEqual(['503 true'])
  }, 60_000)

  test('with room again the service is ready and writes by itself', async () => {
    disk.free()
    const isReady = async () => (await bench.acme.get('/health/ready')).status === 200 || undefined
    await eventually(isReady, 10_000)
    // What waits in the queues is tried again within a second.
    await eventually(async () => (await bench.acme.create(large)).status === 201 || undefined, 10_000)
    const signal = await bench.signal(waiting, 'approve')
    expect(signal.status, signal.text).toBe(200)
    await bench.ended(waiting)
    expect((await bench.acme.get('/health/deps')).status).toBe(200)
  }, 60_000)
})

describe('a database that has become read-only', () => {
  let bench: Bench
  let waiting: string

  beforeAll(async () => {
    bench = await startBench()
    waiting = await bench.create(scripted([thenStep('await_input')]))
    await bench.waits(waiting)
  })
  afterAll(() => bench.stop())

  /** For all connections: those that are open end. */
  async function setReadOnly(value: 'on' | 'off'): Promise<void> {
    const admin = new Database({
      connection: await testPostgres(),
      maxConnections: 1,
      applicationName: 'runwright test',
    })
    const [row] = await bench.service.database.query<{ name: string }>({ text: 'select current_database() as name' })
    await admin.run({ text: `alter database ${row?.name} set default_transaction_read_only = ${value}` })
    const text = 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1'
    await admin.run({ text, values: [row?.name] })
    await admin.close()
  }

  test('creates and signals are refused with 503 and the reason, reads work, and the service is not ready', async () => {
    await setReadOnly('on')
    const [create, signal] = await Promise.all([bench.acme.create(large), bench.signal(waiting, 'approve')])
    for (const reply of [create, signal]) {
      expectRefusal(reply, 503, 'DATABASE_UNAVAILABLE')
      expect(reply.text).toContain('The database is read-only')
    }
    for (const path of [`/v1/runs/${waiting}`, '/v1/runs', '/v1/usage']) {
      expect(`${path} ${(await bench.acme.get(path)).status}`).toBe(`${path} 200`)
    }
    const ready = await bench.acme.get('/health/ready')
    expect([ready.status, ready.json().message]).toEqual([503, expect.stringContaining('read-only')])
  })

  test('when it accepts writes again, the service is ready and writes by itself', async () => {
    await setReadOnly('off')
    await eventually(async () => (await bench.acme.get('/health/ready')).status === 200 || undefined, 10_000)
    await eventually(async () => (await bench.acme.create(large)).status === 201 || undefined, 10_000)
    await eventually(async () => (await bench.signal(waiting, 'approve')).status === 200 || undefined, 10_000)
    await bench.ended(waiting)
  })
})
