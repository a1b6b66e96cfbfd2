// Runs that block or kill every process that executes them. They end up stalled, with a reason, and all other runs
// succeed, also those that were beside them each time.
import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Caller } from '../support/http.ts'
import { expectInvariants } from '../support/invariants.ts'
import { poisonTools } from '../support/poison-tools.ts'
import { eventsOf, type HostedFleet, rowOf, type ServiceProcess, startFleet, until } from '../support/processes.ts'

let hosted: HostedFleet
let tools: string
beforeAll(async () => {
  tools = await poisonTools()
  hosted = await startFleet({
    env: {
      RUNWRIGHT_TOOLS_DIR: tools,
      // The start of a process on a busy machine takes seconds, in long pieces.
      RUNWRIGHT_WATCHDOG_SECONDS: '5',
      RUNWRIGHT_LEASE_SECONDS: '3',
      RUNWRIGHT_HEARTBEAT_SECONDS: '0.2',
      RUNWRIGHT_RECOVERY_DELAY_SECONDS: '0.05',
    },
  })
})
afterAll(async () => {
  await hosted.close()
  await rm(tools, { recursive: true })
})

const script = (...steps: object[]) => ({ routing_hint: 'skip_planning', input: { sandbox: { steps } } })
const poison = (name: 'block' | 'die') => script({ say: 'now', tools: [{ name, input: {} }] })
/** Its step takes as long as it takes the poison to end the process. */
const innocent = script({ say: 'slow', delay_ms: 1_000 }, { say: 'done' })

/** One worker, started again whenever it ends. */
class Supervisor {
  readonly ended: ServiceProcess[] = []
  #isStopping = false
  #current: ServiceProcess | undefined

  async run(): Promise<void> {
    while (!this.#isStopping) {
      this.#current = hosted.fleet.spawn('worker')
      await this.#current.exited
      this.ended.push(this.#current)
    }
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    await this.#current?.kill()
  }
}

const stallsOf = async (id: string) =>
  (await eventsOf(hosted.database, id))
    .filter(({ type }) => type === 'run.worker.stalled')
    .map(({ payload }) => payload.reason_code)
const isGivenUp = async (id: string) => (await stallsOf(id)).at(-1) === 'crashes_worker'
const stateOf = async (id: string) => (await rowOf(hosted.database, id)).state

async function create(caller: Caller, count: number, body: object): Promise<string[]> {
  const runs = await Promise.all(Array.from({ length: count }, () => caller.newRun(body)))
  return runs.map(({ id }) => id)
}

test('they stay stalled after they ended a process alone, and no other run does', { timeout: 300_000 }, async () => {
  const { fleet, database } = hosted
  const caller = fleet.caller(await fleet.start('api'))
  const innocents = await create(caller, 8, innocent)
  const poisons = [...(await create(caller, 1, poison('block'))), ...(await create(caller, 1, poison('die')))]
  const supervisor = new Supervisor()
  const supervised = supervisor.run()
  const areSettled = async () =>
    (await Promise.all(poisons.map(isGivenUp))).every(Boolean) &&
    (await Promise.all(innocents.map(stateOf))).every((state) => state === 'succeeded')
  const states = async () => JSON.stringify(await Promise.all([...poisons, ...innocents].map(stateOf)))
  await until(areSettled, { within: 240_000, every: 200, what: 'all runs settled' }).catch(async (error) => {
    throw new Error(`${error.message}: ${await states()}`)
  })
  for (const id of poisons) {
    expect(await rowOf(database, id)).toMatchObject({ state: 'stalled', ready_in_ms: null })
    expect((await caller.run(id)).status).toBe('stalled')
    expect((await stallsOf(id)).filter((reason) => reason !== 'heartbeat_lost')).toEqual(['crashes_worker'])
  }
  // Someone resumes it without a change: it is alone from the first time on.
  const [resumed = ''] = poisons
  const before = (await stallsOf(resumed)).length
  expect((await caller.post(`/v1/runs/${resumed}/resume`)).status).toBe(200)
  await until(async () => (await stallsOf(resumed)).length > before, { within: 60_000, what: 'another stall' })
  expect((await stallsOf(resumed)).slice(before)).toEqual(['crashes_worker'])
  await supervisor.stop()
  await supervised
  await expectInvariants(database)
  await fleet.killAll()
})

test('a process that was blocked is replaced by its parent, and its other runs go on', {
  timeout: 120_000,
}, async () => {
  const { fleet, database } = hosted
  const caller = fleet.caller(await fleet.start('api'))
  const service = await fleet.start('worker', { RUNWRIGHT_PROCESSES: '2' })
  const beside = await create(caller, 6, script({ say: 'slow', delay_ms: 3_000 }))
  const [id = ''] = await create(caller, 1, poison('block'))
  await service.says('the event loop is blocked; the process kills itself')
  await service.says('"signal":"SIGKILL"')
  await service.says('a process ended; starting another')
  await until(() => service.output.split('process started').length > 3, { what: 'another child' })
  expect((await caller.post(`/v1/runs/${id}/cancel`)).status).toBe(200)
  await until(async () => (await Promise.all(beside.map(stateOf))).every((state) => state === 'succeeded'), {
    within: 60_000,
    what: 'the end of the runs beside it',
  })
  await service.stop()
  await expectInvariants(database)
  await fleet.killAll()
})
