// What GET /v1/runs/{id}/turns tells about the calls of a run to models.
import { type Turn, type TurnPage, turnPageSchema } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fromWireId } from '../../src/runtime/ids.ts'
import { AgentBench, json, verdict } from '../support/agents.ts'
import { eventually, planned, scripted, startBench } from '../support/engine.ts'
import { ownTool } from '../support/own-tool.ts'
import { callTools, fail, say } from '../support/providers/script.ts'

let agents: AgentBench
const look = ownTool({ name: 'look' })
const page = { ...ownTool({ name: 'page' }), run: async () => 'x'.repeat(100_000) }
beforeAll(async () => {
  agents = await AgentBench.start({ tools: [look, page], env: { RUNWRIGHT_CONTEXT_TOKENS: '1000000' } })
})
afterAll(() => agents.stop())

const step = (more: object = {}) => planned([{ id: 'a', instruction: 'Do it', ...more }])
const pageOf = async (id: string, query = ''): Promise<TurnPage> => {
  const answer = await agents.bench.acme.get(`/v1/runs/${id}/turns${query}`)
  expect(answer.status, answer.text).toBe(200)
  return turnPageSchema.parse(answer.json())
}
const turnsOf = async (id: string): Promise<Turn[]> => (await pageOf(id)).turns
const lookUp = (n: number) => callTools([{ name: 'look', args: { n } }], { text: `Looking ${n}. ` })

test('a call of each role is told with what was sent and what came back', async () => {
  const plan = { goal: 'Find it', steps: [{ id: 'find', instruction: 'Look it up' }] }
  const worker = [lookUp(1), say('Found.', { usage: { input: 50, output: 7, cached: 32, reasoning: 3 } })]
  const { id, events } = await agents.play(
    { planner: json(plan), worker, judge: verdict('stop') },
    {
      input: { task: 'x' },
      metadata: {},
      routing_hint: 'require_planning',
    },
  )
  const turns = await turnsOf(id)
  expect(turns.map(({ seq, role, step_id, call }) => [seq, role, step_id, call])).toEqual([
    [1, 'planner', 'planner', '1/planner:0'],
    [2, 'worker', 'find', '1/find:0'],
    [3, 'worker', 'find', '1/find:1'],
    [4, 'judge', 'find', '1/find:judge'],
  ])
  const [planner, first, second, judge] = turns as [Turn, Turn, Turn, Turn]
  expect(planner).toMatchObject({ output_schema: true, tools: [], reply: { text: JSON.stringify(plan) } })
  expect(first).toMatchObject({
    attempt: 1,
    try: 1,
    model: 'openai-compatible/gpt-test',
    prompt_version: expect.stringMatching(/^worker-\d+$/),
    tools: expect.arrayContaining(['look']),
    output_schema: false,
    outcome: 'reply',
    reply: { text: 'Looking 1. ', tool_calls: [{ name: 'look', input: { n: 1 } }], finish: 'complete' },
    failure: null,
    truncated: false,
    first_token_ms: expect.any(Number),
  })
  expect(second.messages.slice(0, 2)).toEqual(first.messages)
  expect(second.messages.slice(2)).toEqual([
    { from: 'assistant', text: 'Looking 1. ', tool_calls: first.reply?.tool_calls },
    { from: 'tool', call_id: first.reply?.tool_calls[0]?.id, name: 'look', result: { n: 1 }, failed: false },
  ])
  expect(second.usage).toEqual({ total: 57, input: 50, output: 7, cached: 32, reasoning: 3 })
  expect(judge.reply?.text).toContain('because stop')
  const done = events.find(({ payload }) => payload.value.outcome === 'succeeded' && payload.value.content === 'Found.')
  expect(first.task_id).toBe(done?.payload.value.task_id)
  for (const turn of turns) {
    expect(Date.parse(turn.started_at)).toBeGreaterThanOrEqual(Date.parse(events[0]?.timestamp ?? '') - 1)
    expect(Date.parse(turn.started_at) + turn.duration_ms).toBeLessThan(Date.parse(events.at(-1)?.timestamp ?? '') + 50)
  }
})

test('the system message is told as it was sent, with the schema of the answer in words', async () => {
  const { id } = await agents.play({ worker: say('Done.'), judge: verdict('stop') }, step())
  const turns = await turnsOf(id)
  const sent = agents.provider.requests.slice(-turns.length).map(({ system }) => system)
  const shown = turns.map(({ messages: [first] }) => (first?.from === 'system' ? first.text : ''))
  expect(shown).toEqual(sent)
  expect(shown[1]).toContain('matches this JSON Schema')
})

describe('a call that gives no reply', () => {
  test('is told with its reason, and so is each repetition of it', async () => {
    const worker = [fail('overloaded'), fail('rate_limited'), say('Now.')]
    const { id } = await agents.play({ worker }, step())
    const turns = (await turnsOf(id)).filter(({ role }) => role === 'worker')
    expect(turns.map((turn) => [turn.call, turn.try, turn.outcome, turn.failure?.reason_code])).toEqual([
      ['0/a:0', 1, 'failure', 'provider_unavailable'],
      ['0/a:0', 2, 'failure', 'provider_rate_limited'],
      ['0/a:0', 3, 'reply', undefined],
    ])
    expect(turns[0]?.messages).toEqual(turns[2]?.messages)
  })

  test('is told when it was the last one of a run that failed', async () => {
    const { id } = await agents.play({ worker: fail('wrong_key') }, step())
    expect((await turnsOf(id)).map(({ outcome, failure }) => [outcome, failure?.reason_code])).toEqual([
      ['failure', 'provider_auth'],
    ])
  })

  test('is told when it was aborted, because the run was cancelled', async () => {
    agents.script({ worker: say(['Half of ', 'it'], { delivery: { silentAfterChunks: 1 } }) })
    const id = await agents.bench.create(step())
    await agents.bench.seen(id, 'step.progress')
    await agents.bench.command(id, 'cancel')
    await agents.bench.ended(id)
    const turn = await eventually(async () => (await turnsOf(id))[0])
    expect(turn).toMatchObject({ outcome: 'aborted', reply: { text: 'Half of ' } })
  })
})

