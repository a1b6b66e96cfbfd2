// One service of several processes on one port, with the embedded database: a child that is killed is replaced.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Caller } from '../support/http.ts'
import { Fleet, newFolder, type ServiceProcess, until } from '../support/processes.ts'

let fleet: Fleet
let service: ServiceProcess
let caller: Caller
beforeAll(async () => {
  fleet = new Fleet(await newFolder(), '', {
    RUNWRIGHT_PROCESSES: '2',
    // Two of them for runs of class default: four runs need both children.
    RUNWRIGHT_WORKER_CONCURRENCY: '3',
    RUNWRIGHT_LEASE_SECONDS: '2',
    RUNWRIGHT_HEARTBEAT_SECONDS: '0.1',
    RUNWRIGHT_RECOVERY_DELAY_SECONDS: '0.05',
  })
  service = await fleet.start('start')
  caller = fleet.caller(service)
}, 120_000)
afterAll(() => fleet.close())

/** The process ids of all children so far, in the order of their starts. */
const children = () =>
  [...service.output.matchAll(/"process":\d,"child_pid":(\d+),"msg":"process started"/g)].map(([, pid]) => Number(pid))

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const lasting = (ms: number) => ({
  routing_hint: 'skip_planning',
  input: { sandbox: { steps: [{ say: 'slow', delay_ms: ms }] } },
})
const statusOf = async (id: string) => (await caller.run(id)).status

test('answers, replaces the child and ends all runs when a child is killed', { timeout: 120_000 }, async () => {
  await until(() => children().length === 2, { what: 'two lines in the log' })
  const runs = await Promise.all(Array.from({ length: 4 }, () => caller.newRun(lasting(1_500))))
  const isRunning = async ({ id }: { id: string }) => (await statusOf(id)) === 'running'
  await until(async () => (await Promise.all(runs.map(isRunning))).every(Boolean), { what: 'claims' })
  process.kill(children()[0] as number, 'SIGKILL')
  await service.says('a process ended; starting another')
  const answers = await Promise.all(Array.from({ length: 20 }, () => caller.get('/health/ready')))
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  await until(() => children().length === 3, { what: 'another child' })
  const haveEnded = async () => (await Promise.all(runs.map(({ id }) => statusOf(id)))).every((s) => s === 'succeeded')
  await until(haveEnded, { what: 'the end of all runs', every: 100 })
  const events = (await Promise.all(runs.map(({ id }) => caller.events(id)))).flat()
  expect(events.map(({ type }) => type)).toContain('run.worker.stalled')
})

test('stops all children when it is asked to stop, after their steps', { timeout: 120_000 }, async () => {
  const { id } = await caller.newRun(lasting(1_500))
  await until(async () => (await statusOf(id)) === 'running', { what: 'a claim' })
  const exit = await service.stop()
  expect([exit, service.output]).toEqual([
    { code: 0, signal: null },
    expect.stringContaining('1 run is finishing its step'),
  ])
  expect(children().filter(isAlive)).toEqual([])
})

test('ends with the message of a child that cannot start', { timeout: 120_000 }, async () => {
  const broken = fleet.spawn('start', { RUNWRIGHT_TOOLS_DIR: '/no/such/folder' })
  expect(await broken.exited).toEqual({ code: 1, signal: null })
  expect(broken.output).toContain('/no/such/folder')
  expect(broken.output).toMatch(/^Process \d could not start\. Its own message says why\.$/m)
  expect(broken.output).not.toContain('    at ')
})

/** The children that the kernel knows, also those that have not said anything yet. */
const childrenOf = (parent: number) =>
  readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
/** Not one that starts PostgreSQL, which may be gone already. */
function isServing(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('orphan.cjs')
  } catch {
    return false
  }
}

/** Starts the service, and returns as soon as it has begun to start a child. */
async function untilFirstChild() {
  const starting = fleet.spawn('start')
  const child = await until(() => childrenOf(starting.pid).find(isServing), { what: 'a child', every: 1 })
  return { starting, child: child as number }
}

test.skipIf(process.platform !== 'linux')(
  'starts although a child is killed while it starts',
  { timeout: 120_000 },
  async () => {
    const { starting, child } = await untilFirstChild()
    process.kill(child, 'SIGKILL')
    await starting.ready()
    expect(starting.output).toContain('"signal":"SIGKILL"')
    await starting.stop()
  },
)

test.skipIf(process.platform !== 'linux')(
  'a parent that is killed leaves no child, and no stack of an error',
  { timeout: 120_000 },
  async () => {
    const { starting } = await untilFirstChild()
    // Resolves when no process holds its output any more.
    await starting.kill()
    expect(starting.output).not.toContain('    at ')
  },
)

test('goes on after SIGHUP without an agents folder', { timeout: 120_000 }, async () => {
  const again = await fleet.start('start')
  again.signal('SIGHUP')
  await again.says('there is nothing to reload')
  expect((await fleet.caller(again).get('/health/ready')).status).toBe(200)
  await again.stop()
})
