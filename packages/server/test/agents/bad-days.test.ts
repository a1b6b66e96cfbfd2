// Bad days of a provider: what each kind of trouble costs, and what it does not.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AgentBench, verdict } from '../support/agents.ts'
import { ofType, outline, planned } from '../support/engine.ts'
import { ownTool } from '../support/own-tool.ts'
import { callTools, fail, type NeutralRequest, type Reply, say } from '../support/providers/script.ts'

let agents: AgentBench
const pay = ownTool({ name: 'pay', effect: 'once' })
beforeAll(async () => {
  agents = await AgentBench.start({ tools: [pay] })
})
afterAll(async () => {
  await agents.stop()
  expect(agents.provider.refusals).toEqual([])
})

const step = planned([{ instruction: 'Do it' }])
const reasonsOf = (events: Parameters<typeof ofType>[0]) =>
  ofType(events, 'run.coordination.decision').map(({ reason_code }) => reason_code)

describe('trouble that passes', () => {
  test('429 with Retry-After: the wait is kept, and the run holds no worker meanwhile', async () => {
    agents.script({ worker: [fail('rate_limited', { retryAfter: 2 }), say('Done.')] })
    const start = performance.now()
    const id = await agents.bench.create(step)
    await agents.bench.until(id, (events) => reasonsOf(events).includes('provider_retry'))
    // The decision is written first, then the run is given back.
    const row = async () => {
      const rows = await agents.bench.service.database.query({
        text: 'select state, worker_id, ready_at > clock_timestamp() as ready from runs order by created_at desc limit 1',
      })
      return rows[0]
    }
    await expect.poll(row).toEqual({ state: 'running', worker_id: null, ready: true })
    const events = await agents.bench.ended(id)
    expect(performance.now() - start).toBeGreaterThanOrEqual(2_000)
    expect(outline(events)).toEqual([
      'created',
      'started',
      'worker continue provider_retry',
      'step.done succeeded',
      'judge stop all_done',
      'succeeded',
    ])
  })
})

describe('silence of the provider', () => {
  test.each([
    ['no first token', say('x', { delivery: { hang: true } })],
    ['nothing more in mid-stream', say(['One ', 'two'], { delivery: { silentAfterChunks: 1 } })],
  ])('%s: the call is given up and repeated as that call', async (_, silence) => {
    const own = await AgentBench.start({ env: { RUNWRIGHT_PROVIDER_SILENCE_SECONDS: '1' } })
    try {
      const isFirst = () => own.asked('worker').length === 1
      const { events } = await own.play({ worker: () => (isFirst() ? silence : say('Done.')) }, step)
      await own.provider.aborted(1)
      expect(ofType(events, 'step.done')).toMatchObject([{ outcome: 'succeeded', content: 'Done.' }])
    } finally {
      await own.stop()
    }
  })
})

test('the service gives up after a while, says for how long it tried, and a retry tries as long again', async () => {
  const own = await AgentBench.start({ env: { RUNWRIGHT_PROVIDER_RETRY_SECONDS: '5' } })
  // One more try after 3 s is within 5 s, two are not.
  const away = fail('unavailable', { retryAfter: 3 })
  try {
    const { id, events } = await own.play({ worker: away }, step)
    expect(outline(events).at(-1)).toBe('failed provider_unavailable')
    expect(await own.bench.include(id, 'failure')).toMatchObject({
      message: expect.stringMatching(/^Given up after \d+ s\. The provider answered 503/),
    })
    expect(own.asked('worker')).toHaveLength(2)
    own.script({ worker: [away, say('Done.')] })
    await own.bench.command(id, 'retry')
    expect(outline(await own.bench.ended(id, 2)).at(-1)).toBe('succeeded')
  } finally {
    await own.stop()
  }
})

describe('answers that are odd but usable', () => {
  test.each([
    ['plain JSON instead of a stream', say('Done.', { delivery: { plainJson: true } })],
    ['fields that nobody knows', say('Done.', { extraFields: { vendor: { x: 1 } } })],
    ['no usage', say('Done.', { usage: 'none' })],
    [
      'nonsense as usage',
      say('Done.', { usage: { raw: { prompt_tokens: -5, completion_tokens: 1e15, total_tokens: -7 } } }),
    ],
  ])('%s', async (_, reply) => {
    const { id, events } = await agents.play({ worker: reply }, step)
    expect(ofType(events, 'step.done')).toMatchObject([{ outcome: 'succeeded', content: 'Done.' }])
    const { tokens } = await agents.bench.include<{ tokens: number }>(id, 'usage')
    expect(tokens).toBeGreaterThan(10)
    expect(tokens).toBeLessThan(20_000)
  })
})

test('the breaker opens after five failures in a row, and shows in the log', async () => {
  const own = await AgentBench.start({ providerRetry: { firstMs: 5, maxMs: 5, parkAboveMs: 100 } })
  try {
    own.script({ worker: fail('unavailable') })
    const id = await own.bench.create(step)
    await own.bench.until(id, (events) => reasonsOf(events).includes('provider_retry'))
    expect(own.asked('worker')).toHaveLength(5)
    expect(own.bench.service.log.all.join('')).toContain('model keeps failing')
    const deps = await own.bench.acme.get('/health/deps')
    expect(deps.json()).toMatchObject({ breakers: [{ model: 'openai-compatible/gpt-test', failures: 5 }] })
    await own.bench.command(id, 'cancel')
  } finally {
    await own.stop()
  }
})

