// What the tokens of a call were, as a client finds it in the usage records.
import type { UsageEventPage } from '@runwright/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AgentBench, verdict } from '../support/agents.ts'
import { planned } from '../support/engine.ts'
import { say } from '../support/providers/script.ts'

let agents: AgentBench
beforeAll(async () => {
  agents = await AgentBench.start()
})
afterAll(() => agents.stop())

const raw = (usage: object) => ({ usage: { raw: usage } })

test.each([
  [
    'all of them',
    { usage: { input: 100, output: 20, cached: 60, reasoning: 5 } },
    { quantity: 120, details: { input: 100, output: 20, cached: 60, reasoning: 5 } },
  ],
  [
    'those of DeepSeek',
    raw({ prompt_tokens: 10, completion_tokens: 2, prompt_cache_hit_tokens: 8 }),
    {
      quantity: 12,
      details: { input: 10, output: 2, cached: 8 },
    },
  ],
  [
    'neither cached nor reasoning',
    raw({ prompt_tokens: 10, completion_tokens: 2 }),
    {
      quantity: 12,
      details: { input: 10, output: 2 },
    },
  ],
  ['only a total', raw({ total_tokens: 12 }), { quantity: 12 }],
])('%s', async (_, reply, expected) => {
  const judge = { ...verdict('stop'), ...raw({ prompt_tokens: 1, completion_tokens: 1 }) }
  const { id } = await agents.play({ worker: say('Done.', reply), judge }, planned([{ id: 'a', instruction: 'Do it' }]))
  const page = await agents.bench.acme.get('/v1/usage/events?event_type=tokens.consumed')
  const [first, ...others] = page
    .json<UsageEventPage>()
    .events.filter(({ run_id }) => run_id === id)
    .reverse()
  const { quantity, details } = first ?? {}
  expect({ quantity, ...(details && { details }) }).toEqual(expected)
  expect(others).toMatchObject([{ quantity: 2, details: { input: 1, output: 1 } }])
  expect(await agents.bench.include(id, 'usage')).toMatchObject({ tokens: expected.quantity + 2 })
})
