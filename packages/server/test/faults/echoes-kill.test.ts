// A worker dies between the turns of a conversation, and another process goes on: reasoning items, thinking blocks and
// thought signatures come from the journal, and so does what a fork kept. The mocks remember what they issued, and
// refuse what is lost or changed.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Adapter, setups } from '../support/adapters.ts'
import { AgentBench, roleOf, verdict } from '../support/agents.ts'
import type { Caller } from '../support/http.ts'
import { expectInvariants } from '../support/invariants.ts'
import { type HostedFleet, rowOf, startFleet, untilOver } from '../support/processes.ts'
import { startMockProvider } from '../support/providers/mock-provider.ts'
import { callTools, fail, type NeutralRequest, type Reply, say } from '../support/providers/script.ts'

let hosted: HostedFleet
let caller: Caller
beforeAll(async () => {
  const env = { RUNWRIGHT_LEASE_SECONDS: '600', RUNWRIGHT_RECOVERY_DELAY_SECONDS: '0.05' }
  hosted = await startFleet({ env })
  caller = hosted.fleet.caller(await hosted.fleet.start('api'))
})
afterAll(async () => {
  await expectInvariants(hosted.database)
  await hosted.close()
})

const expireLeases = () =>
  hosted.database.run({
    text: `update runs set lease_until = clock_timestamp() - interval '1 second' where worker_id is not null`,
  })

const { textOf } = AgentBench
const turnOf = ({ messages }: NeutralRequest) => messages.filter(({ from }) => from === 'tool').length

const calculate = (turn: number): Reply =>
  callTools(
    [
      { name: 'calculator', args: { expression: `${turn} + 1` } },
      { name: 'calculator', args: { expression: `${turn} + 2` } },
    ],
    { reasoning: `I add up, ${turn}.`, text: 'Adding up.' },
  )

/** The model that thinks without being asked to, and where it is. */
async function providerOf(adapter: Adapter, script: (request: NeutralRequest) => Reply) {
  const { format, model, variables } = setups[adapter]
  const provider = await startMockProvider(format, script)
  const env = {
    RUNWRIGHT_MODEL: adapter === 'anthropic' ? 'anthropic/claude-opus-5-5' : model,
    [`${variables}_BASE_URL`]: provider.baseUrl,
    [`${variables}_API_KEY`]: 'sk-test',
  }
  return { provider, env }
}

const adapters = ['openai', 'anthropic', 'google'] as const

test.each(adapters)(
  'through %s: killed in turn 1, refused in turn 2, retried',
  { timeout: 60_000 },
  async (adapter) => {
    let hangs = true
    let refuses = true
    const { provider, env } = await providerOf(adapter, (request) => {
      if (roleOf(request) === 'judge') return verdict('stop')
      const turn = turnOf(request)
      if (turn === 1 && hangs) return say('x', { delivery: { hang: true } })
      if (turn === 2 && refuses) return fail('bad_request')
      return turn < 3 ? calculate(turn) : say('Added up.')
    })
    const first = await hosted.fleet.start('worker', env)
    const created = await caller.create({ input: { question: 'Add' }, metadata: {}, routing_hint: 'skip_planning' })
    const { id } = created.json<{ id: string }>()
    await provider.stalled(1)
    await first.kill()
    hangs = false
    await expireLeases()
    const second = await hosted.fleet.start('worker', env)
    await untilOver(hosted.database, id, 30_000)
    refuses = false
    await caller.post(`/v1/runs/${id}/retry`)
    await untilOver(hosted.database, id, 30_000)
    await second.stop()
    expect((await rowOf(hosted.database, id)).state).toBe('succeeded')
    expect(provider.refusals).toEqual([])
    const thoughts = { openai: 'encrypted_content', anthropic: '"thinking"', google: 'thoughtSignature' }[adapter]
    const [last] = provider.requests.filter((request) => roleOf(request) === 'worker' && turnOf(request) === 3)
    expect(JSON.stringify(last?.body).split(thoughts).length - 1).toBeGreaterThanOrEqual(3)
    await provider.close()
  },
)

test('a fork whose worker is killed continues with what it kept', { timeout: 60_000 }, async () => {
  let hangs = false
  const { provider, env } = await providerOf('openai', (request) => {
    if (roleOf(request) === 'judge') return verdict('continue')
    const isFirst = textOf(request).includes('Now do this step: Look')
    return isFirst ? say('A kestrel.') : say('Written.', hangs ? { delivery: { hang: true } } : {})
  })
  const steps = ['Look', 'Write'].map((instruction) => ({ id: instruction, instruction }))
  const first = await hosted.fleet.start('worker', env)
  const created = await caller.create({ input: {}, metadata: {}, plan: { steps } })
  const { id } = created.json<{ id: string }>()
  await untilOver(hosted.database, id, 30_000)
  hangs = true
  const forked = await caller.post(`/v1/runs/${id}/fork`, { from_step: 'Look' }, { 'idempotency-key': 'fork' })
  const { id: fork } = forked.json<{ id: string }>()
  await provider.stalled(1)
  await first.kill()
  hangs = false
  await expireLeases()
  const before = provider.requests.length
  const second = await hosted.fleet.start('worker', env)
  await untilOver(hosted.database, fork, 30_000)
  await second.stop()
  expect((await rowOf(hosted.database, fork)).state).toBe('succeeded')
  const [asked, ...others] = provider.requests.slice(before).filter((request) => roleOf(request) === 'worker')
  expect(others).toEqual([])
  expect(textOf(asked)).toContain('A kestrel.')
  await provider.close()
})
