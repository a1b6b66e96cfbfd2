// Races of people who decide at once, over two services on one real PostgreSQL. No person counts twice or without the
// role, and a run goes on exactly once. RUNWRIGHT_TEST_RACES sets the number of rounds: 500 take three minutes.
import { randomBytes } from 'node:crypto'
import type { Event, RunDetail } from '@runwright/contract'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { fromWireId } from '../../src/runtime/ids.ts'
import type { NewWait } from '../../src/store/run-log/run-change.ts'
import { freshDatabase } from '../support/database.ts'
import { linkPath, linksOn, sendForm } from '../support/decision-links.ts'
import { Driver } from '../support/drive.ts'
import { ofType } from '../support/engine.ts'
import { Caller, type Reply } from '../support/http.ts'
import { addPerson, type Person, setRoles } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 60_000 })

let services: [Service, Service]
let admin: Caller
let driver: Driver
let drop: () => Promise<unknown>
beforeAll(async () => {
  const host = await freshDatabase()
  const shared = { ...host, drop: async () => undefined }
  const secrets = { encryptionKey: randomBytes(32), keyPepper: randomBytes(32) }
  const env = { ...linksOn, RUNWRIGHT_RATE_LIMIT_PER_SECOND: '0' }
  const start = () => startService(env, { host: shared, secrets })
  services = [await start(), await start()]
  admin = new Caller(services[0].url, services[0].key)
  driver = new Driver(services[0].database)
  drop = () => host.drop()
})
afterAll(async () => {
  for (const service of services) await service.stop()
  await drop()
})

const rounds = Number(process.env.RUNWRIGHT_TEST_RACES ?? 100)
const atOnce = 8

/** Plays the rounds, a few at a time, and counts how they went. */
async function tally(play: (round: number, lane: number) => Promise<string>): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  let next = 0
  const run = async (_: unknown, lane: number) => {
    for (let round = next++; round < rounds; round = next++) {
      const result = await play(round, lane)
      counts[result] = (counts[result] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: atOnce }).map(run))
  return counts
}

const addTo = (service: Service, wish: Parameters<typeof addPerson>[1]) =>
  addPerson({ url: service.url, admin, database: service.database }, wish)

async function waitingRun(rules: NewWait['rules'], by = admin): Promise<string> {
  const { id } = await by.newRun()
  await driver.toAwaiting(id, { rules })
  return id
}

const approve = ({ caller }: Person, id: string): Promise<Reply> =>
  caller.post(`/v1/runs/${id}/signal`, { action: 'approve' })

/** When the role was gone, by the clock of the database. */
async function loseRoles({ keyId }: Person): Promise<number> {
  const [row] = await services[0].database.run<{ at: Date }>({
    text: "update api_keys set roles = '{}' where id = $1 returning date_trunc('milliseconds', clock_timestamp()) as at",
    values: [keyId],
  })
  return row?.at.getTime() ?? Number.NaN
}

const signalsOf = async (id: string) =>
  (await admin.get(`/v1/runs/${id}?include=signals,awaiting_input`)).json<RunDetail>()
const goesOn = (events: readonly Event[]) => ofType(events, 'run.signal_applied').length

test('two approvers at once: one is counted, the other one ends the wait', async () => {
  const ada = await addTo(services[0], { person: 'ada', roles: ['finance'] })
  const bob = await addTo(services[1], { person: 'bob', roles: ['finance'] })
  const counts = await tally(async () => {
    const id = await waitingRun({ approvers: ['finance'], approvals: 2 })
    const replies = await Promise.all([approve(ada, id), approve(bob, id)])
    const { signals = [] } = await signalsOf(id)
    const counted = signals.map((signal) => signal.counted).join()
    const people = new Set(signals.map(({ person }) => person)).size
    return [...replies.map(({ status }) => status), counted, people, goesOn(await admin.events(id))].join(' ')
  })
  expect(counts).toEqual({ '200 200 true,false 2 1': rounds })
})

test('two keys of one person at once never end a wait that needs two', async () => {
  const keys = [
    await addTo(services[0], { person: 'ada', roles: ['finance'] }),
    await addTo(services[1], { person: 'ada', roles: ['finance'] }),
  ]
  const counts = await tally(async () => {
    const id = await waitingRun({ approvers: ['finance'], approvals: 2 })
    const replies = await Promise.all(keys.map((key) => approve(key, id)))
    const { awaiting_input } = await signalsOf(id)
    return [...replies.map(({ status }) => status), awaiting_input?.decisions.length].join(' ')
  })
  expect(counts).toEqual({ '200 200 1': rounds })
})

test('an approver who loses the role meanwhile has decided before it, or not at all', async () => {
  const carols: Person[] = []
  for (let lane = 0; lane < atOnce; lane += 1)
    carols.push(await addTo(services[lane % 2 === 0 ? 0 : 1], { person: `carol-${lane}` }))
  const counts = await tally(async (_, lane) => {
    const carol = carols[lane] as Person
    await setRoles(services[0].database, carol.keyId, ['finance'])
    const [id, later] = [await waitingRun({ approvers: ['finance'] }), await waitingRun({ approvers: ['finance'] })]
    const [reply] = await Promise.all([approve(carol, id), setRoles(services[0].database, carol.keyId, [])])
    // The role is gone for certain now, although this process may remember it.
    expect((await approve(carol, later)).status).toBe(403)
    expect(goesOn(await admin.events(later))).toBe(0)
    return `${reply.status} ${goesOn(await admin.events(id))}`
  })
  expect(Object.keys(counts).every((how) => how === '200 1' || how === '403 0')).toBe(true)
  expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(rounds)
})

