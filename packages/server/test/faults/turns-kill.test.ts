// A worker dies in a conversation of three turns with a real model's protocol: before and during the first and the
// last reply, during a call, while the commit of a reply or a result is pending, and while the judge is asked. Each
// payment is made once, nothing that was committed is asked for again, and a person is asked only about a call that may
// have taken place.

import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { roleOf, verdict } from '../support/agents.ts'
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
import { type MockProvider, startMockProvider } from '../support/providers/mock-provider.ts'
import { callTools, type NeutralRequest, type Reply, say } from '../support/providers/script.ts'

/** A lease ends only when its worker was killed and the test says so: a slow machine loses none. */
const settings = {
  RUNWRIGHT_LEASE_SECONDS: '600',
  RUNWRIGHT_RECOVERY_DELAY_SECONDS: '0.05',
  RUNWRIGHT_MODEL: 'openai-compatible/any',
}
const expireLeases = () =>
  hosted.database.run({
    text: `update runs set lease_until = clock_timestamp() - interval '1 second' where worker_id is not null`,
  })

/** A bank: counts what it is paid, and can keep a caller waiting. */
class Bank {
  readonly payments: string[] = []
  onPayment: (invoice: string) => Promise<void> = async () => undefined
  readonly #server: Server

  constructor() {
    this.#server = createServer((request, response) => {
      const invoice = decodeURIComponent(request.url?.slice(1) ?? '')
      this.payments.push(invoice)
      void this.onPayment(invoice).then(() => response.end('{"paid":true}'))
    })
  }

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

const tool = (bank: string) => `
export default {
  name: 'pay',
  description: 'Pays an invoice.',
  effect: 'once',
  // After a kill, a person is asked when the call can no longer be under way: at most twice this time after its start.
  timeoutSeconds: 3,
  input: { type: 'object', properties: { invoice: { type: 'string' } }, required: ['invoice'] },
  run: async ({ invoice }) => (await fetch('${bank}/' + encodeURIComponent(invoice))).json(),
}`

const bank = new Bank()
let hosted: HostedFleet
let provider: MockProvider
let caller: Caller
let worker: ServiceProcess
let killPoint: KillPoint
let stalls = 0
let asked: string[] = []
let answer: (request: NeutralRequest) => Reply = () => say('not ready')

beforeAll(async () => {
  provider = await startMockProvider('openai-chat', (request) => {
    asked.push(roleOf(request))
    return answer(request)
  })
  const folder = join(await newFolder(), 'tools')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'pay.mjs'), tool(await bank.open()))
  const env = {
    ...settings,
    RUNWRIGHT_TOOLS_DIR: folder,
    OPENAI_COMPATIBLE_BASE_URL: provider.baseUrl,
    OPENAI_COMPATIBLE_API_KEY: 'sk-test',
  }
  hosted = await startFleet({ env })
  caller = hosted.fleet.caller(await hosted.fleet.start('api'))
  worker = await hosted.fleet.start('worker')
  killPoint = new KillPoint(hosted.database, { table: 'journal', column: 'key' })
  await killPoint.install()
})
afterAll(async () => {
  await killPoint.remove()
  await expectInvariants(hosted.database)
  await hosted.close()
  await provider.close()
  bank.close()
})

afterEach(() => killPoint.letGo())

/**
 * Turn by turn: two payments, then the end. What was answered to is told by the conversation itself, not by a count.
 */
function course(run: string, request: NeutralRequest): Reply {
  if (roleOf(request) === 'judge') return verdict('stop')
  const turn = request.messages.filter(({ from }) => from === 'tool').length
  if (turn < 2) return callTools([{ name: 'pay', args: { invoice: `${run}-${turn}` } }], { text: ['Paying ', 'it. '] })
  return say(['Both ', 'are ', 'paid.'])
}

const turnOf = (request: NeutralRequest) => request.messages.filter(({ from }) => from === 'tool').length

interface Point {
  readonly at:
    | 'before reply'
    | 'during reply'
    | 'during call'
    | 'in the commit of reply'
    | 'in the commit of result'
    | 'at the judge after reply'
  readonly turn: number
  /** The commit is made although the worker is dead. */
  readonly isKept?: boolean
  /** The judge is asked while the reply is being committed, so it may have been asked before the worker died. */
  readonly isJudgedMeanwhile?: boolean
  /** How many times the worker's model and the judge are asked, and a person about a call. */
  readonly costs: { readonly worker: number; readonly judge: number; readonly person: number }
}

