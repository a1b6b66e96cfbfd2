// Workers that stand still around the start of a `once` call, for longer than their lease, and then wake up. Meanwhile
// another worker takes the run and asks whether the call took place. The approver is honest: they look at the receiver,
// and let the call be made only if it is not there. Whatever the worker does when it wakes, no call is made twice.
//
// One case is left, and no process can close it: a pause that begins in the microseconds between the last look and the
// system call. These pauses are aimed at that moment, so a busy machine hits it in one of a hundred or so. The worker
// notices it when it wakes, and says so. A call that is made twice without that line is a defect.
//
// RUNWRIGHT_TEST_PAUSES sets the number of pauses: 200 take about a quarter of an hour.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sleep } from '../../src/runtime/backoff.ts'
import { fromWireId } from '../../src/runtime/ids.ts'
import { sentLateMessage } from '../../src/tools/port/look-before-writes.ts'
import type { Caller } from '../support/http.ts'
import { expectInvariants } from '../support/invariants.ts'
import { KillPoint } from '../support/kill-point.ts'
import {
  eventsOf,
  type HostedFleet,
  isOver,
  newFolder,
  type RunRow,
  rowOf,
  type ServiceProcess,
  startFleet,
  until,
} from '../support/processes.ts'
import { Shop } from '../support/shop.ts'

const pauses = Number(process.env.RUNWRIGHT_TEST_PAUSES ?? 12)
const leaseSeconds = 1.5
const timeoutSeconds = 1

const shop = new Shop()
let hosted: HostedFleet
let caller: Caller
let killPoint: KillPoint
const workers = new Map<string, ServiceProcess>()

beforeAll(async () => {
  await shop.open()
  const folder = await newFolder()
  await mkdir(join(folder, 'tools'))
  await writeFile(join(folder, 'tools', 'pay.mjs'), shop.toolModule({ timeoutSeconds }))
  const mcpServers = shop.mcpServers({ timeout_seconds: timeoutSeconds })
  await writeFile(join(folder, 'mcp.json'), JSON.stringify({ mcpServers }))
  hosted = await startFleet({
    env: {
      RUNWRIGHT_LEASE_SECONDS: String(leaseSeconds),
      RUNWRIGHT_HEARTBEAT_SECONDS: '0.1',
      RUNWRIGHT_RECOVERY_DELAY_SECONDS: '0.05',
      RUNWRIGHT_MAX_RECOVERIES: '100',
      RUNWRIGHT_TOOLS_DIR: join(folder, 'tools'),
      RUNWRIGHT_MCP_CONFIG: join(folder, 'mcp.json'),
    },
  })
  caller = hosted.fleet.caller(await hosted.fleet.start('api'))
  await startWorker()
  await startWorker()
  killPoint = new KillPoint(hosted.database, { table: 'journal', column: 'key' })
  await killPoint.install()
})

afterAll(async () => {
  await killPoint.remove()
  await hosted.close()
  shop.close()
})

/** Its id in the database tells which process holds a run. */
async function startWorker(): Promise<void> {
  const worker = await hosted.fleet.start('worker')
  const isConnected = () => worker.output.split('MCP server connected').length > 2
  await until(isConnected, { what: () => `the MCP servers of a worker: ${worker.output}` })
  const rows = await hosted.database.query<{ id: string }>({ text: 'select id from workers' })
  const added = rows.find(({ id }) => !workers.has(id))
  if (!added) throw new Error('the worker has not registered itself')
  workers.set(added.id, worker)
}

const kinds = ['pay', 'shop.pay', 'desk.pay'] as const
const invoiceOf = (pause: number, tool: string) => `${pause}-${tool}`

const planOf = (pause: number) => ({
  steps: kinds.map((tool, n) => ({ id: `s${n}`, tool, input: { invoice: invoiceOf(pause, tool) }, depends_on: [] })),
})

/** Where the worker stops. */
const moments = ['in the commit', 'after the start', 'anywhere'] as const
type Moment = (typeof moments)[number]

/** What happened to each call, by its invoice, for a call that was made twice. */
const story = new Map<string, string[]>()
const note = (invoice: string, what: string) =>
  story.set(invoice, [...(story.get(invoice) ?? []), `${what} at ${Math.round(performance.now())}`])

