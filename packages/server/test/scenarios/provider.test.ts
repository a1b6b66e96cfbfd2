// Runs whose three roles are played by a real model's protocol: a whole service against a mock server that others
// wrote.
import { LLMock } from '@copilotkit/aimock'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Bench, eventually, ofType, outline, planned, startBench } from '../support/engine.ts'

const apiKey = 'sk-of-nobody-1234567890'
const mock = new LLMock({ port: 0, auth: { apiKeys: [apiKey] } })
let bench: Bench

beforeAll(async () => {
  await mock.start()
  vi.stubEnv('OPENAI_COMPATIBLE_BASE_URL', `${mock.url}/v1`)
  vi.stubEnv('OPENAI_COMPATIBLE_API_KEY', apiKey)
  bench = await startBench({ RUNWRIGHT_MODEL: 'openai-compatible/any' })
})
afterAll(async () => {
  await bench.stop()
  vi.unstubAllEnvs()
  await mock.stop()
})
beforeEach(() => void mock.reset())

const planner = { systemMessage: 'You plan the work' }
const worker = { systemMessage: 'You are an agent that works' }
const judge = { systemMessage: 'You judge the work' }
const usage = (tokens: number) => ({ usage: { prompt_tokens: tokens - 1, completion_tokens: 1 } })
const asJson = (value: unknown, tokens: number) => ({ content: JSON.stringify(value), ...usage(tokens) })
const verdict = (decision: string, tokens = 3) => asJson({ decision, reason: `because ${decision}` }, tokens)
const goal = (text: string, more: object = {}) => ({ input: { goal: text }, metadata: {}, ...more })
const callCalculator = {
  toolCalls: [{ name: 'calculator', arguments: '{"expression":"6*7"}', id: 'call_sum' }],
  ...usage(20),
}

test('a planner, a worker with a tool and a judge take a run to its end, and every token is counted', async () => {
  mock.on(planner, asJson({ steps: [{ instruction: 'Work it out' }, { instruction: 'Say it' }] }, 10))
  mock.on({ ...worker, toolCallId: 'call_sum' }, { content: 'It is 42.', ...usage(30) })
  mock.on({ ...worker, userMessage: 'Now do this step: Work it out' }, callCalculator)
  mock.on({ ...worker, userMessage: 'Now do this step: Say it' }, { content: 'Forty-two.', ...usage(40) })
  mock.on(judge, verdict('continue'))
  const { id, events } = await bench.play(goal('six times seven', { routing_hint: 'require_planning' }))
  const step = ['step.done succeeded']
  expect(outline(events)).toEqual([
    ...['created', 'started', ...step, 'planner continue plan_ready'],
    ...['tool_call_start calculator', 'tool_call_done calculator', 'invoked calculator succeeded'],
    ...[...step, 'judge continue step_done', ...step, 'judge stop nothing_left', 'succeeded'],
  ])
  expect(
    ofType(events, 'step.done')
      .map(({ content }) => content)
      .slice(1),
  ).toEqual(['It is 42.', 'Forty-two.'])
  expect(await bench.include(id, 'usage')).toEqual({ tokens: 10 + 20 + 30 + 3 + 40 + 3, steps: 3, tool_calls: 1 })
  expect((await bench.acme.run(id)).event_payload).toMatchObject({ value: { content: 'Forty-two.' } })
})

test('what the model says is streamed as it comes', async () => {
  const content = 'One sentence after the other, long enough for several pieces of text.'
  mock.on(worker, { content, ...usage(9) }, { latency: 30, chunkSize: 8 })
  mock.on(judge, verdict('stop'))
  const { events } = await bench.play(goal('talk', { routing_hint: 'skip_planning' }))
  const deltas = ofType(events, 'step.progress').map(({ content_delta }) => content_delta)
  expect(deltas.length).toBeGreaterThan(1)
  expect(deltas.join('')).toBe(content)
})

