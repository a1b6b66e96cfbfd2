// How often a tool is called, and with which idempotency key, by its effect, when its worker is killed, paused or
// stopped during the call. Errors, timeouts, retries and forks are in `scenarios/delivery.test.ts`. The table is in
// docs/delivery.md.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Caller } from '../support/http.ts'
import { expectInvariants } from '../support/invariants.ts'
import { type HostedFleet, newFolder, rowOf, startFleet, until, untilOver } from '../support/processes.ts'
import { Shop } from '../support/shop.ts'

const effects = ['read', 'idempotent', 'once'] as const
type Effect = (typeof effects)[number]

const settings = {
  RUNWRIGHT_LEASE_SECONDS: '2',
  RUNWRIGHT_HEARTBEAT_SECONDS: '0.1',
  RUNWRIGHT_RECOVERY_DELAY_SECONDS: '0.05',
}
/** For the worker that takes over: it is to lose no run, however busy the machine is. */
const slowLease = { RUNWRIGHT_LEASE_SECONDS: '60' }

let shop: Shop
let hosted: HostedFleet
let caller: Caller
beforeEach(async () => {
  shop = await new Shop().open()
})
afterEach(async () => {
  await hosted.close()
  shop.close()
})

async function start(timeoutSeconds: number): Promise<void> {
  const folder = join(await newFolder(), 'tools')
  await mkdir(folder, { recursive: true })
  for (const effect of effects) {
    await writeFile(join(folder, `${effect}.mjs`), shop.toolModule({ name: effect, effect, timeoutSeconds }))
  }
  hosted = await startFleet({ env: { ...settings, RUNWRIGHT_TOOLS_DIR: folder } })
  caller = hosted.fleet.caller(await hosted.fleet.start('api'))
}

const never = new Promise<never>(() => undefined)

/** A run of one call with each effect. The shop receives the calls, and answers the first of each run after `held`. */
async function begin(name: string, held: Promise<unknown>): Promise<Map<Effect, string>> {
  const runs = new Map<Effect, string>()
  for (const effect of effects) {
    const invoice = `${name}-${effect}`
    shop.held.set(invoice, held)
    const { id } = await caller.newRun({ plan: { steps: [{ id: 'pay', tool: effect, input: { invoice } }] } })
    runs.set(effect, id)
  }
  await shop.received.until((all) =>
    effects.every((effect) => all.some(({ invoice }) => invoice === `${name}-${effect}`)),
  )
  return runs
}

const callsOf = (name: string) =>
  Object.fromEntries(effects.map((effect) => [effect, shop.paymentsOf(`${name}-${effect}`).length]))

const keysOf = (name: string) =>
  effects.map((effect) => new Set(shop.paymentsOf(`${name}-${effect}`).map(({ key }) => key)).size)

/** The read and the idempotent call are made again. About the once call a person is asked; it is not made again. */
async function expectTakeOver(name: string, runs: Map<Effect, string>, withinMs: number): Promise<void> {
  for (const effect of ['read', 'idempotent'] as const) {
    expect(await untilOver(hosted.database, runs.get(effect) ?? '', withinMs)).toMatchObject({ state: 'succeeded' })
  }
  const once = runs.get('once') ?? ''
  const isAsked = async () => (await rowOf(hosted.database, once)).await_seq !== null
  await until(isAsked, { within: withinMs, what: 'the question about the once call' })
  const { awaiting_input } = (await caller.get(`/v1/runs/${once}?include=awaiting_input`)).json<{
    awaiting_input: { reason_code: string; prompt: string }
  }>()
  expect(awaiting_input).toMatchObject({
    reason_code: 'tool_outcome_unknown',
    prompt: expect.stringContaining('The earlier attempt can no longer be sent.'),
  })
  expect([callsOf(name), keysOf(name)]).toEqual([{ read: 2, idempotent: 2, once: 1 }, [1, 1, 1]])
  await caller.post(`/v1/runs/${once}/signal`, { action: 'submit_input', payload: { paid: true } })
  expect(await untilOver(hosted.database, once)).toMatchObject({ state: 'succeeded' })
}

test('a kill: read and idempotent calls are made again with the same key, a once call is asked about', {
  timeout: 120_000,
}, async () => {
  await start(2)
  const worker = await hosted.fleet.start('worker')
  const runs = await begin('kill', never)
  await worker.kill()
  await hosted.fleet.start('worker', slowLease)
  await expectTakeOver('kill', runs, 30_000)
  expect(callsOf('kill')).toEqual({ read: 2, idempotent: 2, once: 1 })
  await expectInvariants(hosted.database)
})

test('a pause: the same, and the worker that wakes up makes no call any more', { timeout: 120_000 }, async () => {
  await start(2)
  const sleeper = await hosted.fleet.start('worker')
  const runs = await begin('pause', never)
  sleeper.signal('SIGSTOP')
  const other = await hosted.fleet.start('worker', slowLease)
  await expectTakeOver('pause', runs, 30_000)
  await other.stop()
  sleeper.signal('SIGCONT')
  // That it executes this one shows that it is awake.
  const { id } = await caller.newRun({ plan: { steps: [{ tool: 'read', input: { invoice: 'probe' } }] } })
  await untilOver(hosted.database, id)
  expect(callsOf('pause')).toEqual({ read: 2, idempotent: 2, once: 1 })
  await expectInvariants(hosted.database)
})

test('a graceful stop: a call that ends in time is made once; one that does not is taken over as after a kill', {
  timeout: 180_000,
}, async () => {
  await start(30)
  const worker = await hosted.fleet.start('worker', slowLease)
  let release: (value?: unknown) => void = () => undefined
  const quick = await begin('quick', new Promise((resolve) => (release = resolve)))
  const slow = await begin('slow', never)
  const stopped = worker.stop()
  await worker.says('finishing their steps')
  release()
  expect(await stopped).toMatchObject({ code: 0 })
  await hosted.fleet.start('worker', slowLease)
  for (const id of quick.values()) {
    expect(await untilOver(hosted.database, id)).toMatchObject({ state: 'succeeded', recoveries: 0 })
  }
  expect(callsOf('quick')).toEqual({ read: 1, idempotent: 1, once: 1 })
  await expectTakeOver('slow', slow, 60_000)
  await expectInvariants(hosted.database)
})
