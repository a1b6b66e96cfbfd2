// What a model or its server does, and what the run does: a whole service against a mock server that others wrote. The
// tests of `test/agents` play the same against a mock of our own, which also refuses what real providers refuse.
import { LLMock } from '@copilotkit/aimock'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Bench, ofType, outline, planned, startBench } from '../support/engine.ts'
import { ownTool } from '../support/own-tool.ts'

type Match = Parameters<LLMock['on']>[0]
type Opts = NonNullable<Parameters<LLMock['on']>[2]>
type Request = Extract<NonNullable<ReturnType<LLMock['getRequests']>[number]['body']>, { messages: unknown }>
type Response = Exclude<Parameters<LLMock['on']>[1], (...args: never[]) => unknown>
type Answer = Response | ((request: Request) => Response)

const mock = new LLMock({ port: 0 })
const lookUp = ownTool({ name: 'look_up' })
const pay = ownTool({ name: 'pay', effect: 'once' })
const page = { ...ownTool({ name: 'page' }), run: async () => ({ body: 'x'.repeat(900_000), end: 'the end' }) }
let bench: Bench

const env = {
  RUNWRIGHT_MODEL: 'openai-compatible/any',
  RUNWRIGHT_MAX_STEPS: '4',
  RUNWRIGHT_MAX_REPLANS: '2',
  RUNWRIGHT_PROVIDER_SILENCE_SECONDS: '1',
  RUNWRIGHT_CONTEXT_TOKENS: '16000',
}
beforeAll(async () => {
  await mock.start()
  const environment = { OPENAI_COMPATIBLE_BASE_URL: `${mock.url}/v1`, OPENAI_COMPATIBLE_API_KEY: 'sk-test' }
  const providerRetry = { firstMs: 20, maxMs: 200, parkAboveMs: 200 }
  bench = await startBench(env, { tools: [lookUp, pay, page], environment, providerRetry })
})
afterAll(async () => {
  await bench.stop()
  await mock.stop()
})
afterEach(() => void mock.reset())

const roles = {
  planner: 'You plan the work',
  worker: 'You are an agent that works',
  judge: 'You judge the work',
  summary: 'You shorten the history',
}
type Role = keyof typeof roles
const by = (role: Role): Match => ({ systemMessage: roles[role] })

/** The role answers these in turn, the last one for ever. */
function answers(role: Role, ...given: readonly Answer[]): void {
  let nth = 0
  mock.on(by(role), (request) => {
    const answer = given[Math.min(nth, given.length - 1)] as Answer
    nth += 1
    return (typeof answer === 'function' ? answer(request as Request) : answer) as never
  })
}

/** The first request of the role is answered with this delivery. Must be called before `answers`. */
const first = (role: Role, response: Response, opts: Opts) => mock.on({ ...by(role), sequenceIndex: 0 }, response, opts)

const say = (content: string, more: object = {}): Response => ({ content, ...more })
const json = (value: unknown): Response => say(JSON.stringify(value))
const verdict = (decision: string, reason = `because ${decision}`, more: object = {}): Response =>
  json({ decision, reason, ...more })
const call = (name: string, args: unknown, more: object = {}): Response => ({
  toolCalls: [{ name, arguments: typeof args === 'string' ? args : JSON.stringify(args) }],
  ...more,
})
const refuse = (
  status: number,
  error: { message: string; type?: string; code?: string },
  more: object = {},
): Response => ({ error, status, ...more }) as Response

const asked = (role: Role): Request[] =>
  mock
    .getRequests()
    .map(({ body }) => body as Request)
    .filter(({ messages }) => String(messages[0]?.content).startsWith(roles[role]))
const order = (): Role[] =>
  mock.getRequests().map(({ body }) => {
    const system = String((body as Request).messages[0]?.content)
    return (Object.keys(roles) as Role[]).find((role) => system.startsWith(roles[role])) as Role
  })
const textOf = (request: Request | undefined): string =>
  (request?.messages ?? [])
    .slice(1)
    .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)))
    .join('\n')

const step = (more: object = {}) => planned([{ instruction: 'Do it', ...more }])
const question = { input: { question: 'What does it cost?' }, metadata: {} }
const planning = { input: { goal: 'Write to the customer' }, metadata: {}, routing_hint: 'require_planning' }
type Events = Parameters<typeof ofType>[0]
const contents = (events: Events) => ofType(events, 'step.done').map(({ content }) => content)
const reasons = (events: Events) => ofType(events, 'run.coordination.decision').map(({ reason_code }) => reason_code)
const resultOf = async (id: string) => (await bench.acme.run(id)).event_payload.value

