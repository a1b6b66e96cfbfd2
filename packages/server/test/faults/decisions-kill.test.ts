// Processes die while people decide. An approval that was counted stays counted, and is never counted twice; a call
// whose arguments a person has changed is never made with others.
import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunDetail } from '@runwright/contract'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { Caller } from '../support/http.ts'
import { expectInvariants } from '../support/invariants.ts'
import { KillPoint } from '../support/kill-point.ts'
import { addPerson, type Person } from '../support/people.ts'
import { type HostedFleet, newFolder, rowOf, type ServiceProcess, startFleet, until } from '../support/processes.ts'

let hosted: HostedFleet
let api: ServiceProcess
let worker: ServiceProcess
let admin: Caller
let calls: KillPoint
let votes: KillPoint
let paid: string
beforeAll(async () => {
  const folder = await newFolder()
  paid = join(folder, 'paid.txt')
  await writeFile(
    join(folder, 'pay.mjs'),
    `import { appendFileSync } from 'node:fs'
    export default {
      name: 'pay', description: 'For tests.', effect: 'idempotent',
      input: { type: 'object', properties: { run: { type: 'string' }, amount: { type: 'integer' } } },
      run: async (input) => { appendFileSync(${JSON.stringify(paid)}, JSON.stringify(input) + '\\n'); return input },
    }`,
  )
  const env = {
    RUNWRIGHT_LEASE_SECONDS: '600',
    RUNWRIGHT_RECOVERY_DELAY_SECONDS: '0.05',
    RUNWRIGHT_TOOLS_DIR: folder,
  }
  hosted = await startFleet({ env })
  api = await hosted.fleet.start('api')
  worker = await hosted.fleet.start('worker')
  admin = hosted.fleet.caller(api)
  calls = new KillPoint(hosted.database, { table: 'journal', column: 'key' })
  votes = new KillPoint(hosted.database, { table: 'votes', column: 'nth' })
}, 60_000)
afterAll(async () => {
  await expectInvariants(hosted.database)
  await hosted.close()
})

async function waiting(name: string, approval: unknown): Promise<string> {
  const step = { id: 'pay', tool: 'pay', input: { run: name, amount: 500 }, approval }
  const { id } = (await admin.create({ input: {}, metadata: {}, plan: { steps: [step] } })).json<{ id: string }>()
  await until(async () => (await rowOf(hosted.database, id)).await_seq ?? undefined, { what: 'the question' })
  return id
}

const succeeded = (id: string) =>
  until(async () => (await rowOf(hosted.database, id)).state === 'succeeded' || undefined, {
    what: () => `the end of ${id}; ${worker.output}`,
  })
const paymentsOf = (name: string): unknown[] =>
  (existsSync(paid) ? readFileSync(paid, 'utf8').trim().split('\n') : [])
    .map((line) => JSON.parse(line || '{}'))
    .filter(({ run }) => run === name)

async function restartApi(): Promise<void> {
  await api.kill()
  api = await hosted.fleet.start('api')
  admin = hosted.fleet.caller(api)
}

describe('between two approvals', () => {
  beforeAll(() => votes.install())
  afterEach(() => votes.remove())
  afterAll(() =>
    hosted.database.run({
      text: 'drop trigger hold on votes; drop function hold_at_kill_point; drop table kill_point',
    }),
  )
  const four = { approvers: ['finance'], approvals: 2 }
  const addTo = (person: string) =>
    addPerson({ url: admin.url, admin, database: hosted.database }, { person, roles: ['finance'] })
  const approve = (person: Person, id: string, idempotency_key: string) =>
    new Caller(api.url, person.caller.key).post(`/v1/runs/${id}/signal`, { action: 'approve', idempotency_key })
  const decisionsOf = async (id: string) =>
    (await admin.get(`/v1/runs/${id}?include=awaiting_input`)).json<RunDetail>().awaiting_input?.decisions.length

  test.each([
    ['its answer', 'answered'],
    ['its write, which happens anyway', 'written'],
    ['its write, which never happens', 'lost'],
  ])('killed after %s: the first one counts once', { timeout: 90_000 }, async (_, how) => {
    const [ada, bob] = [await addTo(`ada-${how}`), await addTo(`bob-${how}`)]
    const id = await waiting(how, four)
    if (how === 'answered') {
      expect((await approve(ada, id, 'first')).status).toBe(200)
      await restartApi()
    } else {
      await votes.arm('%')
      const cut = approve(ada, id, 'first').catch(() => undefined)
      await until(() => votes.isReached(), { what: 'the vote' })
      await api.kill()
      if (how === 'written') await votes.letGo()
      else await votes.cutOff()
      await cut
      await restartApi()
    }
    expect((await approve(ada, id, 'first')).status).toBe(200)
    expect(await decisionsOf(id)).toBe(1)
    expect((await approve(bob, id, 'second')).status).toBe(200)
    await succeeded(id)
    expect(paymentsOf(how)).toEqual([{ run: how, amount: 500 }])
  })
})

describe('a call that a person has changed', () => {
  beforeAll(() => calls.install())
  afterEach(() => calls.remove())

  test.each([
    ['the start', 'call:%', 'written', 1],
    ['the start', 'call:%', 'lost', 1],
    ['the result', 'result:%', 'written', 1],
    ['the result', 'result:%', 'lost', 2],
  ])(
    'killed while %s (%s) is being written, and %s: it is made with the new arguments only',
    {
      timeout: 90_000,
    },
    async (_, key, how, times) => {
      const name = `${key}-${how}`
      const id = await waiting(name, 'required')
      await calls.arm(key)
      const call = { arguments: { run: name, amount: 450 } }
      expect((await admin.post(`/v1/runs/${id}/signal`, { action: 'submit_input', call })).status).toBe(200)
      await until(() => calls.isReached(), { what: 'the write' })
      await worker.kill()
      if (how === 'written') await calls.letGo()
      else await calls.cutOff()
      await hosted.database.run({
        text: `update runs set lease_until = clock_timestamp() - interval '1 second' where worker_id is not null`,
      })
      worker = await hosted.fleet.start('worker')
      await succeeded(id)
      expect(paymentsOf(name)).toEqual(Array.from({ length: times }, () => ({ run: name, amount: 450 })))
    },
  )
})