test('a summary is a turn of its own', async () => {
  const summarizing = await AgentBench.start({ tools: [page], env: { RUNWRIGHT_CONTEXT_TOKENS: '8000' } })
  const ask = callTools([{ name: 'page', args: {} }])
  const { id } = await summarizing.play({ worker: [ask, ask, ask, say('Done.')], summary: say('All x.') }, step())
  const { turns } = (await summarizing.bench.acme.get(`/v1/runs/${id}/turns`)).json<TurnPage>()
  await summarizing.stop()
  expect(turns.find(({ role }) => role === 'summary')).toMatchObject({ step_id: 'a', reply: { text: 'All x.' } })
})

test('the calls of two claims of a run are told whole', async () => {
  const gate = { id: 'gate', depends_on: ['a'], await_input: { reason_code: 'check', prompt: 'Go on?' } }
  agents.script({ worker: [lookUp(1), lookUp(2), say('Done.')], judge: verdict('continue') })
  const next = { id: 'b', depends_on: ['gate'], instruction: 'Again' }
  const id = await agents.bench.create(planned([{ id: 'a', instruction: 'Do it' }, gate, next]))
  await agents.bench.waits(id)
  await agents.bench.signal(id, 'approve')
  await agents.bench.ended(id)
  const turns = await turnsOf(id)
  expect(turns.map(({ seq }) => seq)).toEqual(turns.map((_, n) => n + 1))
  const sent = agents.provider.requests.slice(-turns.length).map(({ messages }) => messages.length)
  expect(sent.length).toBe(turns.length)
  for (const turn of turns) expect(turn.messages.map(({ from }) => from).slice(0, 2)).toEqual(['system', 'user'])
})

describe('pages', () => {
  test('continue after a seq, and put the messages together that earlier pages share', async () => {
    const { id } = await agents.play({ worker: [lookUp(1), lookUp(2), lookUp(3), say('Done.')] }, step())
    const all = await turnsOf(id)
    const last = await pageOf(id, '?after=3&limit=1')
    expect(last.turns).toEqual([all[3]])
    expect(last.next_after).toBe(4)
    expect(await pageOf(id, '?after=5')).toMatchObject({ turns: [], next_after: 5 })
    expect((await agents.bench.acme.get(`/v1/runs/${id}/turns?after=9007199254740991`)).status).toBe(200)
  })

  test('end at 4 MiB, and go on from there', async () => {
    const ask = (n: number) => callTools([{ name: 'look', args: { n } }], { text: ['y'.repeat(120_000)] })
    const worker = [...Array.from({ length: 9 }, (_, n) => ask(n)), say('Done.')]
    const { id } = await agents.play({ worker }, step())
    const first = await agents.bench.acme.get(`/v1/runs/${id}/turns?limit=200`)
    expect(first.text.length).toBeLessThan(4 * 1024 * 1024 + 10_000)
    const seen: number[] = []
    for (let after = 0; ; ) {
      const { turns, next_after } = await pageOf(id, `?limit=200&after=${after}`)
      if (turns.length === 0) break
      seen.push(...turns.map(({ seq }) => seq))
      after = next_after
    }
    expect(seen).toEqual(Array.from({ length: seen.length }, (_, n) => n + 1))
    expect(seen.length).toBeGreaterThan(first.json<TurnPage>().turns.length)
  })

  test.each(['after=-1', 'after=x', 'limit=0', 'limit=201', 'cursor=1'])('refuse %s', async (query) => {
    const { id } = await agents.play({ worker: say('Done.') }, step())
    const answer = await agents.bench.acme.get(`/v1/runs/${id}/turns?${query}`)
    expect(answer.status).toBe(400)
    expect(answer.json()).toMatchObject({ reason_code: 'RUNS_QUERY_PARAMS_INVALID' })
  })
})

test('a conversation takes the space of its text in the database', async () => {
  const ask = (n: number) => callTools([{ name: 'look', args: { n, text: 'z'.repeat(1_000) } }])
  const worker = [...Array.from({ length: 11 }, (_, n) => ask(n)), say('Done.')]
  const { id } = await agents.play({ worker }, step())
  const [row] = await agents.bench.service.database.query<{ stored: number; shown: number; turns: number }>({
    text: `
select sum(octet_length(messages::text) + octet_length(body::text))::integer as stored, sum(size)::integer as shown,
  count(*)::integer as turns
from turns
where run_id = $1`,
    values: [fromWireId('run', id)],
  })
  expect(row?.turns).toBe(13)
  // A turn adds the call, its result and the reply, of 1,000 characters each.
  expect(row?.stored).toBeLessThan(13 * 6_000)
  expect(row?.shown).toBeGreaterThan(11 * 11 * 1_000)
})

test('the sandbox leaves no turns', async () => {
  const bench = await startBench()
  const { id } = await bench.play(scripted([{}]))
  expect((await bench.acme.get(`/v1/runs/${id}/turns`)).json()).toMatchObject({ turns: [], next_after: 0 })
  await bench.stop()
})
