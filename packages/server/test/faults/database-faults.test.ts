// PostgreSQL goes away and comes back while runs execute: nothing that was acknowledged is lost, and every run ends as
// it would have.
import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ConnectionOptions, Database } from '../../src/store/postgres/database.ts'
import { endure, expectNothingLost, type Outcome, pause } from '../support/endure-faults.ts'
import type { Caller } from '../support/http.ts'
import {
  Fleet,
  type HostedFleet,
  newFolder,
  rowOf,
  startFleet,
  until,
  untilAllOver,
  urlOf,
} from '../support/processes.ts'
import { type Proxy as LosingProxy, startProxy } from '../support/proxy.ts'
import { RestartedPostgres } from '../support/restarted-postgres.ts'

const shortLease = {
  RUNWRIGHT_LEASE_SECONDS: '3',
  RUNWRIGHT_HEARTBEAT_SECONDS: '0.5',
  RUNWRIGHT_RECOVERY_DELAY_SECONDS: '0.2',
}

/** A worker holds on to its runs for twelve seconds without an answer. */
const longLease = {
  RUNWRIGHT_LEASE_SECONDS: '18',
  RUNWRIGHT_HEARTBEAT_SECONDS: '2',
  RUNWRIGHT_RECOVERY_DELAY_SECONDS: '0.2',
}

describe.concurrent('while connections are cut, some of them between a commit and its answer', () => {
  const cutAll = `
select pg_terminate_backend(pid)
from pg_stat_activity
where datname = current_database() and application_name like 'runwright%' and application_name <> 'runwright test'`
  let found: { database: Database; outcome: Outcome }
  let proxy: LosingProxy
  let close: () => Promise<void>

  beforeAll(async () => {
    const reach = async (connection: ConnectionOptions) => {
      proxy = await startProxy(connection)
      return proxy.connection
    }
    const { fleet, database, ...hosted } = await startFleet({ env: shortLease, reach })
    close = hosted.close
    const faults = async () => {
      for (let cut = 1; cut <= 120; cut += 1) {
        if (cut % 24 === 0) await database.query({ text: cutAll })
        else proxy.loseNextAnswer()
        await pause(25)
      }
    }
    found = { database, outcome: await endure({ fleet, database, runs: 200, late: 30, stepCount: 5, faults }) }
  }, 120_000)
  afterAll(async () => {
    await close()
    await proxy.close()
  })

  expectNothingLost(() => found)

  test('answers were lost', () => {
    expect(proxy.lost).toBeGreaterThan(40)
  })
})

describe.concurrent('while the journal cannot be read for six seconds', () => {
  let hosted: HostedFleet
  beforeAll(async () => {
    hosted = await startFleet({ env: { ...shortLease, RUNWRIGHT_WORKER_CONCURRENCY: '1' } })
  })
  afterAll(() => hosted.close())

  /** Locks the journal, and cancels the statements that wait for it. */
  async function withholdJournal(database: Database, meanwhile: () => void): Promise<void> {
    await database.withConnection(async (client) => {
      await client.query('begin')
      await client.query('lock table journal in access exclusive mode')
      meanwhile()
      const end = performance.now() + 6_000
      while (performance.now() < end) {
        await client.query(`
select pg_cancel_backend(pid)
from pg_locks
where relation = 'journal'::regclass and not granted`)
        await pause(50)
      }
      await client.query('rollback')
    })
  }

  test('a worker that has just claimed a run goes on with it, and with others, afterwards', {
    timeout: 120_000,
  }, async () => {
    const { fleet, database } = hosted
    const [api, worker] = await Promise.all([fleet.start('api'), fleet.start('worker')])
    const caller = fleet.caller(api)
    // biome-ignore lint/suspicious/noThenProperty: the script's own word.
    const steps = [{ say: 'before', then: 'await_input' }, { say: 'after' }]
    const asking = await caller.newRun({ routing_hint: 'skip_planning', input: { sandbox: { steps } } })
    await until(async () => (await rowOf(database, asking.id)).await_seq !== null, { what: 'a question' })
    worker.signal('SIGSTOP')
    expect((await caller.post(`/v1/runs/${asking.id}/signal`, { action: 'approve' })).status).toBe(200)
    await withholdJournal(database, () => worker.signal('SIGCONT'))
    await caller.newRun()
    expect(await untilAllOver(database, 30_000)).toEqual({ succeeded: 2 })
  })
})

