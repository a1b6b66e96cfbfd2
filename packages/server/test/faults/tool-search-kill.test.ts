// A worker dies in a step whose model searches for its tools, and the server lists other tools when the next worker
// goes on. The model is offered the same bytes, so that its provider still knows the beginning of the conversation.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { setups } from '../support/adapters.ts'
import { roleOf, verdict } from '../support/agents.ts'
import type { Caller } from '../support/http.ts'
import { expectInvariants } from '../support/invariants.ts'
import { ask, find, newOffice, wrapped } from '../support/office.ts'
import { type HostedFleet, newFolder, rowOf, startFleet, until, untilOver } from '../support/processes.ts'
import { startMockProvider } from '../support/providers/mock-provider.ts'
import { type NeutralRequest, type Reply, say } from '../support/providers/script.ts'

const office = newOffice()
let hosted: HostedFleet
let caller: Caller
let config: string
beforeAll(async () => {
  hosted = await startFleet({ env: { RUNWRIGHT_LEASE_SECONDS: '600', RUNWRIGHT_RECOVERY_DELAY_SECONDS: '0.05' } })
  caller = hosted.fleet.caller(await hosted.fleet.start('api'))
  config = join(await newFolder(), 'mcp.json')
  await writeFile(config, JSON.stringify({ mcpServers: { office: office.server } }))
})
afterAll(async () => {
  await expectInvariants(hosted.database)
  await hosted.close()
  office.remove()
})

const expireLeases = () =>
  hosted.database.run({
    text: `update runs set lease_until = clock_timestamp() - interval '1 second' where worker_id is not null`,
  })
const turnOf = ({ messages }: NeutralRequest) => messages.filter(({ from }) => from === 'tool').length
const turns: Reply[] = [
  ask(find('list invoices')),
  ask(wrapped('office.list_invoices', { customer: 'Ada' })),
  say('There are none.'),
]

test.each([
  ['openai-compatible', 0],
  ['openai-compatible', 1],
  ['anthropic', 0],
  ['anthropic', 2],
] as const)('through %s: killed in turn %i', { timeout: 60_000 }, async (adapter, killedIn) => {
  office.setTools(40)
  let hangs = true
  const { format, model, variables } = setups[adapter]
  const provider = await startMockProvider(format, (request) => {
    if (roleOf(request) === 'judge') return verdict('stop')
    const turn = turnOf(request)
    return turn === killedIn && hangs ? say('x', { delivery: { hang: true } }) : (turns[turn] as Reply)
  })
  const env = {
    RUNWRIGHT_MODEL: model,
    [`${variables}_BASE_URL`]: provider.baseUrl,
    [`${variables}_API_KEY`]: 'sk-test',
    RUNWRIGHT_MCP_CONFIG: config,
  }
  const startWorker = async () => {
    const worker = await hosted.fleet.start('worker', env)
    await until(() => worker.output.includes('MCP server connected') || undefined, { what: 'the connection' })
    return worker
  }
  const first = await startWorker()
  const created = await caller.create({ input: { question: 'List' }, metadata: {}, routing_hint: 'skip_planning' })
  const { id } = created.json<{ id: string }>()
  await provider.stalled(1)
  await first.kill()
  hangs = false
  office.setTools(60)
  const second = await startWorker()
  expect(second.output).toContain('"tools":60')
  await expireLeases()
  await untilOver(hosted.database, id, 30_000)
  await second.stop()
  expect((await rowOf(hosted.database, id)).state).toBe('succeeded')
  expect(provider.refusals).toEqual([])
  const asked = provider.requests.filter((request) => roleOf(request) === 'worker')
  expect(asked.length).toBe(4)
  expect(new Set(asked.map(({ body }) => JSON.stringify(body.tools))).size).toBe(1)
  expect(JSON.stringify(asked[0]?.body.tools)).toContain('office (40)')
  await provider.close()
})
