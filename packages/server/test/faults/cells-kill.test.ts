// A move that is killed at any point is finished by the same command: nothing is lost or doubled. And the gate as a
// process of its own.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { moveCustomer } from '../../src/cells/move-customer.ts'
import { sleep } from '../../src/runtime/backoff.ts'
import { findMoveState } from '../../src/store/cells/move-state.ts'
import { SealingKeys } from '../../src/store/sealed/sealing-keys.ts'
import { CliProcess, cli } from '../support/cli.ts'
import { rowsOfCustomer, seedCustomer } from '../support/customer-rows.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { Caller, expectRefusal } from '../support/http.ts'
import { ServiceProcess, urlOf } from '../support/processes.ts'

const secrets = { encryptionKey: randomBytes(32), keyPepper: randomBytes(32) }
let folder: string
let a: FreshDatabase
let b: FreshDatabase
let env: Record<string, string>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'runwright-cells-'))
  ;[a, b] = [await freshDatabase(), await freshDatabase()]
  const cells = Object.fromEntries(
    Object.entries({ a, b }).map(([name, { connection }]) => [
      name,
      { url: 'http://127.0.0.1:1', database: urlOf(connection) },
    ]),
  )
  await writeFile(join(folder, 'cells.json'), JSON.stringify({ cells }))
  env = {
    PATH: process.env.PATH ?? '',
    RUNWRIGHT_CELLS: join(folder, 'cells.json'),
    RUNWRIGHT_ENCRYPTION_KEY: secrets.encryptionKey.toString('base64'),
    RUNWRIGHT_KEY_PEPPER: secrets.keyPepper.toString('base64'),
  }
  await seedCustomer(a.database, 'acme', 1_000)
})
afterAll(async () => {
  await Promise.all([a.drop(), b.drop()])
  await rm(folder, { recursive: true })
})

test('killed while it copies, holds and has switched, it is finished by the same command', async () => {
  const before = await rowsOfCustomer(a.database, 'acme')
  const states: unknown[] = []
  for (const words of [/copied 500 of 1000 rows of runs/, /writes are held/, /copied and compared/, /is served by b/]) {
    const move = new CliProcess(['cells', 'move', 'acme', '--to', 'b', '--drain-seconds', '0'], env)
    await move.says(words)
    await move.kill()
    states.push((await findMoveState(a.database, 'acme'))?.move)
  }
  expect(states.slice(0, 2)).toEqual(['copying', 'held'])
  expect(states[3]).toBe('moved')
  const cells = { source: await open('a', a), target: await open('b', b) }
  await moveCustomer({ customerId: 'acme', ...cells, report: () => undefined, times: { streamsMs: 0 } })
  expect(await findMoveState(b.database, 'acme')).toEqual({ move: null, cell: null })
  expect(await rowsOfCustomer(b.database, 'acme')).toEqual(before)
  expect(Object.values(await rowsOfCustomer(a.database, 'acme')).flat()).toEqual([])
})

test('a move that is done ends its process at once', async () => {
  await seedCustomer(a.database, 'globex', 10)
  const move = new CliProcess(['cells', 'move', 'globex', '--to', 'b', '--drain-seconds', '0'], env)
  await move.prints(/globex was moved from a to b\./)
  const ended = await Promise.race([move.finished, sleep(20_000)])
  if (!ended) await move.kill()
  // A timer of an hour kept it.
  expect(ended).toMatchObject({ code: 0 })
}, 60_000)

test('the list of cells says where customers live', async () => {
  const { stdout } = await cli(['cells', 'list', '--json'], env)
  const { cells } = JSON.parse(stdout) as { cells: object[] }
  expect(cells).toMatchObject([
    { name: 'a', customers: 0, moving: [] },
    { name: 'b', customers: 2, moving: [] },
  ])
})

test('a cell that the file does not list is refused in one sentence', async () => {
  const { code, stderr } = await cli(['cells', 'move', 'acme', '--to', 'c'], env)
  expect({ code, stderr }).toEqual({ code: 1, stderr: 'RUNWRIGHT_CELLS lists no cell c. It lists a, b.\n' })
})

test('the gate starts without a database of its own, and ends with SIGTERM', async () => {
  const gate = await new ServiceProcess('gate', { ...env, RUNWRIGHT_PORT: '0' }, folder).ready()
  const caller = new Caller(gate.url, 'key_none:x')
  expect((await caller.get('/health/ready')).status).toBe(200)
  expectRefusal(await caller.get('/v1/runs'), 503, 'CELL_UNAVAILABLE')
  expect(await gate.stop()).toEqual({ code: 0, signal: null })
})

async function open(name: string, { database }: FreshDatabase) {
  const sealing = new SealingKeys(database, secrets)
  await sealing.open()
  return { name, database, sealing }
}
