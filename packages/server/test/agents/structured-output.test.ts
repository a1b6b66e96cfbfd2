// Structured output: of a step, of a run, and without a schema.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { onePerFormat } from '../support/adapters.ts'
import { AgentBench, verdict } from '../support/agents.ts'
import { ofType, outline, planned } from '../support/engine.ts'
import { callTools, say } from '../support/providers/script.ts'

describe.each(onePerFormat)('through %s', (adapter) => {
  let agents: AgentBench
  beforeAll(async () => {
    agents = await AgentBench.start({ adapter })
  })
  afterAll(async () => {
    await agents.stop()
    expect(agents.provider.refusals).toEqual([])
  })

  const output_schema = { type: 'object', required: ['price'], properties: { price: { type: 'number' } } }
  const resultOf = async (id: string) => (await agents.bench.acme.run(id)).event_payload.value

  test('without a schema, a reply that is JSON as a whole is the output, and templates can use it', async () => {
    const plan = planned([
      { id: 'a', instruction: 'Find the price' },
      { id: 'b', tool: 'calculator', input: { expression: '{{steps.a.output.price}} * 2' } },
    ])
    const { id } = await agents.play({ worker: say('{"price": 391}'), judge: verdict('continue') }, plan)
    expect(await resultOf(id)).toMatchObject({ output: { result: 782 } })
  })

  describe('a step with an output schema', () => {
    const step = planned([{ id: 'a', instruction: 'Find the price', output_schema, tools: [] }])

    test('sends it to the provider and validates the reply', async () => {
      const { id } = await agents.play({ worker: say('The price:\n```json\n{"price": 391}\n```') }, step)
      expect(await resultOf(id)).toMatchObject({ output: { price: 391 } })
      expect(agents.asked('worker')[0]?.outputSchema).toMatchObject(output_schema)
    })

    test('tells the schema in words only where the provider does not enforce it, and then once', async () => {
      const strict = { ...output_schema, additionalProperties: false }
      const steps = planned([{ id: 'a', instruction: 'Find the price', output_schema: strict, tools: [] }])
      await agents.play({ worker: say('{"price": 391}') }, steps)
      const [request] = agents.asked('worker')
      const text = [request?.system, AgentBench.textOf(request)].join('\n')
      // Apart from the plan, which has it, too.
      expect(text.split('JSON Schema').length - 1).toBe(adapter === 'openai-compatible' ? 1 : 0)
    })

    test('asks twice for a repair, with all errors', async () => {
      const properties = {
        price: { type: 'number' },
        vat: {},
        currency: { enum: ['EUR'] },
        lines: { items: { type: 'number' } },
      }
      const several = { type: 'object', required: ['price', 'vat'], additionalProperties: false, properties }
      const bad = '{"price": "a lot", "currency": "USD", "lines": [1, "two", 3, "four"], "tax": 1}'
      const good = '{"price": 391, "vat": 1}'
      const { id } = await agents.play(
        { worker: [say(bad), say('{"price": 391}'), say(good)] },
        planned([{ id: 'a', instruction: 'Find the price', output_schema: several, tools: [] }]),
      )
      expect(await resultOf(id)).toMatchObject({ output: { price: 391, vat: 1 } })
      const [, first, second] = agents.asked('worker').map(({ messages }) => messages.at(-1)?.text)
      for (const problem of [
        "must have required property 'vat'",
        'unknown property "tax"',
        'price must be number',
        'currency must be one of ["EUR"]',
        'lines.1 must be number',
        'lines.3 must be number',
      ])
        expect(first).toContain(problem)
      expect(second).toContain("must have required property 'vat'")
    })

    test('fails with output_invalid after two repairs', async () => {
      const { id, events } = await agents.play({ worker: say('It is cheap.') }, step)
      expect(agents.asked('worker')).toHaveLength(3)
      expect(outline(events).at(-1)).toBe('failed output_invalid')
      expect(ofType(events, 'step.done')[0]).not.toHaveProperty('provider_error_message')
      expect(await agents.bench.include(id, 'failure')).toMatchObject({
        message: expect.stringContaining('holds no JSON'),
      })
    })

    test('a retry after that asks again', async () => {
      const { id } = await agents.play({ worker: say('It is cheap.') }, step)
      agents.script({ worker: say('{"price": 391}') })
      await agents.bench.command(id, 'retry')
      expect(outline(await agents.bench.ended(id, 2)).at(-1)).toBe('succeeded')
      expect(agents.asked('worker')).toHaveLength(1)
    })

    test('may use tools before it answers', async () => {
      const withTools = planned([{ id: 'a', instruction: 'Find the price', output_schema }])
      const { id, events } = await agents.play(
        { worker: [callTools([{ name: 'calculator', args: { expression: '390+1' } }]), say('{"price": 391}')] },
        withTools,
      )
      expect(ofType(events, 'run.tool.invoked')).toHaveLength(1)
      expect(await resultOf(id)).toMatchObject({ output: { price: 391 } })
      expect(AgentBench.textOf(agents.asked('worker')[0])).toContain(JSON.stringify(output_schema))
    })
  })

  describe('input.output_schema', () => {
    const body = { input: { question: 'What is the price?', output_schema }, metadata: {} }

    test('is what the run’s result matches', async () => {
      const { id } = await agents.play({ worker: [say('391 euros'), say('{"price": 391}')] }, body)
      expect(await resultOf(id)).toMatchObject({ output: { price: 391 } })
    })

    test('after two repairs: output_invalid', async () => {
      const { events } = await agents.play({ worker: say('391 euros') }, body)
      expect(outline(events).at(-1)).toBe('failed output_invalid')
    })

    test('is checked when the run is created', async () => {
      const reply = await agents.bench.acme.create({ input: { output_schema: { type: 'nonsense' } }, metadata: {} })
      expect([reply.status, reply.json()]).toMatchObject([400, { reason_code: 'INPUT_PAYLOAD_INVALID' }])
    })

    test('of a plan: only its last step has to match it', async () => {
      const plan = {
        ...planned([{ instruction: 'Think' }, { instruction: 'Answer' }], [], { input: { output_schema } }),
      }
      const { id } = await agents.play(
        { worker: [say('Thinking.'), say('{"price": 1}')], judge: verdict('continue') },
        plan,
      )
      expect(await resultOf(id)).toMatchObject({ output: { price: 1 } })
      expect(agents.asked('worker')).toHaveLength(2)
    })
  })

  test('a plan with an output schema that cannot be used is refused', async () => {
    const reply = await agents.bench.acme.create(
      planned([{ id: 'a', instruction: 'x', output_schema: { $ref: '#/nowhere' } }]),
    )
    expect([reply.status, reply.json()]).toMatchObject([400, { reason_code: 'INPUT_PLAN_INVALID' }])
  })
})
