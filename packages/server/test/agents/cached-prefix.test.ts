// Providers cache the beginning of a conversation. So each request of a step begins with the one before it, byte by
// byte: over approvals, parking, retries and whatever happens in the run meanwhile.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { adapters } from '../support/adapters.ts'
import { AgentBench, verdict } from '../support/agents.ts'
import { outline, planned } from '../support/engine.ts'
import { ownTool } from '../support/own-tool.ts'
import { callTools, fail, type JsonObject, type NeutralRequest, say } from '../support/providers/script.ts'

const pay = {
  ...ownTool({ name: 'pay', effect: 'once' }),
  policy: 'ask' as const,
  input: z.strictObject({ to: z.string() }),
}
const note = callTools([{ name: 'memory_save', args: { title: 'Ada', content: 'Pay Ada the price' } }])

/** The parts of a request in the order in which a provider caches them, without its marks. */
function partsOf({ body }: NeutralRequest): string[] {
  const { tools, system, instructions, systemInstruction, messages, input, contents } = body
  const conversation = (messages ?? input ?? contents) as JsonObject[]
  const all = [tools, system, instructions, systemInstruction, ...conversation]
  return all.map((part) => JSON.stringify(part ?? null, (key, value) => (key === 'cache_control' ? undefined : value)))
}

/** A provider may merge what follows into the last message, so that one is compared as text. */
function expectPrefix(before: readonly string[], after: readonly string[]): void {
  expect(after.slice(0, before.length - 1)).toEqual(before.slice(0, -1))
  const last = (before.at(-1) ?? '').replace(/[\]}]+$/, '')
  expect(after[before.length - 1]?.startsWith(last)).toBe(true)
}

describe.each(adapters)('through %s', (adapter) => {
  let agents: AgentBench
  beforeAll(async () => {
    agents = await AgentBench.start({ adapter, tools: [pay] })
  })
  afterAll(async () => {
    await agents.stop()
    expect(agents.provider.refusals).toEqual([])
  })

  test('the beginning of a step’s conversation stays the same', async () => {
    const turns = [
      note,
      callTools([{ name: 'pay', args: { to: 'Ada' } }]),
      fail('rate_limited', { retryAfter: 1 }),
      callTools([{ name: 'pay', args: { to: 'Eve' } }]),
      say('Paid both.'),
    ]
    const beside = say('Something else is done.')
    const isBeside = (request: NeutralRequest) =>
      AgentBench.textOf(request).includes('Now do this step: Do something else')
    let next = 0
    agents.script({
      worker: (request) => (isBeside(request) ? beside : (turns[next++] as ReturnType<typeof say>)),
      judge: verdict('continue'),
    })
    const id = await agents.bench.create(
      planned([
        { id: 'main', instruction: 'Pay Ada the price', depends_on: [] },
        { id: 'gate', await_input: { prompt: 'May it end?' }, depends_on: [] },
        { id: 'beside', instruction: 'Do something else', depends_on: ['gate'] },
      ]),
    )
    for (const wait of [1, 2, 3]) {
      await agents.bench.waits(id, wait)
      await agents.bench.signal(id, 'approve')
    }
    expect(outline(await agents.bench.ended(id)).at(-1)).toBe('succeeded')
    const requests = agents
      .asked('worker')
      .filter((request) => !isBeside(request))
      .map(partsOf)
    expect(requests.length).toBe(turns.length)
    for (const [index, after] of requests.slice(1).entries()) expectPrefix(requests[index] ?? [], after)
    const last = AgentBench.textOf(
      agents
        .asked('worker')
        .filter((request) => !isBeside(request))
        .at(-1),
    )
    for (const to of ['Ada', 'Eve']) {
      expect(last).toContain(
        `A person was asked: "Call pay? Asked because policy requires approval for this tool. Arguments: {\\"to\\":\\"${to}\\"}". The person approved it.`,
      )
    }
    expect(last).not.toContain('Left to spend')
  })
})