describe('a plan', () => {
  const plan = { steps: [{ instruction: 'Find the address' }, { instruction: 'Write to {{first_name}}' }] }
  const text = JSON.stringify(plan)

  test.each([
    ['with prose around a fence', `Here is my plan:\n\`\`\`json\n${text}\n\`\`\`\nShall I?`],
    ['after reasoning', `<think>Two steps, maybe {"steps": []}?</think>\n${text}`],
    ['with a trailing comma', text.replace(/\]\}$/, ',]}')],
    ['with steps as plain sentences', JSON.stringify({ steps: plan.steps.map(({ instruction }) => instruction) })],
    ['with extra keys', JSON.stringify({ title: 'x', steps: plan.steps.map((one) => ({ ...one, owner: 'me' })) })],
    ['wrapped in another object', JSON.stringify({ plan })],
  ])('%s works', async (_, content) => {
    answers('planner', say(content))
    answers('worker', say('Done.'))
    answers('judge', verdict('continue'))
    const { events } = await bench.play(planning)
    expect(outline(events).at(-1)).toBe('succeeded')
    expect(reasons(events)).toEqual(['plan_ready', 'step_done', 'nothing_left'])
    expect(order()).toEqual(['planner', 'worker', 'judge', 'worker', 'judge'])
    expect(textOf(asked('worker')[1])).toContain('Now do this step: Write to {{first_name}}')
  })

  test('that is never usable: one repair turn that shows the mistake, then the run goes on without one', async () => {
    answers('planner', say('I would rather not.'))
    answers('worker', say('Done anyway.'))
    answers('judge', verdict('stop'))
    const { events } = await bench.play(planning)
    expect(order()).toEqual(['planner', 'planner', 'worker', 'judge'])
    expect(textOf(asked('planner')[1])).toMatch(/I would rather not\.\nYour answer cannot be used: .*holds no JSON/)
    expect(reasons(events)).toEqual(['plan_unusable', 'all_done'])
    expect(outline(events).at(-1)).toBe('succeeded')
  })
})

describe('a judge', () => {
  test('that continues for ever: the run ends early with step_limit', async () => {
    answers('worker', say('More.'))
    answers('judge', verdict('continue', 'Good.', { next_instruction: 'Go on.' }))
    const { events } = await bench.play(question)
    expect(asked('worker')).toHaveLength(4)
    expect(textOf(asked('worker')[1])).toContain('Now do this step: Go on.')
    expect(outline(events).at(-1)).toBe('failed step_limit')
  })

  test('that replans for ever: the planner is told why, and the run ends early with replan_limit', async () => {
    answers('planner', json({ steps: ['Find it'] }))
    answers('worker', say('Nothing here.'))
    answers('judge', verdict('replan', 'The address is missing.'))
    const { events } = await bench.play(planning)
    expect(asked('planner')).toHaveLength(3)
    expect(textOf(asked('planner')[1])).toContain('Plan again. Why: The address is missing.')
    expect(outline(events).at(-1)).toBe('failed replan_limit')
  })

  test('that calls the last step bad: no success. It was shown the step', async () => {
    answers('worker', call('look_up', { item: 'lamp' }), say('1 + 1 = 3'))
    answers('judge', verdict('stop', 'The total is wrong.', { goal_reached: false }))
    const { id, events } = await bench.play(step())
    expect(outline(events).at(-1)).toBe('failed goal_not_reached')
    expect(await bench.include(id, 'failure')).toMatchObject({ message: 'The total is wrong.' })
    const prompt = textOf(asked('judge')[0])
    expect(prompt).toContain('look_up({"item":"lamp"}) succeeded')
    expect(prompt).toContain('1 + 1 = 3')
  })
})

describe('a reply that is no result is never a silent success:', () => {
  test('empty', async () => {
    answers('worker', say(''))
    const { events } = await bench.play(step())
    expect(asked('worker')).toHaveLength(2)
    expect(textOf(asked('worker')[1])).toContain('Your answer was empty')
    expect(outline(events).at(-1)).toBe('failed empty_reply')
  })

  test('stopped by the content filter', async () => {
    answers('worker', say('Well', { finishReason: 'content_filter' }))
    const { events } = await bench.play(step())
    expect(asked('worker')).toHaveLength(1)
    expect(outline(events).at(-1)).toBe('failed provider_refused')
  })

  test('cut by length: continued, and the pieces are one result', async () => {
    answers('worker', say('One, two, ', { finishReason: 'length' }), say('three.'))
    answers('judge', verdict('stop'))
    const { events } = await bench.play(step())
    expect(textOf(asked('worker')[1])).toContain('Go on exactly where it ends')
    expect(contents(events)).toEqual(['One, two, three.'])
  })

  test('cut by length again and again', async () => {
    answers('worker', say('more ', { finishReason: 'length' }))
    const { events } = await bench.play(step())
    expect(asked('worker')).toHaveLength(4)
    expect(outline(events).at(-1)).toBe('failed reply_truncated')
  })
})

