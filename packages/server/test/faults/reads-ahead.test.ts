// A worker does not wait until a reply that only reads is committed: it calls the tool and asks its model again. What
// follows has an effect, and waits. Here that commit never comes, or comes after the worker was paused for so long that
// another one has taken the run. No payment rests on a reply that is not in the journal, each is made once, and the
// tokens of a lost reply are counted once by a worker that lives.
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { fromWireId } from '../../src/runtime/ids.ts'
import { roleOf, verdict } from '../support/agents.ts'
import type { Caller } from '../support/http.ts'
import { expectInvariants } from '../support/invariants.ts'
import { KillPoint } from '../support/kill-point.ts'
import { type HostedFleet, newFolder, rowOf, startFleet, until, untilOver } from '../support/processes.ts'
import { type MockProvider, startMockProvider } from '../support/providers/mock-provider.ts'
import { callTools, type NeutralRequest, type Reply, say } from '../support/providers/script.ts'

/** What the shop was asked: `/price` reads, `/pay` does not. */
const asked: string[] = []
const shop: Server = createServer((request, response) => {
  asked.push(request.url ?? '')
  response.end('{"euros":391}')
})

const tools = (url: string) => `
const get = async (path) => (await fetch('${url}' + path)).json()
const input = { type: 'object', properties: {} }
export default [
  { name: 'price', description: 'Tells the price.', effect: 'read', input, run: () => get('/price') },
  { name: 'pay', description: 'Pays.', effect: 'once', timeoutSeconds: 3, input, run: () => get('/pay') },
]`

const usage = { input: 100, output: 10 }
const perCall = usage.input + usage.output
const costs = (reply: Reply): Reply => ({ ...reply, usage }) as Reply

function course(request: NeutralRequest): Reply {
  if (roleOf(request) === 'judge') return costs(verdict('stop'))
  const turn = request.messages.filter(({ from }) => from === 'tool').length
  return costs([callTools([{ name: 'price' }]), callTools([{ name: 'pay' }])][turn] ?? say('Paid.'))
}

let hosted: HostedFleet
let provider: MockProvider
let api: Caller
let killPoint: KillPoint

beforeAll(async () => {
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve))
  const folder = join(await newFolder(), 'tools')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'shop.mjs'), tools(`http://127.0.0.1:${(shop.address() as AddressInfo).port}`))
  provider = await startMockProvider('openai-chat', course)
  hosted = await startFleet({
    env: {
      // A lease ends only when the test says so.
      RUNWRIGHT_LEASE_SECONDS: '600',
      RUNWRIGHT_RECOVERY_DELAY_SECONDS: '0.05',
      RUNWRIGHT_MODEL: 'openai-compatible/any',
      RUNWRIGHT_TOOLS_DIR: folder,
      OPENAI_COMPATIBLE_BASE_URL: provider.baseUrl,
      OPENAI_COMPATIBLE_API_KEY: 'sk-test',
    },
  })
  api = hosted.fleet.caller(await hosted.fleet.start('api'))
  killPoint = new KillPoint(hosted.database, { table: 'journal', column: 'key' })
  await killPoint.install()
})
afterAll(async () => {
  await killPoint.remove()
  await expectInvariants(hosted.database)
  await hosted.close()
  await provider.close()
  shop.close()
})
afterEach(() => killPoint.letGo())

/** A run whose first reply is not committed, while its model has asked for the payment that follows. */
async function heldRun() {
  asked.length = 0
  const requestsBefore = provider.requests.length
  const calls = (role: string) => provider.requests.slice(requestsBefore).filter((one) => roleOf(one) === role).length
  // It serves HTTP, too, so that it can be asked whether its event loop has turned.
  const worker = await hosted.fleet.start('start')
  await killPoint.arm('reply:%:0')
  const created = await api.create({ input: { question: 'Pay' }, metadata: {}, routing_hint: 'skip_planning' })
  const { id } = created.json<{ id: string }>()
  await until(() => calls('worker') === 2 && provider.openCalls === 0, { what: 'the answer that asks for the payment' })
  const health = hosted.fleet.caller(worker)
  for (let turn = 0; turn < 50; turn += 1) await health.get('/health/live')
  // The price was read, and nothing is paid.
  expect(asked).toEqual(['/price'])
  expect(await killPoint.isReached()).toBe(true)
  expect(await repliesOf(id)).toEqual([])
  return { id, worker, calls }
}

const repliesOf = (id: string) =>
  hosted.database.query({
    text: `select key from journal where run_id = $1 and key like 'reply:%'`,
    values: [fromWireId('run', id)],
  })

const expireLeases = () =>
  hosted.database.run({
    text: `update runs set lease_until = clock_timestamp() - interval '1 second' where worker_id is not null`,
  })

async function expectPaidOnce(id: string): Promise<void> {
  expect(await untilOver(hosted.database, id, 30_000)).toMatchObject({ state: 'succeeded' })
  expect(asked.filter((path) => path === '/pay')).toEqual(['/pay'])
  expect(await repliesOf(id)).toHaveLength(3)
  expect(provider.refusals).toEqual([])
}

const tokensOf = async (id: string) => Number((await rowOf(hosted.database, id)).tokens)
const meteredOf = async (id: string) => {
  const [row] = await hosted.database.query<{ sum: string }>({
    text: `select sum(quantity) from usage_rows where run_id = $1 and event_type = 'tokens.consumed'`,
    values: [fromWireId('run', id)],
  })
  return Number(row?.sum)
}

test('the connection is lost, and the worker lives: nothing is asked for again', { timeout: 60_000 }, async () => {
  const { id, worker, calls } = await heldRun()
  await killPoint.cutOff()
  await expectPaidOnce(id)
  expect([calls('worker'), calls('judge')]).toEqual([3, 1])
  expect([await tokensOf(id), await meteredOf(id)]).toEqual([4 * perCall, 4 * perCall])
  await worker.stop()
})

test('the worker is killed: the next one begins with the reply that is lost', { timeout: 60_000 }, async () => {
  const { id, worker, calls } = await heldRun()
  await worker.kill()
  await killPoint.cutOff()
  await expireLeases()
  const next = await hosted.fleet.start('worker')
  await expectPaidOnce(id)
  expect([calls('worker'), calls('judge')]).toEqual([5, 1])
  // No process is left that knows what the two lost replies have used.
  expect([await tokensOf(id), await meteredOf(id)]).toEqual([4 * perCall, 4 * perCall])
  await next.stop()
})

test('the worker is paused until another one has ended the run: it changes nothing, and all tokens are counted', {
  timeout: 60_000,
}, async () => {
  const { id, worker, calls } = await heldRun()
  worker.signal('SIGSTOP')
  await killPoint.cutOff()
  await expireLeases()
  const next = await hosted.fleet.start('worker')
  await expectPaidOnce(id)
  const ended = await stateOf(id)
  worker.signal('SIGCONT')
  await until(async () => (await tokensOf(id)) === 6 * perCall, { what: 'the tokens of the lost replies' })
  expect([calls('worker'), calls('judge'), await meteredOf(id)]).toEqual([5, 1, 6 * perCall])
  expect(await stateOf(id)).toEqual(ended)
  expect(asked.filter((path) => path === '/pay')).toEqual(['/pay'])
  await Promise.all([worker.stop(), next.stop()])
})

/** With the number of its events. */
async function stateOf(id: string) {
  const [row] = await hosted.database.query({
    text: 'select state, epoch, next_seq from runs where id = $1',
    values: [fromWireId('run', id)],
  })
  return row
}
