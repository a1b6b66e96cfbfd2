// Processes whose event loop is blocked: each says what its runs were doing, and ends. One that was paused goes on.
import { rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { blockOnSignal, poisonTools } from '../support/poison-tools.ts'
import {
  eventsOf,
  type HostedFleet,
  newFolder,
  rowOf,
  type ServiceProcess,
  startFleet,
  until,
  untilOver,
} from '../support/processes.ts'

let hosted: HostedFleet
let tools: string
let block: string
const folders: string[] = []
beforeAll(async () => {
  tools = await poisonTools()
  block = await blockOnSignal('SIGUSR2')
  folders.push(tools, dirname(block))
  hosted = await startFleet({
    env: {
      RUNWRIGHT_TOOLS_DIR: tools,
      // The start of a process on a busy machine takes seconds, in long pieces.
      RUNWRIGHT_WATCHDOG_SECONDS: '5',
      RUNWRIGHT_LEASE_SECONDS: '10',
      RUNWRIGHT_HEARTBEAT_SECONDS: '0.2',
      RUNWRIGHT_RECOVERY_DELAY_SECONDS: '0.05',
    },
  })
})
afterAll(async () => {
  await hosted.close()
  for (const folder of folders) await rm(folder, { recursive: true })
})

const script = (...steps: object[]) => ({ routing_hint: 'skip_planning', input: { sandbox: { steps } } })
const lasting = script({ say: 'slow', delay_ms: 60_000 })
const poison = script({ say: 'now', tools: [{ name: 'block', input: {} }] })

/** The last line of its log, which is the watchdog's. */
const lastWords = ({ output }: ServiceProcess) => JSON.parse(output.trim().split('\n').at(-1) ?? '{}')
const isRunning = async (id: string) => (await rowOf(hosted.database, id)).state === 'running'

test('a worker that a tool blocks names the run, what each run was doing and where the code is, and is killed', {
  timeout: 120_000,
}, async () => {
  const { fleet } = hosted
  const api = await fleet.start('api')
  const worker = await fleet.start('worker')
  const beside = await fleet.caller(api).newRun(lasting)
  await until(() => isRunning(beside.id), { what: 'a claim' })
  const { id } = await fleet.caller(api).newRun(poison)
  // As a supervisor sees it.
  expect(await worker.exited).toEqual({ code: null, signal: 'SIGKILL' })
  expect(lastWords(worker)).toMatchObject({
    level: 'fatal',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    pid: worker.pid,
    hostname: expect.any(String),
    blocked_seconds: 5,
    blocked_by: id,
    msg: 'the event loop is blocked; the process kills itself',
  })
  expect(lastWords(worker).runs).toEqual([
    { run_id: beside.id, phase: 'worker: model call' },
    { run_id: id, phase: 'tool call: block' },
  ])
  expect(lastWords(worker).stack[0]).toContain(`blockForGood file://${join(tools, 'poison.mjs')}:`)
  for (const run of [id, beside.id]) await fleet.caller(api).post(`/v1/runs/${run}/cancel`)
  await fleet.killAll()
})

test('a process that executes no runs ends, too', { timeout: 120_000 }, async () => {
  const { fleet } = hosted
  const folder = await newFolder()
  folders.push(folder)
  const cells = join(folder, 'cells.json')
  await writeFile(
    cells,
    JSON.stringify({ cells: { a: { url: 'http://127.0.0.1:1', database: 'postgres://127.0.0.1:1/none' } } }),
  )
  const env = { NODE_OPTIONS: `--import=${block}` }
  const processes = [await fleet.start('api', env), await fleet.start('gate', { ...env, RUNWRIGHT_CELLS: cells })]
  for (const process of processes) process.signal('SIGUSR2')
  for (const process of processes) {
    expect(await process.exited).toEqual({ code: null, signal: 'SIGKILL' })
    expect(lastWords(process)).toMatchObject({ level: 'fatal', pid: process.pid, runs: [] })
    expect(lastWords(process).stack[0]).toContain('blockOnSignal ')
  }
})

test('a worker that was paused for longer than the limit is not killed when it wakes', {
  timeout: 120_000,
}, async () => {
  const { fleet, database } = hosted
  const caller = fleet.caller(await fleet.start('api'))
  const worker = await fleet.start('worker')
  const { id } = await caller.newRun(lasting)
  await until(() => isRunning(id), { what: 'a claim' })
  worker.signal('SIGSTOP')
  // The lease is twice as long as the limit.
  const types = async () => (await eventsOf(database, id)).map(({ type }) => type)
  await until(async () => (await types()).includes('run.worker.stalled'), { what: 'the end of the lease' })
  worker.signal('SIGCONT')
  // That it executes another run shows that it is awake, and it is watched for longer than the limit.
  const other = await caller.newRun(script({ say: 'slow', delay_ms: 8_000 }))
  expect(await untilOver(database, other.id, 60_000)).toMatchObject({ state: 'succeeded' })
  expect([worker.isAlive, worker.output]).toEqual([true, expect.not.stringContaining('the event loop is blocked')])
  await fleet.killAll()
})