const usual = { worker: 3, judge: 1, person: 0 }
const again = { ...usual, worker: 4 }
const unknown = { ...usual, person: 1 }
const points: Point[] = [
  ...[0, 2].flatMap((turn): Point[] => [
    { at: 'before reply', turn, costs: again },
    { at: 'during reply', turn, costs: again },
    { at: 'in the commit of reply', turn, isJudgedMeanwhile: turn === 2, costs: again },
  ]),
  { at: 'in the commit of reply', turn: 2, isKept: true, isJudgedMeanwhile: true, costs: usual },
  // The reply is committed together with the start of its call, so the call may have taken place.
  { at: 'in the commit of reply', turn: 0, isKept: true, costs: unknown },
  // The second call: what came of the first is in the journal.
  { at: 'during call', turn: 1, costs: unknown },
  { at: 'in the commit of result', turn: 1, costs: unknown },
  { at: 'in the commit of result', turn: 1, isKept: true, costs: usual },
  { at: 'at the judge after reply', turn: 2, costs: { ...usual, judge: 2 } },
]

const named = points.map(
  (point) => [`${point.at} ${point.turn}${point.isKept ? ', which is made' : ''}`, point] as const,
)

test.each(named)('killed %s: every invoice is paid once', { timeout: 60_000 }, async (name, point) => {
  const run = name.replaceAll(/\W+/g, '-')
  asked = []
  if (point.at === 'in the commit of reply') await killPoint.arm(`reply:%:${point.turn}`)
  const reached = hold(run, point)
  const created = await caller.create({ input: { question: 'Pay both' }, metadata: {}, routing_hint: 'skip_planning' })
  const { id } = created.json<{ id: string }>()
  await reached
  await worker.kill()
  await (point.isKept ? killPoint.letGo() : killPoint.cutOff())
  await expireLeases()
  bank.onPayment = async () => undefined
  worker = await hosted.fleet.start('worker')
  await until(() => settle(id, `${run}-${point.turn}`), {
    within: 20_000,
    what: () => `the end of ${id}; ${worker.output}`,
  })
  expect((await rowOf(hosted.database, id)).state).toBe('succeeded')
  const payments = bank.payments.filter((invoice) => invoice.replace(/-\d+$/, '') === run)
  expect(payments.toSorted()).toEqual([`${run}-0`, `${run}-1`])
  const events = await eventsOf(hosted.database, id)
  const person = events.filter(({ type }) => type === 'run.awaiting_input').length
  const count = (role: string) => asked.filter((one) => one === role).length
  const { judge, ...costs } = point.costs
  expect({ worker: count('worker'), person }).toEqual(costs)
  expect(point.isJudgedMeanwhile ? [judge, judge + 1] : [judge]).toContain(count('judge'))
  expect(events.filter(({ type }) => type === 'step.done')).toMatchObject([{ payload: { content: 'Both are paid.' } }])
  expect(provider.refusals).toEqual([])
})

/** Resolves when the run has come to the point, where it then stays. */
function hold(run: string, point: Point): Promise<unknown> {
  answer = (request) => course(run, request)
  if (point.at === 'during call') return holdCall(`${run}-${point.turn}`)
  if (point.at === 'in the commit of reply') return isHeldBack()
  if (point.at === 'in the commit of result') return holdResult(`${run}-${point.turn}`)
  return holdReply(run, point)
}

function holdReply(run: string, { at, turn }: Point): Promise<void> {
  const role = at === 'at the judge after reply' ? 'judge' : 'worker'
  const delivery = at === 'during reply' ? { silentAfterChunks: 1 } : { hang: true }
  let isFirst = true
  return new Promise((resolve) => {
    answer = (request) => {
      const isThere = roleOf(request) === role && (role === 'judge' || turnOf(request) === turn) && isFirst
      if (!isThere) return course(run, request)
      isFirst = false
      stalls += 1
      void provider.stalled(stalls).then(() => resolve())
      return { ...course(run, request), delivery } as Reply
    }
  })
}

function holdCall(held: string): Promise<void> {
  return new Promise((resolve) => {
    bank.onPayment = (invoice) => {
      if (invoice !== held) return Promise.resolve()
      resolve()
      return new Promise(() => undefined)
    }
  })
}

const isHeldBack = () => until(() => killPoint.isReached(), { within: 15_000, what: 'the commit' })

/** The commit after this payment. */
function holdResult(held: string): Promise<void> {
  return new Promise((resolve, reject) => {
    bank.onPayment = async (invoice) => {
      if (invoice !== held) return
      await killPoint.arm('result:%')
      isHeldBack().then(() => resolve(), reject)
    }
  })
}

/**
 * A call that was cut off may have taken place. A person looks it up at the bank: submits its result, or lets it be
 * made.
 */
async function settle(id: string, invoice: string): Promise<RunRow | undefined> {
  const row = await rowOf(hosted.database, id)
  if (isOver(row)) return row
  if (row.await_seq === null) return undefined
  const isPaid = bank.payments.includes(invoice)
  const signal = isPaid ? { action: 'submit_input', payload: { paid: true } } : { action: 'approve' }
  await caller.post(`/v1/runs/${id}/signal`, { ...signal, await_seq: row.await_seq })
  return undefined
}