test('the requester is never the second approver', async () => {
  const scopes = ['runs:read', 'runs:write']
  const asker = await addTo(services[0], { person: 'ann', roles: ['finance'], scopes })
  const twin = await addTo(services[1], { person: 'ann', roles: ['finance'] })
  const ada = await addTo(services[1], { person: 'ada', roles: ['finance'] })
  const counts = await tally(async () => {
    const rules = { approvers: ['finance'], approvals: 2, not_requester: true }
    const id = await waitingRun(rules, asker.caller)
    const replies = await Promise.all([approve(ada, id), approve(asker, id), approve(twin, id)])
    const { awaiting_input } = await signalsOf(id)
    return [...replies.map(({ status }) => status), awaiting_input?.decisions.map(({ person }) => person)].join(' ')
  })
  expect(counts).toEqual({ '200 403 403 ada': rounds })
})

test('a repeated answer of one person under one key counts once, also at once', async () => {
  const ada = await addTo(services[0], { person: 'ada', roles: ['finance'] })
  const elsewhere = { ...ada, caller: new Caller(services[1].url, ada.caller.key) }
  const counts = await tally(async (round) => {
    const id = await waitingRun({ approvers: ['finance'], approvals: 2 })
    const body = { action: 'approve', idempotency_key: `k-${round}` }
    const replies = await Promise.all([ada, elsewhere].map(({ caller }) => caller.post(`/v1/runs/${id}/signal`, body)))
    const [{ count } = { count: 0 }] = await services[0].database.query<{ count: number }>({
      text: 'select count(*)::integer as count from votes where run_id = $1',
      values: [fromWireId('run', id)],
    })
    return [...replies.map(({ status }) => status), count].join(' ')
  })
  expect(counts).toEqual({ '200 200 1': rounds })
})

test('two people under one idempotency key at once: one is counted, and the other one is told', async () => {
  const ada = await addTo(services[0], { person: 'ada', roles: ['finance'] })
  const bob = await addTo(services[1], { person: 'bob', roles: ['finance'] })
  const counts = await tally(async (round) => {
    const id = await waitingRun({ approvers: ['finance'], approvals: 2 })
    const body = { action: 'approve', idempotency_key: `k-${round}` }
    const replies = await Promise.all([ada, bob].map(({ caller }) => caller.post(`/v1/runs/${id}/signal`, body)))
    const { awaiting_input } = await signalsOf(id)
    return [...replies.map(({ status }) => status).sort(), awaiting_input?.decisions.length].join(' ')
  })
  expect(counts).toEqual({ '200 409 1': rounds })
})

test('an approval ends the wait with one of who loses the role meanwhile only if it was before that', async () => {
  const pairs: { ada: Person; bob: Person }[] = []
  for (let lane = 0; lane < atOnce; lane += 1) {
    const [ada, bob] = [
      await addTo(services[0], { person: `ada-${lane}`, roles: ['finance'] }),
      await addTo(services[1], { person: `bob-${lane}`, roles: ['finance'] }),
    ]
    pairs.push({ ada, bob })
  }
  const counts = await tally(async (_, lane) => {
    const { ada, bob } = pairs[lane] as (typeof pairs)[0]
    await setRoles(services[0].database, ada.keyId, ['finance'])
    const id = await waitingRun({ approvers: ['finance'], approvals: 2 })
    expect((await approve(ada, id)).status).toBe(200)
    const [reply, lostAt] = await Promise.all([approve(bob, id), loseRoles(ada)])
    const { signals = [], awaiting_input } = await signalsOf(id)
    const decidedAt = Date.parse(signals.find(({ person }) => person === `bob-${lane}`)?.at ?? '')
    const isEnded = awaiting_input === null || awaiting_input === undefined
    return `${reply.status} ${isEnded ? 'ended' : 'waits'} ${isEnded ? decidedAt <= lostAt : decidedAt >= lostAt}`
  })
  expect(Object.keys(counts).filter((how) => how !== '200 ended true' && how !== '200 waits true')).toEqual([])
  expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(rounds)
})

test('the key and the link of one person at once never end a wait that needs two', async () => {
  const ada = await addTo(services[0], { person: 'ada-by-link', roles: ['finance'] })
  const counts = await tally(async () => {
    const { id } = await admin.newRun()
    const await_seq = await driver.toAwaiting(id, { rules: { approvers: ['finance'], approvals: 2 } })
    const path = await linkPath(admin, id, { await_seq, person: 'ada-by-link' })
    const browser = new Caller(services[1].url, null)
    const replies = await Promise.all([approve(ada, id), sendForm(browser, path, { answer: 'approve' })])
    const { awaiting_input, signals = [] } = await signalsOf(id)
    const ways = signals.map(({ via }) => via).sort()
    return [...replies.map(({ status }) => status), awaiting_input?.decisions.length, ...ways].join(' ')
  })
  expect(counts).toEqual({ '200 200 1 api link': rounds })
})
