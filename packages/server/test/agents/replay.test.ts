// `runwright replay`: a run that has ended is executed again without a provider, tools or writes.
import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { prompts } from '../../src/agents/load-prompt.ts'
import { replayCommand } from '../../src/cli/admin/replay.ts'
import { commandLine } from '../../src/cli/output/command-line.ts'
import { fromWireId } from '../../src/runtime/ids.ts'
import { trimEndedRuns } from '../../src/store/run-log/trim-runs.ts'
import { SealingKeys } from '../../src/store/sealed/sealing-keys.ts'
import { builtInTools } from '../../src/tools/built-in/built-in-tools.ts'
import { AgentBench, json, verdict } from '../support/agents.ts'
import { planned } from '../support/engine.ts'
import { ownTool } from '../support/own-tool.ts'
import { callTools, fail, say } from '../support/providers/script.ts'

let agents: AgentBench
const look = ownTool({ name: 'look' })
const broken = { ...ownTool({ name: 'broken' }), run: () => Promise.reject(new Error('It is broken.')) }
const tools = [...builtInTools(), look, broken]
beforeAll(async () => {
  agents = await AgentBench.start({ tools: [look, broken] })
})
afterAll(() => agents.stop())

let printed: string[]
beforeEach(() => {
  printed = []
  const print = (text: string) => void printed.push(text)
  vi.spyOn(console, 'log').mockImplementation(print)
  vi.spyOn(console, 'error').mockImplementation(print)
})
afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = undefined
})

const replay = (id: string, { env = {}, args = [] as string[] } = {}) => run([id, ...args], env)

async function run(args: readonly string[], env = {}) {
  const { database } = agents.bench.service
  const sealing = new SealingKeys(database, { encryptionKey: randomBytes(32) })
  const command = replayCommand((work) => work({ database, sealing }), { ...env }, tools)
  await command.parseAsync(args, { from: 'user' })
  return { text: printed.join('\n'), exitCode: process.exitCode }
}

const call = (name: string, args: object = {}) => callTools([{ name, args }])
const gate = { id: 'gate', depends_on: ['a'], await_input: { reason_code: 'check', prompt: 'Go on?' } }
const steps = planned([
  { id: 'a', instruction: 'Do it' },
  gate,
  { id: 'b', depends_on: ['gate'], instruction: 'Then this' },
])

async function recordSteps(): Promise<string> {
  agents.script({
    worker: [
      fail('overloaded'),
      call('look', { n: 1 }),
      call('broken'),
      call('wait', { seconds: 1 }),
      say('First.'),
      say('Second.'),
    ],
    judge: verdict('continue'),
  })
  const id = await agents.bench.create(steps)
  await agents.bench.waits(id)
  await agents.bench.signal(id, 'approve')
  await agents.bench.ended(id)
  return id
}

const rowCounts = async () => {
  const { database } = agents.bench.service
  const counts = ['event_rows', 'journal', 'turns', 'usage_rows', 'memory_items'].map(
    (table) => `(select count(*) from ${table}) as ${table}`,
  )
  return (await database.query({ text: `select ${counts.join(', ')}` }))[0]
}

describe('a run that the service would execute in the same way', () => {
  let id: string
  beforeAll(async () => {
    id = await recordSteps()
  })

  test('has no difference, whatever it called and waited for', async () => {
    const before = { rows: await rowCounts(), calls: look.calls.length, requests: agents.provider.requests.length }
    expect(await replay(id)).toEqual({ text: 'No difference: 7 calls, 10 decisions.', exitCode: 0 })
    const after = { rows: await rowCounts(), calls: look.calls.length, requests: agents.provider.requests.length }
    expect(after).toEqual(before)
  })

  test('is told as JSON with --json', async () => {
    const { text } = await replay(id, { args: ['--json'] })
    expect(JSON.parse(text)).toEqual({
      run_id: id,
      equal: true,
      calls: 7,
      events: 10,
      stopped: null,
      difference: null,
    })
  })

  test('has none after the run was trimmed, either', async () => {
    const { database } = agents.bench.service
    const journaled = async () => (await database.query({ text: 'select from journal' })).length
    const before = await journaled()
    await trimEndedRuns(database, { hours: 0, atMost: 100 })
    expect(await journaled()).toBeLessThan(before)
    expect(await replay(id)).toEqual({ text: 'No difference: 7 calls, 10 decisions.', exitCode: 0 })
  })
})

test('a run whose answer was graded and revised is the same again', async () => {
  const grade = [json({ passes: false, notes: 'More.' }), json({ passes: true, notes: '' })]
  const { id } = await agents.play(
    { worker: [say('A start.'), say('All of it.')], grade },
    {
      input: { question: 'What is it?', rubric: 'Complete.' },
      metadata: {},
    },
  )
  expect(await replay(id)).toEqual({ text: 'No difference: 4 calls, 4 decisions.', exitCode: 0 })
})

