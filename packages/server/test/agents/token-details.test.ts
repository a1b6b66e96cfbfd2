// What the tokens of a call were, and which model used them, as a client finds it in the usage records.
import type { UsageEventPage } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Adapter, adapters, setups } from '../support/adapters.ts'
import { AgentBench, verdict } from '../support/agents.ts'
import { planned } from '../support/engine.ts'
import { say } from '../support/providers/script.ts'

const raw = (usage: object) => ({ usage: { raw: usage } })

const rows: Readonly<Record<Adapter, readonly (readonly [what: string, reported: object, tokens: object])[]>> = {
  'openai-compatible': [
    [
      'those of DeepSeek',
      { prompt_tokens: 10, completion_tokens: 2, prompt_cache_hit_tokens: 8 },
      { quantity: 12, details: { input: 10, output: 2, cached: 8 } },
    ],
    ['only a total', { total_tokens: 12 }, { quantity: 12, details: {} }],
    [
      'neither cached nor reasoning',
      { prompt_tokens: 10, completion_tokens: 2 },
      { quantity: 12, details: { input: 10, output: 2 } },
    ],
  ],
  'openai-chat': [
    [
      'neither cached nor reasoning',
      { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
      { quantity: 12, details: { input: 10, output: 2 } },
    ],
  ],
  openai: [
    [
      'neither cached nor reasoning',
      { input_tokens: 10, output_tokens: 2, total_tokens: 12 },
      { quantity: 12, details: { input: 10, output: 2 } },
    ],
  ],
  anthropic: [
    [
      'the cache is counted beside the input',
      { input_tokens: 10, cache_creation_input_tokens: 100, cache_read_input_tokens: 1_000, output_tokens: 2 },
      { quantity: 1_112, details: { input: 1_110, output: 2, cached: 1_000 } },
    ],
    ['no cache', { input_tokens: 10, output_tokens: 2 }, { quantity: 12, details: { input: 10, output: 2 } }],
  ],
  google: [
    [
      'thoughts are counted beside the answer, and the results of tools in the total only',
      { promptTokenCount: 10, candidatesTokenCount: 2, thoughtsTokenCount: 30, totalTokenCount: 45 },
      { quantity: 45, details: { input: 10, output: 32, reasoning: 30 } },
    ],
    ['only the prompt', { promptTokenCount: 10, totalTokenCount: 10 }, { quantity: 10, details: { input: 10 } }],
  ],
}

/** Impossible counts, in the names of each provider. */
const nonsense: Readonly<Record<Adapter, object>> = {
  'openai-compatible': { prompt_tokens: -5, completion_tokens: 1e15, total_tokens: -7 },
  'openai-chat': { prompt_tokens: -5, completion_tokens: 1e15, total_tokens: -7 },
  openai: { input_tokens: -5, output_tokens: 1e15, total_tokens: -7 },
  anthropic: { input_tokens: -5, output_tokens: 1e15 },
  google: { promptTokenCount: -5, candidatesTokenCount: 1e15, totalTokenCount: -7 },
}

describe.each(adapters)('through %s', (adapter) => {
  let agents: AgentBench
  beforeAll(async () => {
    agents = await AgentBench.start({ adapter })
  })
  afterAll(() => agents.stop())

  async function recordsOf(reply: object) {
    const judge = { ...verdict('stop'), usage: { input: 1, output: 1 } }
    const worker = say('Done.', reply)
    const { id } = await agents.play({ worker, judge }, planned([{ id: 'a', instruction: 'Do it' }]))
    const page = await agents.bench.acme.get('/v1/usage/events?event_type=tokens.consumed')
    const [own, ...others] = page
      .json<UsageEventPage>()
      .events.filter(({ run_id }) => run_id === id)
      .reverse()
    expect(others).toMatchObject([{ quantity: 2, details: { input: 1, output: 1 } }])
    const { quantity = 0, details: { model, ...details } = {} } = own ?? {}
    expect(model).toBe(setups[adapter].model)
    expect(await agents.bench.include(id, 'usage')).toMatchObject({ tokens: quantity + 2 })
    return { quantity, details }
  }

  test('all of them', async () => {
    // Anthropic does not say how much of the output was thinking.
    const reasoning = adapter === 'anthropic' ? {} : { reasoning: 5 }
    expect(await recordsOf({ usage: { input: 100, output: 20, cached: 60, ...reasoning } })).toEqual({
      quantity: 120,
      details: { input: 100, output: 20, cached: 60, ...reasoning },
    })
  })

  test.each(rows[adapter])('%s', async (_, reported, expected) => {
    expect(await recordsOf(raw(reported))).toEqual(expected)
  })

  test.each([
    // Anthropic's messages always have a usage, and its package takes none without.
    ...(adapter === 'anthropic' ? [] : [['none', { usage: 'none' }] as const]),
    ['impossible ones', raw(nonsense[adapter])] as const,
  ])('%s: estimated', async (_, reply) => {
    const { quantity, details } = await recordsOf(reply)
    expect(details).toMatchObject({ estimated: true })
    expect(quantity).toBeGreaterThan(10)
    expect(quantity).toBeLessThan(20_000)
  })
})