test(`${pauses} pauses of 1.3 to 2.5 leases: no call is made twice`, {
  timeout: 60_000 + pauses * 20_000,
}, async () => {
  let questions = 0
  for (let pause = 0; pause < pauses; pause += 1) questions += await pauseOnce(pause)
  for (const worker of workers.values()) expect(await worker.stop()).toMatchObject({ code: 0 })
  for (const { invoice, at } of shop.payments) note(invoice, `call arrived (${Math.round(at)})`)
  const twice = [...story].filter(([invoice]) => shop.paymentsOf(invoice).length > 1)
  const told = [...workers.values()].flatMap(({ output }) => output.split(sentLateMessage).slice(1)).length
  process.stdout.write(
    `${pauses} pauses, ${questions} questions, ${shop.payments.length} calls, ${twice.length} twice; ` +
      `${told} pauses began in a write\n`,
  )
  expect(twice.slice(told)).toEqual([])
  expect(twice.length, JSON.stringify(twice)).toBeLessThanOrEqual(Math.ceil(pauses / 50))
  // The pauses were at places where the outcome of calls was unknown.
  expect(questions).toBeGreaterThanOrEqual(Math.floor(pauses / moments.length))
  await expectInvariants(hosted.database)
})

/** Returns how many questions were asked. */
async function pauseOnce(pause: number): Promise<number> {
  const moment = moments[pause % moments.length] as Moment
  if (moment === 'in the commit') await killPoint.arm('call:%')
  const { id } = await caller.newRun({ plan: planOf(pause) })
  const sleeper = await stopWorkerOf(id, moment)
  for (const tool of kinds) note(invoiceOf(pause, tool), `worker stopped ${moment}`)
  const resting = sleep(1_000 * leaseSeconds * (1.3 + 1.2 * Math.random())).then(() => {
    for (const tool of kinds) note(invoiceOf(pause, tool), 'worker continued')
    sleeper?.signal('SIGCONT')
  })
  let questions = 0
  const settled = async () => {
    const row = await rowOf(hosted.database, id)
    if (row.await_seq !== null) questions += await answer(id, row)
    return isOver(row) ? row : undefined
  }
  const { state } = (await until(settled, { within: 60_000, what: `the end of ${id}` }).catch(explain(id))) as RunRow
  await resting
  expect(state).toBe('succeeded')
  return questions
}

/** What the run has come to, for a failure of the test. */
const explain = (id: string) => async (error: Error) => {
  const events = (await eventsOf(hosted.database, id)).map(({ type, at, payload }) => [type, at, payload.reason_code])
  throw new Error(`${error.message}: ${JSON.stringify([await rowOf(hosted.database, id), ...events.slice(-20)])}`)
}

async function stopWorkerOf(id: string, moment: Moment): Promise<ServiceProcess | undefined> {
  if (moment === 'in the commit') await until(() => killPoint.isReached(), { what: 'the commit of a start', every: 2 })
  if (moment === 'after the start') await until(() => hasStarted(id), { what: 'the start of a call', every: 1 })
  if (moment === 'anywhere') await sleep(Math.random() * 60)
  const sleeper = workers.get((await rowOf(hosted.database, id)).worker_id ?? '')
  sleeper?.signal('SIGSTOP')
  // The commit is made although its worker stands still.
  if (moment === 'in the commit') await killPoint.letGo()
  return sleeper
}

async function hasStarted(id: string): Promise<boolean> {
  const rows = await hosted.database.query({
    text: `select 1 from journal where run_id = $1 and key like 'call:%' limit 1`,
    values: [fromWireId('run', id)],
  })
  return rows.length > 0
}

async function answer(id: string, { await_seq }: RunRow): Promise<number> {
  const { awaiting_input } = (await caller.get(`/v1/runs/${id}?include=awaiting_input`)).json<{
    awaiting_input: { reason_code: string; arguments: { invoice: string } } | null
  }>()
  if (awaiting_input?.reason_code !== 'tool_outcome_unknown') return 0
  const { invoice } = awaiting_input.arguments
  const isThere = shop.paymentsOf(invoice).length > 0
  note(invoice, isThere ? 'result submitted' : 'approved')
  const signal = isThere ? { action: 'submit_input', payload: { paid: true } } : { action: 'approve' }
  const { status } = await caller.post(`/v1/runs/${id}/signal`, { ...signal, await_seq })
  return status === 200 ? 1 : 0
}