describe('tool calls', () => {
  test('chatter before one is not part of the result', async () => {
    answers('worker', call('look_up', {}, { content: 'Let me look that up. ' }), say('391 euros.'))
    answers('judge', verdict('stop'))
    const { id, events } = await bench.play(step())
    expect(await resultOf(id)).toEqual({ content: '391 euros.', output: null })
    const deltas = ofType(events, 'step.progress').map(({ content_delta = '' }) => content_delta)
    expect(deltas.join('')).toContain('Let me look that up.')
  })

  test('the same for ever: told, then a last turn without tools, within 15 calls', async () => {
    answers('worker', ({ tools = [] }) => (tools.length > 0 ? call('look_up', { q: 'same' }) : say('Nothing found.')))
    answers('judge', verdict('stop'))
    const { events } = await bench.play(step())
    expect(asked('worker').length).toBeLessThanOrEqual(15)
    expect(ofType(events, 'run.tool.invoked')).toHaveLength(5)
    expect(textOf(asked('worker')[3])).toContain('the same call 3 times in a row')
    expect(asked('worker').at(-1)?.tools ?? []).toEqual([])
    expect(contents(events)).toEqual(['Nothing found.'])
  })

  test('arguments that are encoded twice are read', async () => {
    answers('worker', call('look_up', JSON.stringify('{"a":1}')), say('Done.'))
    answers('judge', verdict('stop'))
    const { id, events } = await bench.play(step())
    expect(lookUp.callsOf(id).map(({ input }) => input)).toEqual([{ a: 1 }])
    expect(outline(events).at(-1)).toBe('succeeded')
  })

  test('a result of 900 kB is shortened, and the run goes on', async () => {
    const readOn = (request: Request) => {
      const call_id = /call_id \\?"(call_[a-z0-9]+)/.exec(textOf(request))?.[1]
      return call('read_result', { call_id, offset: 899_990 })
    }
    answers('worker', call('page', {}), readOn, say('It ends with the end.'))
    answers('judge', verdict('stop'))
    const { events } = await bench.play(step())
    expect(textOf(asked('worker')[1]).length).toBeLessThan(30_000)
    expect(textOf(asked('worker')[1])).toContain('the first 16000 are shown')
    expect(textOf(asked('worker')[2])).toContain('the end')
    expect(outline(events).at(-1)).toBe('succeeded')
  })
})

describe('a full context', () => {
  const tooLong = refuse(400, {
    message: "This model's maximum context length is 16000 tokens.",
    type: 'invalid_request_error',
    code: 'context_length_exceeded',
  })

  test('that the server refuses is shortened once, and the run goes on', async () => {
    answers('worker', call('look_up', { n: 1 }), call('look_up', { n: 2 }), tooLong, say('Done.'))
    answers('summary', say('Looked up 1.'))
    answers('judge', verdict('stop'))
    const { events } = await bench.play(step())
    expect(order()).toEqual(['worker', 'worker', 'worker', 'summary', 'worker', 'judge'])
    expect(textOf(asked('worker').at(-1))).toContain('Looked up 1.')
    expect(outline(events).at(-1)).toBe('succeeded')
  })

  test('that the service sees coming is summarized before it is sent', async () => {
    const long = (n: number) => call('look_up', { n, text: 'word '.repeat(2_500) })
    answers('worker', long(1), long(2), long(3), say('Done.'))
    answers('summary', say('Looked up words.'))
    answers('judge', verdict('stop'))
    const { events } = await bench.play(step())
    expect(reasons(events)).toContain('context_compacted')
    expect(textOf(asked('worker').at(-1))).toContain('Looked up words.')
    expect(outline(events).at(-1)).toBe('succeeded')
  })
})

