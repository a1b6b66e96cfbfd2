// Forks whose roles are played by models: what the models of a fork receive, its agents, and its replay.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CreatedRun } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { replayCommand } from '../../src/cli/admin/replay.ts'
import { trimEndedRuns } from '../../src/store/run-log/trim-runs.ts'
import { SealingKeys } from '../../src/store/sealed/sealing-keys.ts'
import { builtInTools } from '../../src/tools/built-in/built-in-tools.ts'
import { AgentBench, json, verdict } from '../support/agents.ts'
import { outline, planned } from '../support/engine.ts'
import { ownTool } from '../support/own-tool.ts'
import { callTools, say } from '../support/providers/script.ts'

const look = ownTool({ name: 'look' })
let folder: string
let agents: AgentBench
const write = (text: string) => writeFile(join(folder, 'clerk.md'), `---\ndescription: Sorts.\n---\n${text}\n`)

const move = (from: string, to: string) => rename(join(folder, from), join(folder, to))

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'runwright-agents-'))
  await write('Sort with care.')
  agents = await AgentBench.start({ tools: [look], env: { RUNWRIGHT_AGENTS_DIR: folder } })
})
afterAll(async () => {
  await agents.stop()
  await rm(folder, { recursive: true })
})

async function fork(id: string, body: object): Promise<string> {
  const reply = await agents.bench.acme.post(`/v1/runs/${id}/fork`, body, { 'idempotency-key': crypto.randomUUID() })
  expect(reply.status, reply.text).toBe(201)
  return reply.json<CreatedRun>().id
}

const planOf = (...instructions: string[]) => json({ steps: instructions.map((instruction) => ({ instruction })) })
const goal = (text: string, metadata: object = {}) => ({
  input: { goal: text },
  metadata,
  routing_hint: 'require_planning',
})

describe('the models of a fork', () => {
  test('are told the plan, the results that it kept, and the new input', async () => {
    const worker = [say('Hopper won.'), say('A letter.')]
    const script = { planner: planOf('Find the winner', 'Write to the winner'), worker, judge: verdict('continue') }
    const { id } = await agents.play(script, goal('in Swedish'))
    const { steps } = await agents.bench.include<{ steps: { id: string }[] }>(id, 'plan')
    agents.script({ worker: say('Another letter.'), judge: verdict('stop') })
    const forked = await fork(id, { from_step: steps[0]?.id, input: { goal: 'in Danish' } })
    expect(outline(await agents.bench.ended(forked)).at(-1)).toBe('succeeded')
    expect(agents.calls).toEqual(['worker', 'judge'])
    for (const role of ['worker', 'judge'] as const) {
      const asked = AgentBench.textOf(agents.asked(role)[0])
      expect(asked).toContain('Hopper won.')
      expect(asked).toContain('in Danish')
      expect(asked).not.toContain('in Swedish')
      expect(asked).toContain(`- [done] ${steps[0]?.id}: Find the winner`)
      expect(asked).not.toContain('A letter.')
    }
  })

  test('are told the last answer that it kept, with its question', async () => {
    const gate = { id: 'gate', await_input: { prompt: 'Which color?' } }
    agents.script({ worker: say('Painted.') })
    const id = await agents.bench.create(planned([gate, { id: 'paint', instruction: 'Paint it' }]))
    await agents.bench.waits(id)
    await agents.bench.signal(id, 'submit_input', { payload: 'turquoise' })
    await agents.bench.ended(id)
    agents.script({ worker: say('Painted again.') })
    await agents.bench.ended(await fork(id, { from_step: 'gate' }))
    const asked = AgentBench.textOf(agents.asked('worker')[0])
    expect(asked).toContain('A person was asked: "Which color?".')
    expect(asked).toContain('turquoise')
  })

  test('can read on in a long result of a call that it kept', async () => {
    const long = `${'x'.repeat(20_000)} the end`
    const steps = planned([
      { id: 'a', instruction: 'Look' },
      { id: 'b', instruction: 'Read' },
    ])
    const worker = [callTools([{ name: 'look', args: { long } }]), say('Looked.'), say('Read.')]
    const { id, events } = await agents.play({ worker, judge: verdict('continue') }, steps)
    const call = events.find(({ type }) => type === 'run.tool.invoked')?.payload.value.tool_call_id
    const readOn = callTools([{ name: 'read_result', args: { call_id: call, offset: 19_900 } }])
    agents.script({ worker: [readOn, say('Read on.')] })
    await agents.bench.ended(await fork(id, { from_step: 'a' }))
    expect(AgentBench.textOf(agents.asked('worker')[1])).toContain('the end')
    expect(look.calls).toHaveLength(1)
  })

  test('plan again if the judge asked for it after the step, and are told why', async () => {
    const script = {
      planner: [json({ steps: [{ id: 'first', instruction: 'Look' }, { instruction: 'Not needed' }] }), planOf('End')],
      worker: say('Seen.'),
      judge: [verdict('replan', 'The wrong end'), verdict('stop')],
    }
    const { id } = await agents.play(script, goal('see'))
    agents.script({ planner: planOf('Look elsewhere'), worker: say('Found.'), judge: verdict('stop') })
    const forked = await fork(id, { from_step: 'first' })
    await agents.bench.ended(forked)
    expect(agents.calls).toEqual(['planner', 'worker', 'judge'])
    expect(AgentBench.textOf(agents.asked('planner')[0])).toContain('The wrong end')
    expect(await agents.bench.include(forked, 'plan')).toMatchObject({ steps: [{ instruction: 'Look elsewhere' }] })
  })
})

