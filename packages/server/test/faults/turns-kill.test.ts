// A worker dies in a conversation of three turns with a real model's protocol: before each reply, during each reply and
// during each call. Each payment is made once.

import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { roleOf, verdict } from '../support/agents.ts'
import type { Caller } from '../support/http.ts'
import {
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

const quick = {
  RUNWRIGHT_LEASE_SECONDS: '0.9',
  RUNWRIGHT_HEARTBEAT_SECONDS: '0.15',
  RUNWRIGHT_RECOVERY_DELAY_SECONDS: '0.05',
  RUNWRIGHT_MODEL: 'openai-compatible/any',
}

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
  input: { type: 'object', properties: { invoice: { type: 'string' } }, required: ['invoice'] },
  run: async ({ invoice }) => (await fetch('${bank}/' + encodeURIComponent(invoice))).json(),
}`

const bank = new Bank()
let hosted: HostedFleet
let provider: MockProvider
let caller: Caller
let worker: ServiceProcess
let stalls = 0
let answer: (request: NeutralRequest) => Reply = () => say('not ready')

beforeAll(async () => {
  provider = await startMockProvider('openai-chat', (request) => answer(request))
  const folder = join(await newFolder(), 'tools')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'pay.mjs'), tool(await bank.open()))
  const env = {
    ...quick,
    RUNWRIGHT_TOOLS_DIR: folder,
    OPENAI_COMPATIBLE_BASE_URL: provider.baseUrl,
    OPENAI_COMPATIBLE_API_KEY: 'sk-test',
  }
  hosted = await startFleet({ env })
  caller = hosted.fleet.caller(await hosted.fleet.start('api'))
  worker = await hosted.fleet.start('worker')
})
afterAll(async () => {
  await hosted.close()
  await provider.close()
  bank.close()
})

/** Turn by turn: two payments, then the end. What was answered to is told by the conversation itself, not by a count. */
function course(run: string, request: NeutralRequest): Reply {
  if (roleOf(request) === 'judge') return verdict('stop')
  const turn = request.messages.filter(({ from }) => from === 'tool').length
  if (turn < 2) return callTools([{ name: 'pay', args: { invoice: `${run}-${turn}` } }], { text: ['Paying ', 'it. '] })
  return say(['Both ', 'are ', 'paid.'])
}

const turnOf = (request: NeutralRequest) => request.messages.filter(({ from }) => from === 'tool').length

type Point = { readonly what: 'before reply' | 'during reply' | 'during call'; readonly turn: number }
const points: Point[] = [
  ...[0, 1, 2].flatMap((turn) => [{ what: 'before reply', turn } as const, { what: 'during reply', turn } as const]),
  ...[0, 1].map((turn) => ({ what: 'during call', turn }) as const),
]

test.each(points)('killed $what of turn $turn: every invoice is paid once', async ({ what, turn }) => {
  const run = `${what.replaceAll(' ', '-')}-${turn}`
  const reached = hold(run, { what, turn })
  const created = await caller.create({ input: { question: 'Pay both' }, metadata: {}, routing_hint: 'skip_planning' })
  const { id } = created.json<{ id: string }>()
  await reached
  await worker.kill()
  bank.onPayment = async () => undefined
  worker = await hosted.fleet.start('worker')
  await until(() => settle(id), { within: 20_000, what: () => `the end of ${id}; ${worker.output}` })
  expect((await rowOf(hosted.database, id)).state).toBe('succeeded')
  expect(bank.payments.filter((invoice) => invoice.startsWith(run)).toSorted()).toEqual([`${run}-0`, `${run}-1`])
  expect(provider.refusals).toEqual([])
})

/** Resolves when the run has come to the point, where it then stays. */
function hold(run: string, { what, turn }: Point): Promise<void> {
  let isFirst = true
  return new Promise((resolve) => {
    answer = (request) => {
      const isThere = roleOf(request) === 'worker' && turnOf(request) === turn && what !== 'during call' && isFirst
      if (!isThere) return course(run, request)
      isFirst = false
      const delivery = what === 'before reply' ? { hang: true } : { silentAfterChunks: 1 }
      stalls += 1
      void provider.stalled(stalls).then(() => resolve())
      return { ...course(run, request), delivery } as Reply
    }
    if (what !== 'during call') return
    bank.onPayment = (invoice) => {
      if (invoice !== `${run}-${turn}`) return Promise.resolve()
      resolve()
      return new Promise(() => undefined)
    }
  })
}

/** A call that was cut off may have taken place: a person says that it did. */
async function settle(id: string): Promise<RunRow | undefined> {
  const row = await rowOf(hosted.database, id)
  if (isOver(row)) return row
  if (row.await_seq !== null) {
    await caller.post(`/v1/runs/${id}/signal`, {
      action: 'submit_input',
      payload: { paid: true },
      await_seq: row.await_seq,
    })
  }
  return undefined
}
