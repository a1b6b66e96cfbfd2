// The planner's schema is enforced by every provider that can: also by one that takes only closed objects.
import { afterEach, expect, test } from 'vitest'
import { AgentBench, json, verdict } from '../support/agents.ts'
import { outline } from '../support/engine.ts'
import { ownTool } from '../support/own-tool.ts'
import { say } from '../support/providers/script.ts'

let agents: AgentBench
afterEach(() => agents.stop())

test('Anthropic gets the schema of a plan, and inputs come back as JSON in texts', async () => {
  const pay = ownTool({ name: 'pay' })
  agents = await AgentBench.start({ adapter: 'anthropic', tools: [pay] })
  const schema = { type: 'object', properties: { price: { type: 'number' } }, required: ['price'] }
  const steps = [
    { id: 'find', instruction: 'Find the price', output_schema: JSON.stringify(schema) },
    { id: 'pay', tool: 'pay', input: '{"amount": "{{steps.find.output.price}}"}' },
  ]
  const { id, events } = await agents.play(
    { planner: json({ steps }), worker: say('{"price": 7}'), judge: verdict('continue') },
    { input: { task: 'x' }, metadata: {}, routing_hint: 'require_planning' },
  )
  expect(outline(events).at(-1)).toBe('succeeded')
  expect(pay.callsOf(id).map(({ input }) => input)).toEqual([{ amount: 7 }])
  const [request] = agents.provider.requests
  expect(request?.outputSchema).toMatchObject({
    properties: { steps: { items: { properties: { input: { type: 'string' }, output_schema: { type: 'string' } } } } },
  })
  expect(request?.system).not.toContain('matches this JSON Schema')
})