describe('the agent of a fork', () => {
  test('is the one that the run began with, also after a change, unless the fork names its own', async () => {
    const steps = planned([
      { id: 'a', instruction: 'Sort' },
      { id: 'b', instruction: 'Sort more' },
    ])
    const script = { worker: say('Sorted.'), judge: verdict('continue') }
    const { id } = await agents.play(script, { ...steps, metadata: { agent: 'clerk' } })
    const began = await agents.bench.include(id, 'agent')
    await write('Sort quickly.')
    await agents.bench.service.reload()
    const systemOf = async (body: object) => {
      agents.script(script)
      const forked = await fork(id, { from_step: 'a', ...body })
      await agents.bench.ended(forked)
      return [agents.asked('worker')[0]?.system, await agents.bench.include(forked, 'agent')] as const
    }
    expect(await systemOf({ metadata: { agent: 'clerk', n: 1 } })).toEqual([
      expect.stringContaining('Sort with care.'),
      began,
    ])
    const [system, agent] = await systemOf({ metadata: {} })
    expect(system).not.toContain('Sort')
    expect(agent).toBeNull()
  })

  test('may be gone: a fork that keeps it has it, and one that would begin without it is refused', async () => {
    const steps = planned([
      { id: 'a', instruction: 'Sort' },
      { id: 'b', instruction: 'Sort more', agent: 'clerk' },
    ])
    const script = { worker: say('Sorted.'), judge: verdict('continue') }
    const { id } = await agents.play(script, { ...steps, metadata: { agent: 'clerk' } })
    await move('clerk.md', 'scribe.md')
    await agents.bench.service.reload()
    const forked = await fork(id, { from_step: 'a' })
    await agents.bench.ended(forked)
    expect(await agents.bench.include(forked, 'agent')).toMatchObject({ name: 'clerk' })
    const refusal = async (body: object) => {
      const reply = await agents.bench.acme.post(`/v1/runs/${id}/fork`, body, { 'idempotency-key': `gone-${id}` })
      return [reply.status, reply.json()]
    }
    const problem = 'names an unknown agent: "clerk"; the agents are "scribe".'
    expect(await refusal({ from_step: 'a', metadata: { agent: 'clerk', n: 2 } })).toMatchObject([
      400,
      { reason_code: 'INPUT_PAYLOAD_INVALID', message: `metadata.agent ${problem}` },
    ])
    expect(await refusal({ from_step: 'a', metadata: { agent: 'scribe' } })).toMatchObject([
      400,
      { reason_code: 'INPUT_PLAN_INVALID', message: `plan.steps[1] ("b"): ${problem}` },
    ])
    await move('scribe.md', 'clerk.md')
    await agents.bench.service.reload()
  })
})

test('the replay of a fork begins with what it kept, also after the run was trimmed', async () => {
  const { database } = agents.bench.service
  const printed: string[] = []
  vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text))
  const steps = planned([
    { id: 'a', tool: 'look', input: { n: 1 } },
    { id: 'gate', await_input: {} },
    { id: 'b', instruction: 'Then this' },
  ])
  agents.script({ worker: say('Done.') })
  const id = await agents.bench.create(steps)
  await agents.bench.waits(id)
  await agents.bench.signal(id, 'approve')
  await agents.bench.ended(id)
  const forked = await fork(id, { from_step: 'gate' })
  await agents.bench.ended(forked)
  const replay = async () => {
    const sealing = new SealingKeys(database, { encryptionKey: randomBytes(32) })
    const command = replayCommand((work) => work({ database, sealing }), {}, [...builtInTools(), look])
    await command.parseAsync([forked], { from: 'user' })
    return printed.at(-1)
  }
  expect(await replay()).toBe('No difference: 2 calls, 3 decisions.')
  await trimEndedRuns(database, { hours: 0, atMost: 100 })
  expect(await replay()).toBe('No difference: 2 calls, 3 decisions.')
  vi.restoreAllMocks()
  process.exitCode = undefined
})