describe('a judge', () => {
  test('may pause the run for a person, and the answer is in the next prompt', async () => {
    mock.on({ ...worker, userMessage: 'Now do this step: First' }, { content: 'A draft.', ...usage(5) })
    mock.on({ ...worker, userMessage: 'Now do this step: Second' }, { content: 'Final.', ...usage(5) })
    mock.on({ ...judge, sequenceIndex: 0 }, verdict('await_input'))
    mock.on(judge, verdict('continue'))
    const id = await bench.create(planned([{ instruction: 'First' }, { instruction: 'Second' }]))
    await bench.waits(id)
    await bench.signal(id, 'submit_input', { payload: { tone: 'kinder' } })
    expect(outline(await bench.ended(id)).at(-1)).toBe('succeeded')
    expect(JSON.stringify(mock.getRequests().map(({ body }) => body))).toContain('kinder')
  })

  test('that answers nonsense does not end the run', async () => {
    mock.on(worker, { content: 'Done.', ...usage(5) })
    mock.on(judge, { content: 'I would rather not say.', ...usage(4) })
    const { events } = await bench.play(planned([{ instruction: 'a' }, { instruction: 'b' }]))
    expect(outline(events).at(-1)).toBe('succeeded')
  })
})

describe('a server that fails', () => {
  test('for a moment: the call is repeated, and the step does not notice', async () => {
    mock.nextRequestError(503, { message: 'overloaded', type: 'server_error' })
    mock.on(worker, { content: 'Now it works.', ...usage(5) })
    mock.on(judge, verdict('stop'))
    const { events } = await bench.play(planned([{ instruction: 'a' }]))
    expect(outline(events)).toEqual(['created', 'started', 'step.done succeeded', 'judge stop all_done', 'succeeded'])
    expect(mock.getRequests()).toHaveLength(3)
  })

  test('for good: the run fails with its words, and with nothing of the key', async () => {
    const error = { error: { message: `The key ${apiKey} may not.`, type: 'invalid_request_error' }, status: 400 }
    mock.on(worker, error)
    const { id, events } = await bench.play(planned([{ instruction: 'a' }]))
    expect(outline(events).at(-1)).toBe('failed provider_error')
    expect(ofType(events, 'step.done')[0]?.provider_error_message).toContain('may not')
    expect(JSON.stringify([events, await bench.include(id, 'failure'), bench.service.log.all])).not.toContain(apiKey)
  })

  test('because the key is not good: provider_auth, without another try', async () => {
    mock.on(worker, { error: { message: 'No.', type: 'authentication_error' }, status: 401 })
    const { events } = await bench.play(planned([{ instruction: 'a' }]))
    expect(outline(events).slice(-3)).toEqual(['step.done fail_run', 'judge stop step_failed', 'failed provider_auth'])
  })
})

test('a cancel reaches a call under way at once, and what it had cost is counted', async () => {
  mock.on(worker, { content: 'word '.repeat(500) }, { latency: 50, chunkSize: 5 })
  const id = await bench.create(planned([{ instruction: 'a', tools: [] }]))
  await bench.until(id, (events) => ofType(events, 'step.progress').length > 1)
  const start = performance.now()
  await bench.command(id, 'cancel')
  const { tokens } = await eventually(async () => {
    const used = await bench.include<{ tokens: number }>(id, 'usage')
    return used.tokens > 0 ? used : undefined
  })
  expect(performance.now() - start).toBeLessThan(2_000)
  expect(tokens).toBeLessThan(600)
})

test('a step offers the tools it names, and no others', async () => {
  mock.on(worker, { content: 'Fine.', ...usage(5) })
  mock.on(judge, verdict('stop'))
  await bench.play(planned([{ instruction: 'a', tools: ['calculator', 'json_query'] }]))
  expect(mock.getRequests()[0]?.body).toMatchObject({
    tools: [{ function: { name: 'calculator' } }, { function: { name: 'json_query' } }],
  })
})
