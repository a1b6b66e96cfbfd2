// Hosts are replaced one after another: processes of this version and of a next one share a database. The next version
// is this one with two more migrations and a newer journal.
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { journalVersion } from '../../src/domain/run/journal.ts'
import { type Caller, emptyRun } from '../support/http.ts'
import { expectInvariants } from '../support/invariants.ts'
import { KillPoint } from '../support/kill-point.ts'
import {
  type HostedFleet,
  rowOf,
  type ServiceProcess,
  startFleet,
  until,
  untilAllOver,
  untilOver,
} from '../support/processes.ts'

const own = join(import.meta.dirname, '../..')
/** Leases end when the test says so: a slow machine loses none. */
const env = { RUNWRIGHT_LEASE_SECONDS: '600', RUNWRIGHT_RECOVERY_DELAY_SECONDS: '0.05' }

const expand = `
-- works with: 1
alter table runs add shade text;
alter table run_results add checked boolean not null default false;
`
const contract = 'alter table runs drop shade;'

const steps = {
  ...emptyRun,
  input: {
    sandbox: {
      steps: [
        { say: 'one', tokens: 10 },
        { say: 'two', tokens: 5, delay_ms: 20 },
      ],
    },
  },
}
const waiting = {
  ...emptyRun,
  routing_hint: 'require_planning',
  input: {
    sandbox: {
      steps: [
        // biome-ignore lint/suspicious/noThenProperty: the word of the script.
        { say: 'one', tokens: 10, then: 'await_input', await: { input_kind: 'approval', reason_code: 'review' } },
        { say: 'two', tokens: 5 },
      ],
    },
  },
}

let hosted: HostedFleet
let folder: string
let caller: Caller
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'runwright-next-'))
  const [started] = await Promise.all([startFleet({ env }), buildNext()])
  hosted = started
  caller = hosted.fleet.caller(await hosted.fleet.start('api'))
})
afterAll(async () => {
  await hosted.close()
  await rm(folder, { recursive: true })
})

const nextProgram = () => join(folder, 'server/bin/runwright.mjs')
const addMigration = (name: string, sql: string) => writeFile(join(folder, 'server/dist/store/migrations', name), sql)

async function buildNext(): Promise<void> {
  const next = join(folder, 'server')
  await cp(own, next, {
    recursive: true,
    filter: (path) => !/\/(src|test|bundle|node_modules|\.tsbuildinfo)$/.test(path),
  })
  await symlink(join(own, '../../node_modules'), join(folder, 'node_modules'))
  await symlink(join(own, 'node_modules'), join(next, 'node_modules'))
  const journal = join(next, 'dist/domain/run/journal.js')
  const code = await readFile(journal, 'utf8')
  const newer = code.replace(`journalVersion = ${journalVersion};`, `journalVersion = ${journalVersion + 1};`)
  expect(newer).not.toBe(code)
  await writeFile(journal, newer)
  await addMigration('002_expand.sql', expand)
}

const startNext = () => hosted.fleet.start('worker', {}, nextProgram())
const expireLeases = () =>
  hosted.database.run({
    text: "update runs set lease_until = clock_timestamp() - interval '1 second' where worker_id is not null",
  })

async function approve(id: string): Promise<void> {
  const { await_seq } = await rowOf(hosted.database, id)
  const { status } = await caller.post(`/v1/runs/${id}/signal`, { action: 'approve', await_seq })
  expect(status).toBe(200)
}

/** A run that a worker of the next version has begun, and left by dying. */
async function beginWithNext(newer: ServiceProcess): Promise<string> {
  const killPoint = new KillPoint(hosted.database, { table: 'journal', column: 'key' })
  await killPoint.install()
  await killPoint.arm('done:%')
  const { id } = await caller.newRun(steps)
  await until(() => killPoint.isReached(), { what: 'the first step' })
  await newer.kill()
  await killPoint.cutOff()
  await expireLeases()
  return id
}

test('processes of two versions share a database', { timeout: 120_000 }, async () => {
  const { fleet, database } = hosted
  const older = await fleet.start('worker')
  const asked = await caller.newRun(waiting)
  await until(async () => (await rowOf(database, asked.id)).await_seq, { what: 'a question of the older worker' })

  // The next version migrates while this one creates and executes runs.
  const creates = Array.from({ length: 60 }, () => caller.create(steps))
  let newer = await startNext()
  expect((await Promise.all(creates)).map(({ status }) => status)).toEqual(creates.map(() => 201))
  await approve(asked.id)
  expect(await untilAllOver(database, 60_000)).toEqual({ succeeded: 61 })

  // A worker of this version starts again on the newer schema. It leaves the run that it might misread to the newer
  // one.
  await older.stop()
  const begun = await beginWithNext(newer)
  const back = await fleet.start('worker')
  expect(back.output).toContain('a newer Runwright has migrated this database')
  await until(async () => (await rowOf(database, begun)).state === 'stalled', { what: 'the stall' })
  const other = await caller.newRun(steps)
  await untilOver(database, other.id)
  expect(await rowOf(database, begun)).toMatchObject({ state: 'stalled', worker_id: null, recoveries: 0 })
  newer = await startNext()
  expect(await untilOver(database, begun)).toMatchObject({ state: 'succeeded', tokens: 15 })
  await expectInvariants(database)

  // The version after that removes something that this one uses, so this one no longer starts.
  await newer.stop()
  await addMigration('003_contract.sql', contract)
  await startNext()
  const refused = fleet.spawn('worker')
  expect((await refused.exited).code).toBe(1)
  expect(refused.output).toContain('This database has schema version 3; this Runwright supports versions up to 1.')
})