describe('a server', () => {
  test('that answers 429 with Retry-After: 2 is asked again after 2 seconds', async () => {
    answers('worker', refuse(429, { message: 'Slow down.' }, { retryAfter: 2 }), say('Done.'))
    answers('judge', verdict('stop'))
    const { events } = await bench.play(step())
    const [one, two] = mock.getRequests().map(({ timestamp }) => timestamp)
    expect(Number(two) - Number(one)).toBeGreaterThanOrEqual(2_000)
    expect(reasons(events)).toEqual(['provider_retry', 'all_done'])
    expect(asked('worker')).toHaveLength(2)
  })

  test.each([
    ['429', refuse(429, { message: 'Slow down.' })],
    ['503', refuse(503, { message: 'Overloaded.' })],
  ])('that answers %s for a while is survived: only that call is repeated', async (_, trouble) => {
    answers('worker', call('pay', { invoice: 17 }), trouble, trouble, trouble, say('Paid.'))
    answers('judge', verdict('stop'))
    const { id, events } = await bench.play(step())
    expect(pay.callsOf(id)).toHaveLength(1)
    expect(asked('worker')).toHaveLength(5)
    expect(contents(events)).toEqual(['Paid.'])
  })

  test('whose quota is spent fails the run at once by name', async () => {
    const spent = {
      message: 'You exceeded your current quota.',
      type: 'insufficient_quota',
      code: 'insufficient_quota',
    }
    answers('worker', refuse(429, spent))
    const { events } = await bench.play(step())
    expect(asked('worker')).toHaveLength(1)
    expect(outline(events).at(-1)).toBe('failed provider_quota')
  })

  test.each([
    ['sends no first token', { streamingProfile: { ttft: 4_000 } }],
    [
      'falls silent in mid-stream',
      { chunkSize: 4, recordedTimings: { ttftMs: 0, interChunkDelaysMs: [0, 0, 4_000], totalDurationMs: 4_000 } },
    ],
    ['cuts the stream', { chunkSize: 4, truncateAfterChunks: 3 }],
    ['closes the connection', { chaos: { disconnectRate: 1 } }],
    ['answers with broken JSON', { chaos: { malformedRate: 1 } }],
  ] satisfies [string, Opts][])('that %s is given up and asked for that turn again', async (_, opts) => {
    first('worker', say('It is on its way.'), opts)
    answers('worker', say('Done.'))
    answers('judge', verdict('stop'))
    const { events } = await bench.play(step())
    expect(asked('worker')).toHaveLength(2)
    expect(contents(events)).toEqual(['Done.'])
    expect(outline(events).at(-1)).toBe('succeeded')
  })

  test('that counts nonsense as usage: the tokens are estimated', async () => {
    const usage = { prompt_tokens: -5, completion_tokens: 1e15, total_tokens: -7 }
    answers('worker', say('Done.', { usage }))
    answers('judge', verdict('stop', 'Good.', {}))
    const { id, events } = await bench.play(step())
    const { tokens } = await bench.include<{ tokens: number }>(id, 'usage')
    expect(tokens).toBeGreaterThan(10)
    expect(tokens).toBeLessThan(20_000)
    expect(outline(events).at(-1)).toBe('succeeded')
  })
})

describe('structured output', () => {
  const output_schema = { type: 'object', required: ['price'], properties: { price: { type: 'number' } } }
  const body = { input: { question: 'What is the price?', output_schema }, metadata: {} }

  test('an agent step answers {"price": 391}, and a template doubles it', async () => {
    answers('worker', say('{"price": 391}'))
    answers('judge', verdict('continue'))
    const expression = '{{steps.a.output.price}} * 2'
    const plan = planned([
      { id: 'a', instruction: 'Find it' },
      { id: 'b', tool: 'calculator', input: { expression } },
    ])
    const { id } = await bench.play(plan)
    expect(await resultOf(id)).toMatchObject({ output: { result: 782 } })
  })

  test('input.output_schema: repaired once, and the output is valid', async () => {
    answers('worker', say('391 euros'), json({ price: 391 }))
    answers('judge', verdict('stop'))
    const { id } = await bench.play(body)
    expect(await resultOf(id)).toMatchObject({ output: { price: 391 } })
    expect(textOf(asked('worker')[1])).toContain('Your answer cannot be used')
    expect(asked('worker')[1]).toMatchObject({ response_format: { type: 'json_schema' } })
  })

  test('input.output_schema: output_invalid after two repairs', async () => {
    answers('worker', say('391 euros'))
    const { events } = await bench.play(body)
    expect(asked('worker')).toHaveLength(3)
    expect(outline(events).at(-1)).toBe('failed output_invalid')
  })
})
