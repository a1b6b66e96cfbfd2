// What the people who approve are asked: never about a call that cannot be made, and never twice about the same one.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { AgentBench, json, verdict } from '../support/agents.ts'
import { ofType, outline, planned } from '../support/engine.ts'
import { ownTool } from '../support/own-tool.ts'
import { callTools, say } from '../support/providers/script.ts'

const input = z.strictObject({ to: z.string(), amount: z.number() })
const pay = { ...ownTool({ name: 'pay', effect: 'once' }), policy: 'ask' as const, input }
const free = { ...ownTool({ name: 'free', effect: 'once' }), input }
const elsewhere = {
  ...ownTool({ name: 'elsewhere', effect: 'once' }),
  policy: 'ask' as const,
  isCheckedElsewhere: true as const,
  inputSchema: z.toJSONSchema(input, { target: 'draft-7' }) as Record<string, unknown>,
}

let agents: AgentBench
beforeAll(async () => {
  agents = await AgentBench.start({ tools: [pay, free, elsewhere] })
})
afterAll(async () => {
  await agents.stop()
  expect(agents.provider.refusals).toEqual([])
})

const approval = 'required' as const
const bad = { to: 7, sum: 3 }
const good = { to: 'Ada', amount: 3 }
const problem = 'input.to must be a string; input.amount is required; input.sum is not a known field.'
const questionsOf = (id: string) => agents.bench.events(id).then((events) => ofType(events, 'run.awaiting_input'))
const question = { input: { question: 'Pay Ada' }, metadata: {} }
const planning = { ...question, routing_hint: 'require_planning' }

describe('a call that the schema of its tool refuses asks nobody', () => {
  test.each([pay, elsewhere])('of a worker: the model is told first, and corrects it ($name)', async (tool) => {
    agents.script({
      worker: [callTools([{ name: tool.name, args: bad }]), callTools([{ name: tool.name, args: good }]), say('Paid.')],
    })
    const id = await agents.bench.create(question)
    await agents.bench.waits(id)
    expect(await agents.bench.include(id, 'awaiting_input')).toMatchObject({ arguments: good })
    expect(await questionsOf(id)).toHaveLength(1)
    if (tool === pay) expect(AgentBench.textOf(agents.asked('worker')[1])).toContain(problem)
    await agents.bench.signal(id, 'approve')
    expect(outline(await agents.bench.ended(id)).at(-1)).toBe('succeeded')
    expect(tool.callsOf(id).map((call) => call.input)).toEqual([good])
  })

  test.each([
    ['of a tool that asks', { tool: 'pay', input: bad }],
    ['that must be approved', { tool: 'free', input: bad, approval }],
    ['that asks twice over', { tool: 'pay', input: bad, approval }],
  ])('of a step %s: the run fails, and says why', async (_, step) => {
    const { id, events } = await agents.play({}, planned([step]))
    expect(await questionsOf(id)).toEqual([])
    expect(outline(events).at(-1)).toBe('failed tool_failed')
    expect(ofType(events, 'step.done').at(-1)).toMatchObject({ content: problem })
    expect([...pay.callsOf(id), ...free.callsOf(id)]).toEqual([])
  })

  test('of a planned step: the planner plans again', async () => {
    const optional = { type: 'object', properties: { to: {} } }
    const find = { id: 'find', instruction: 'Find who', output_schema: optional }
    const step = { id: 'pay', tool: 'free', input: { to: '{{steps.find.output.to}}', amount: 3 }, approval }
    agents.script({
      planner: [json({ steps: [find, step] }), json({ steps: [{ id: 'pay', tool: 'free', input: good }] })],
      worker: json({ to: 7 }),
      judge: verdict('continue'),
    })
    const id = await agents.bench.create(planning)
    await agents.bench.waits(id)
    expect(await agents.bench.include(id, 'awaiting_input')).toMatchObject({ arguments: good })
    await agents.bench.signal(id, 'approve')
    expect(outline(await agents.bench.ended(id)).at(-1)).toBe('succeeded')
    expect(await questionsOf(id)).toHaveLength(1)
    expect(free.callsOf(id).map((call) => call.input)).toEqual([good])
  })
})

describe('an approval of a step whose tool asks anyway', () => {
  const step = { id: 'pay', tool: 'pay', input: good, approval }

  test.each([
    ['of the planner', planning],
    ['of a client', planned([step])],
  ])('is one question that says both (%s)', async (_, body) => {
    agents.script({ planner: json({ steps: [step] }) })
    const id = await agents.bench.create(body)
    await agents.bench.waits(id)
    expect(await agents.bench.include(id, 'awaiting_input')).toMatchObject({
      reason_code: 'approval_required',
      input_kind: 'approval',
      prompt: 'Call pay? Asked because policy requires approval for this tool. Arguments: {"to":"Ada","amount":3}',
      tool: 'pay',
      arguments: good,
      why: 'Policy requires approval for this tool. The plan requires approval before this step.',
    })
    await agents.bench.signal(id, 'approve')
    expect(outline(await agents.bench.ended(id)).at(-1)).toBe('succeeded')
    expect(await questionsOf(id)).toHaveLength(1)
    expect(pay.callsOf(id).map((call) => call.input)).toEqual([good])
  })

  test('does not cover arguments that the answer changes: those are shown first', async () => {
    const id = await agents.bench.create(planned([{ ...step, input: { to: '{{signal.payload.to}}', amount: 3 } }]))
    await agents.bench.waits(id)
    expect(await agents.bench.include(id, 'awaiting_input')).toMatchObject({ arguments_hash: null })
    await agents.bench.signal(id, 'submit_input', { payload: { to: 'Eve' } })
    await agents.bench.waits(id, 2)
    expect(await agents.bench.include(id, 'awaiting_input')).toMatchObject({ arguments: { to: 'Eve', amount: 3 } })
    expect(pay.callsOf(id)).toEqual([])
    await agents.bench.command(id, 'cancel')
  })
})