interface Refusals {
  /** `201`, or a status and a reason code, each once. */
  readonly whileAway: readonly string[]
  readonly afterwards: string
  readonly isAlive: boolean
}

/** Keeps asking for runs for a while, as clients do that do not know that the database is away. */
async function askForRuns(api: Caller): Promise<string[]> {
  const answers = Array.from({ length: 20 }, async (_, n) => {
    await pause(n * 150)
    return answerTo(api)
  })
  return [...new Set(await Promise.all(answers))]
}

async function answerTo(api: Caller): Promise<string> {
  const reply = await api.create().catch((error: NodeJS.ErrnoException) => error.code ?? error.message)
  if (typeof reply === 'string' || reply.status === 201) return typeof reply === 'string' ? reply : '201'
  return `${reply.status} ${reply.json<{ reason_code: string }>().reason_code}`
}

describe.concurrent('while the server restarts and then is away for eleven seconds', () => {
  const folders: string[] = []
  const fleets: { readonly fleet: Fleet; readonly database: Database }[] = []
  const outcomes = new Map<string, { readonly database: Database; readonly outcome: Outcome }>()
  let refusals: Refusals
  let postgres: RestartedPostgres

  const folder = async () => {
    folders.push(await newFolder())
    return folders.at(-1) ?? ''
  }

  async function openFleet(name: string, env: Record<string, string> = {}) {
    const admin = new Database({
      connection: postgres.connection,
      maxConnections: 1,
      applicationName: 'runwright test',
    })
    await admin.run({ text: `create database ${name}` })
    await admin.close()
    const connection = { ...postgres.connection, database: name }
    const database = new Database({ connection, maxConnections: 4, applicationName: 'runwright test' })
    const opened = { fleet: new Fleet(await folder(), urlOf(connection), env), database }
    fleets.push(opened)
    return opened
  }

  async function restartAndStayAway(): Promise<void> {
    const { fleet } = await openFleet('asked')
    await postgres.restart()
    const service = await fleet.start('api')
    const api = fleet.caller(service)
    await answerTo(api)
    await postgres.stop()
    const [whileAway] = await Promise.all([askForRuns(api), pause(11_000)])
    await postgres.start()
    refusals = { whileAway, afterwards: await answerTo(api), isAlive: service.isAlive }
  }

  beforeAll(async () => {
    postgres = new RestartedPostgres(await folder())
    await postgres.start()
    let underWay = 0
    let start: () => void = () => undefined
    const faults = new Promise<void>((resolve) => {
      start = resolve
    }).then(restartAndStayAway)
    const whenBothAreUnderWay = async () => {
      underWay += 1
      if (underWay === 2) start()
      await faults
    }
    const endureIn = async (name: string, env: Record<string, string>, late: number) => {
      const { fleet, database } = await openFleet(name, env)
      const trial = { fleet, database, late, runs: 90, stepCount: 6, faults: whenBothAreUnderWay }
      outcomes.set(name, { database, outcome: await endure(trial) })
    }
    await Promise.all([endureIn('short_lease', shortLease, 40), endureIn('long_lease', longLease, 0)])
  }, 150_000)
  afterAll(async () => {
    for (const { fleet, database } of fleets) {
      await fleet.close()
      await database.close()
    }
    await postgres.stop()
    await Promise.all(folders.map((path) => rm(path, { recursive: true, force: true })))
  })

  const outcomeOf = (name: string) => () => {
    const trial = outcomes.get(name)
    if (!trial) throw new Error(`the trial ${name} did not come to its end`)
    return trial
  }

  describe('with leases that run out meanwhile', () => expectNothingLost(outcomeOf('short_lease')))
  describe('with leases that do not', () => expectNothingLost(outcomeOf('long_lease')))

  test('an API refuses new runs, and takes them again afterwards', () => {
    const { whileAway, ...later } = refusals
    expect(whileAway.filter((answer) => !/^503 (DATABASE_UNAVAILABLE|OVERLOADED)$/.test(answer))).toEqual([])
    expect(later).toEqual({ afterwards: '201', isAlive: true })
  })
})