test('a call that the recorded run did not make is the difference', async () => {
  const { id } = await agents.play(
    { worker: [call('look', { n: 7 }), say('Done.')] },
    planned([{ id: 'a', instruction: 'Do it' }]),
  )
  const before = look.calls.length
  await agents.bench.service.database.query({
    text: "delete from journal where run_id = $1 and key like 'result:%'",
    values: [fromWireId('run', id)],
  })
  const { text, exitCode } = await replay(id)
  expect(text).toMatch(/\(no such call\).*look\(\{"n":7\}\)/s)
  expect([exitCode, look.calls.length]).toEqual([1, before])
  // What is left of it breaks the invariants, which are checked at the end.
  await agents.bench.acme.send({ method: 'DELETE', path: `/v1/runs/${id}` })
})

test('a prompt that is built differently is shown, with the call and the message', async () => {
  const { id } = await agents.play(
    { worker: [call('look'), say('Done.')] },
    planned([{ id: 'a', instruction: 'Do it' }]),
  )
  const { worker } = prompts
  try {
    const text = worker.text.replace('You are an agent', 'You are a careful agent')
    Object.assign(prompts, { worker: { ...worker, text } })
    const shown = await replay(id)
    expect(shown.exitCode).toBe(1)
    expect(shown.text).toMatch(/^After 0 equal calls, the call 0\/a:0 differs: message 1\.\n@@ line 1 @@\n/)
    expect(shown.text).toMatch(/^-system: You are an agent/m)
    expect(shown.text).toMatch(/^\+system: You are a careful agent/m)
  } finally {
    Object.assign(prompts, { worker })
  }
})

test('a decision that goes another way is shown', async () => {
  const unreadable = { worker: say('Done.'), judge: say('Hmm.') }
  const { id } = await agents.play(unreadable, planned([{ id: 'a', instruction: 'Do it' }]))
  const { text, exitCode } = await replay(id, { env: { RUNWRIGHT_JUDGE_FALLBACK: 'fail' } })
  expect(exitCode).toBe(1)
  expect(text).toContain('The run now decides differently.')
  expect(text).toMatch(/^- .*succeeded.*Done\.$/m)
  expect(text).toMatch(/^\+ .*fail_run judge_unavailable.*$/m)
  expect((await replay(id)).exitCode).toBe(0)
})

test('a tool that is no longer offered is a difference', async () => {
  const { id } = await agents.play({ worker: [say('Done.')] }, planned([{ id: 'a', instruction: 'Do it' }]))
  const at = tools.indexOf(look)
  tools.splice(at, 1)
  const { text, exitCode } = await replay(id)
  tools.splice(at, 0, look)
  expect(exitCode).toBe(1)
  expect(text).toContain('the offered tools')
})

test('a run that was retried is replayed with all its attempts', async () => {
  const { id } = await agents.play(
    { worker: say('', { refusal: 'No.' }) },
    planned([{ id: 'a', instruction: 'Do it' }]),
  )
  agents.script({ worker: say('Yes.') })
  await agents.bench.command(id, 'retry')
  await agents.bench.ended(id, 2)
  expect(await replay(id)).toMatchObject({ exitCode: 0, text: expect.stringContaining('3 calls') })
})

test('a run that was cancelled during a call is compared up to there', async () => {
  agents.script({ worker: [call('look'), say('', { delivery: { hang: true } })] })
  const id = await agents.bench.create(planned([{ id: 'a', instruction: 'Do it' }]))
  await agents.bench.seen(id, 'run.tool.invoked')
  await agents.bench.command(id, 'cancel')
  await agents.bench.ended(id)
  const { text, exitCode } = await replay(id)
  expect([exitCode, text]).toEqual([0, expect.stringMatching(/^No difference: 1 call, 1 decision until/)])
})

describe('a run that cannot be replayed', () => {
  test.each(['run_01m7f8njhrfe3b4wzz6kye37bb', 'nonsense'])('%s does not exist', async (id) => {
    expect(await replay(id)).toEqual({ text: `There is no run ${id}.`, exitCode: 2 })
  })

  test('is not named, or named with others', async () => {
    for (const args of [[], ['run_1', 'run_2']]) {
      printed = []
      expect(await run(args)).toEqual({ text: `Usage: ${commandLine('replay')} [--json] <run id>`, exitCode: 2 })
    }
  })

  test('has not ended', async () => {
    agents.script({ worker: say('Done.') })
    const id = await agents.bench.create(planned([{ id: 'gate', await_input: { reason_code: 'check' } }]))
    await agents.bench.waits(id)
    expect(await replay(id)).toMatchObject({ exitCode: 2, text: expect.stringContaining('has not ended') })
  })

  test('was recorded before turns were', async () => {
    const { id } = await agents.play({ worker: say('Done.') }, planned([{ id: 'a', instruction: 'Do it' }]))
    const { database } = agents.bench.service
    const values = [fromWireId('run', id)]
    await database.query({ text: 'delete from turns where run_id = $1', values })
    await database.query({ text: 'update runs set next_turn = 1 where id = $1', values })
    expect(await replay(id)).toMatchObject({ exitCode: 2, text: expect.stringContaining('were not recorded') })
  })
})