test('the next model of the list takes over when the first refuses its key', async () => {
  const own = await AgentBench.start({ env: { RUNWRIGHT_MODEL: 'openai-compatible/first, openai-compatible/second' } })
  try {
    const { events } = await own.play(
      {
        worker: ({ model }) => (model === 'first' ? fail('wrong_key') : say('Done.')),
        judge: ({ model }) => (model === 'first' ? fail('wrong_key') : verdict('stop')),
      },
      step,
    )
    expect(outline(events)).toEqual([
      ...['created', 'started', 'worker continue model_fallback'],
      ...['judge continue model_fallback', 'step.done succeeded', 'judge stop all_done', 'succeeded'],
    ])
  } finally {
    await own.stop()
  }
})

test('a wait of the tool `wait` holds no worker, and the step goes on after it', async () => {
  agents.script({ worker: say('Waited.') })
  const id = await agents.bench.create(planned([{ tool: 'wait', input: { seconds: 1.2 } }, { instruction: 'Say so' }]))
  await agents.bench.until(id, (events) => outline(events).includes('tool_call_start wait'))
  const parked = async () => {
    const [row] = await agents.bench.service.database.query<{ worker_id: string | null }>({
      text: 'select worker_id from runs order by created_at desc limit 1',
    })
    return row?.worker_id === null
  }
  await expect.poll(parked).toBe(true)
  const events = await agents.bench.ended(id)
  expect(outline(events)).toContain('invoked wait succeeded')
  const [call] = ofType(events, 'run.tool.invoked')
  expect(call?.duration_ms).toBeGreaterThanOrEqual(1_200)
})

describe('a conversation of three turns that pays two invoices', () => {
  const troubles: Record<string, Reply> = {
    'a 503': fail('unavailable'),
    'a 429': fail('rate_limited'),
    'a dropped connection': say('x', { delivery: { dropConnection: true } }),
    'a cut stream': say(['Pay', 'ing'], { delivery: { cutAfterChunks: 1 } }),
  }
  const cases = Object.keys(troubles).flatMap((trouble) => [0, 1, 2].map((turn) => ({ trouble, turn })))

  test.each(cases)('pays each once, with $trouble in turn $turn', async ({ trouble, turn }) => {
    let isDue = true
    const reply = (request: NeutralRequest): Reply => {
      const now = request.messages.filter(({ from }) => from === 'tool').length
      if (now === turn && isDue) {
        isDue = false
        return troubles[trouble] as Reply
      }
      return now < 2 ? callTools([{ name: 'pay', args: { invoice: now } }]) : say('Paid.')
    }
    const { id, events } = await agents.play({ worker: reply }, step)
    expect(pay.callsOf(id).map(({ input }) => input)).toEqual([{ invoice: 0 }, { invoice: 1 }])
    expect(ofType(events, 'run.tool.invoked')).toHaveLength(2)
    expect(outline(events).at(-1)).toBe('succeeded')
  })
})

describe('a step', () => {
  let own: AgentBench
  beforeAll(async () => {
    own = await AgentBench.start({ tools: [pay] })
  })
  afterAll(async () => {
    await own.stop()
    expect(own.provider.refusals).toEqual([])
  })

  describe('trouble that passes', () => {
    test.each([
      ['429', fail('rate_limited')],
      ['408', fail('server_error', { status: 408 })],
      ['500', fail('server_error')],
      ['503', fail('unavailable')],
      ['an overload', fail('overloaded', { status: 529 })],
      ['a dropped connection', say('x', { delivery: { dropConnection: true } })],
      ['a stream that is cut', say(['One ', 'two ', 'three'], { delivery: { cutAfterChunks: 2 } })],
      ['a stream that ends before its end', say(['One ', 'two'], { delivery: { cutAfterChunks: 99 } })],
      [
        'an error inside the stream',
        say(['One ', 'two'], { delivery: { errorAfterChunks: { chunks: 1, error: fail('overloaded') } } }),
      ],
    ])('%s: the call is repeated, and the step does not notice', async (_, trouble) => {
      const { events } = await own.play({ worker: [trouble, say('Done.')] }, step)
      expect(own.asked('worker')).toHaveLength(2)
      expect(ofType(events, 'step.done')).toMatchObject([{ outcome: 'succeeded', content: 'Done.' }])
      expect(outline(events).at(-1)).toBe('succeeded')
    })
  })

  describe('trouble that does not pass', () => {
    test.each([
      ['a spent quota', fail('quota_spent'), 'provider_quota'],
      ['a wrong key', fail('wrong_key'), 'provider_auth'],
      ['a forbidden model', fail('forbidden'), 'provider_auth'],
      ['an unknown model', fail('unknown_model'), 'provider_error'],
      ['a bad request', fail('bad_request', { message: 'messages must be nicer' }), 'provider_error'],
    ])('%s fails the run at once by its name', async (_, trouble, reasonCode) => {
      const { events } = await own.play({ worker: trouble }, step)
      expect(outline(events).slice(-3)).toEqual([
        'step.done fail_run',
        'judge stop step_failed',
        `failed ${reasonCode}`,
      ])
      expect(own.asked('worker').length).toBeLessThanOrEqual(2)
      expect(ofType(events, 'step.done')[0]?.provider_error_message).toEqual(expect.any(String))
    })
  })

  test('a retry after a refused request goes on from the journal, and calls no tool again', async () => {
    const { id } = await own.play(
      {
        worker: [callTools([{ name: 'pay', args: { invoice: 18 } }], { reasoning: 'It is due.' }), fail('bad_request')],
      },
      step,
    )
    own.script({ worker: say('Paid.') })
    await own.bench.command(id, 'retry')
    const events = await own.bench.ended(id, 2)
    expect(pay.callsOf(id)).toHaveLength(1)
    expect(outline(events).at(-1)).toBe('succeeded')
    expect(own.asked('worker')[0]?.messages.at(-1)?.toolResults).toHaveLength(1)
  })
})
