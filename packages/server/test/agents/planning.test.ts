// What a planner's reply may look like, and what the run makes of it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { onePerFormat } from '../support/adapters.ts'
import { AgentBench, json, verdict } from '../support/agents.ts'
import { ofType, outline } from '../support/engine.ts'
import { ownTool } from '../support/own-tool.ts'
import { say } from '../support/providers/script.ts'

const pay = {
  ...ownTool({ name: 'pay', effect: 'once' }),
  description: 'Pays.',
  policy: 'ask' as const,
  input: z.strictObject({ to: z.string(), amount: z.number(), note: z.string().optional() }),
}

describe.each(onePerFormat)('through %s', (adapter) => {
  let agents: AgentBench
  beforeAll(async () => {
    agents = await AgentBench.start({ adapter, tools: [pay], env: { RUNWRIGHT_MAX_REPLANS: '2' } })
  })
  afterAll(async () => {
    await agents.stop()
    expect(agents.provider.refusals).toEqual([])
  })

  const task = {
    input: { goal: 'Write to the customer' },
    metadata: { secret_note: 'x' },
    routing_hint: 'require_planning',
    sensitivity_tags: [{ path: '$.metadata.secret_note', classification: 'pii' }],
  }
  const plan = { steps: [{ instruction: 'Find the address' }, { instruction: 'Write to {{first_name}}' }] }
  const text = JSON.stringify(plan)

  describe('a plan is used', () => {
    test.each([
      ['with prose around a fence', `Here is my plan:\n\`\`\`json\n${text}\n\`\`\`\nShall I?`],
      ['after reasoning', `<think>Two steps, maybe {"steps": []}?</think>\n${text}`],
      ['with a trailing comma', text.replace(/\]\}$/, ',]}')],
      ['with steps as plain sentences', JSON.stringify({ steps: plan.steps.map(({ instruction }) => instruction) })],
      [
        'with keys that do not exist',
        JSON.stringify({ title: 'x', steps: plan.steps.map((step) => ({ ...step, owner: 'me', id: null })) }),
      ],
      ['wrapped in another object', JSON.stringify({ plan })],
    ])('%s', async (_, reply) => {
      const { events } = await agents.play(
        { planner: say([reply]), worker: say('Done.'), judge: verdict('continue') },
        task,
      )
      expect(outline(events)).toContain('planner continue plan_ready')
      expect(outline(events).at(-1)).toBe('succeeded')
      expect(agents.calls).toEqual(['planner', 'worker', 'judge', 'worker', 'judge'])
      expect(AgentBench.textOf(agents.asked('worker')[1])).toContain('Now do this step: Write to {{first_name}}')
    })
  })

  test('a planner is told of the task, the date and the tools, and of no metadata', async () => {
    await agents.play(
      { planner: json(plan), worker: say('Done.'), judge: verdict('continue') },
      { ...task, attachment_refs: ['s3://bucket/offer.pdf'] },
    )
    const prompt = AgentBench.textOf(agents.asked('planner')[0])
    expect(prompt).toContain('Write to the customer')
    expect(prompt).toContain(`Date (UTC): ${new Date().toISOString().slice(0, 10)}`)
    expect(prompt).toContain('s3://bucket/offer.pdf')
    expect(prompt).toMatch(/^- calculator\(expression: string\): \S.*$/m)
    expect(prompt).toMatch(/^- pay\(to: string, amount: number, note\?: string\) \[asks a person\]: Pays\.$/m)
    expect(prompt).not.toContain('secret_note')
  })

  test('a plan that cannot be used gets one repair turn that shows the reply and the problem', async () => {
    const bad = { steps: [{ id: 'a', instruction: 'x', depends_on: ['nowhere'] }] }
    const { events } = await agents.play(
      { planner: [json(bad), json(plan)], worker: say('Done.'), judge: verdict('continue') },
      task,
    )
    expect(outline(events)).toContain('planner continue plan_ready')
    const [, repair] = agents.asked('planner')
    expect(repair?.messages.map(({ from }) => from)).toEqual(['user', 'assistant', 'user'])
    expect(repair?.messages[1]?.text).toBe(JSON.stringify(bad))
    expect(repair?.messages[2]?.text).toContain('nowhere')
  })

  describe('a plan that cannot be filled in', () => {
    const find = { id: 'find', instruction: 'Find the price' }
    const price = { type: 'object', required: ['price'], properties: { price: { type: 'number' } } }
    const total = (path: string) => ({
      id: 'total',
      tool: 'calculator',
      input: { expression: `{{steps.${path}}} * 2` },
    })

    test('is repaired before it begins: the planner is told of all that is wrong, and how to mend it', async () => {
      const bad = [find, total('find.output.price'), { id: 'pay', tool: 'pay', input: { to: 7, sum: 3 } }]
      const good = [{ ...find, output_schema: price }, total('find.output.price')]
      const { events } = await agents.play(
        {
          planner: [json({ steps: bad }), json({ steps: good })],
          worker: json({ price: 21 }),
          judge: verdict('continue'),
        },
        task,
      )
      expect(agents.asked('planner')[1]?.messages.at(-1)?.text).toBe(
        'Your answer cannot be used: plan.steps[1] ("total"): {{steps.find.output.price}}: the step has no ' +
          'output_schema, so it gives only text; add output_schema to step find, or use {{steps.find.content}}; ' +
          'plan.steps[2] ("pay"): input.to must be a string; input.amount is required; input.sum is not a known field. ' +
          'Answer again with the corrected JSON and nothing else.',
      )
      expect(ofType(events, 'run.tool.invoked').at(-1)).toMatchObject({
        tool_name: 'calculator',
        tool_outcome: 'succeeded',
      })
      expect(outline(events).at(-1)).toBe('succeeded')
    })

    const optional = { type: 'object', properties: { price: { type: 'number' }, to: {} } }
    const misplanned = [
      ...['step.done retry_step', 'judge replan step_misplanned'],
      ...['step.done succeeded', 'planner continue plan_ready'],
    ]

    test('when its turn comes is planned again, with the reason', async () => {
      const first = [{ ...find, output_schema: optional }, total('find.output.price')]
      const { id, events } = await agents.play(
        {
          planner: [json({ steps: first }), json({ steps: [{ id: 'guess', instruction: 'Guess it' }] })],
          worker: [json({}), say('About 40.')],
          judge: verdict('continue'),
        },
        task,
      )
      const why = 'The step total could not be executed as it was planned: {{steps.find.output.price}} has no value.'
      expect(AgentBench.textOf(agents.asked('planner')[1])).toContain(`Plan again. Why: ${why}`)
      expect(outline(events)).toEqual(expect.arrayContaining(misplanned))
      expect(outline(events).at(-1)).toBe('succeeded')
      expect(await agents.bench.include(id, 'steps')).toMatchObject([
        ...[{ kind: 'planner' }, { id: 'find', state: 'succeeded' }],
        { id: 'total', state: 'failed', error: { reason_code: 'template_unresolved' } },
        ...[{ kind: 'planner' }, { id: 'guess', state: 'succeeded' }],
      ])
    })

    test('because the tool refuses what comes out is planned again, and the tool is not called', async () => {
      const first = [
        { ...find, output_schema: optional },
        { id: 'pay', tool: 'pay', input: { to: '{{steps.find.output.to}}', amount: 3 } },
      ]
      const { id, events } = await agents.play(
        {
          planner: [json({ steps: first }), json({ steps: ['Say it'] })],
          worker: [json({ to: 7 }), say('Nobody to pay.')],
          judge: verdict('continue'),
        },
        task,
      )
      const why = 'The step pay could not be executed as it was planned: input.to must be a string.'
      expect(AgentBench.textOf(agents.asked('planner')[1])).toContain(`Plan again. Why: ${why}`)
      expect(ofType(events, 'run.tool.invoked')).toEqual([])
      expect(ofType(events, 'run.awaiting_input')).toEqual([])
      expect(pay.callsOf(id)).toEqual([])
      expect(outline(events).at(-1)).toBe('succeeded')
    })

    test('in two steps side by side is planned again once, and the planner is told of both', async () => {
      const side = (id: string) => ({ ...total('find.output.price'), id, depends_on: ['find'] })
      const { events } = await agents.play(
        {
          planner: [
            json({ steps: [{ ...find, output_schema: optional }, side('a'), side('b')] }),
            json({ steps: ['Say it'] }),
          ],
          worker: [json({}), say('No price.')],
          judge: verdict('continue'),
        },
        task,
      )
      const prompt = AgentBench.textOf(agents.asked('planner')[1])
      expect(prompt).toContain('The step a could not be executed')
      expect(prompt).toContain('The step b could not be executed')
      expect(outline(events).filter((word) => word === 'judge replan step_misplanned')).toHaveLength(1)
      expect(outline(events).at(-1)).toBe('succeeded')
    })

    test('again and again fails the run in the end, with the reason', async () => {
      const steps = [{ ...find, output_schema: optional }, total('find.output.price')]
      const { events } = await agents.play(
        { planner: json({ steps }), worker: json({}), judge: verdict('continue') },
        task,
      )
      expect(agents.asked('planner')).toHaveLength(3)
      expect(outline(events).slice(-3)).toEqual([
        'step.done fail_run',
        'judge stop step_failed',
        'failed template_unresolved',
      ])
    })

    test('of a client is not planned again', async () => {
      const steps = [{ id: 'find', instruction: 'Find the price' }, total('find.output.price')]
      const { events } = await agents.play(
        { worker: say('Forty.'), judge: verdict('continue') },
        { input: {}, metadata: {}, plan: { version: 'v2', steps } },
      )
      expect(agents.asked('planner')).toEqual([])
      expect(outline(events).at(-1)).toBe('failed template_unresolved')
    })

    test('but asks a person is planned again under its id, and still asks', async () => {
      const ask = { ...total('find.output.price'), approval: 'required' }
      agents.script({
        planner: [
          json({ steps: [{ ...find, output_schema: optional }, ask] }),
          json({ steps: [{ id: 'total', tool: 'calculator', input: { expression: '20 * 2' } }] }),
        ],
        worker: json({}),
        judge: verdict('continue'),
      })
      const id = await agents.bench.create(task)
      await agents.bench.waits(id)
      expect(AgentBench.textOf(agents.asked('planner')[1])).toContain('plan it again, with the same id:\n- total: ')
      expect(await agents.bench.include(id, 'awaiting_input')).toMatchObject({
        tool: 'calculator',
        arguments: { expression: '20 * 2' },
      })
      await agents.bench.signal(id, 'approve')
      expect(outline(await agents.bench.ended(id)).at(-1)).toBe('succeeded')
      expect(ofType(await agents.bench.events(id), 'run.awaiting_input')).toHaveLength(1)
    })
  })

  test('never a usable plan: one repair turn, then the run goes on without a plan', async () => {
    const { events } = await agents.play({ planner: say('I would rather not.'), worker: say('Done anyway.') }, task)
    expect(agents.calls).toEqual(['planner', 'planner', 'worker', 'judge'])
    expect(outline(events)).toEqual([
      ...['created', 'started', 'step.done succeeded', 'planner continue plan_unusable'],
      ...['step.done succeeded', 'judge stop all_done', 'succeeded'],
    ])
  })

  test('a planner may make tool steps, gates and steps side by side', async () => {
    const steps = [
      { id: 'sum', tool: 'calculator', input: { expression: '6*7' } },
      { id: 'ask', await_input: { input_kind: 'approval', prompt: 'Is {{steps.sum.output.result}} right?' } },
      { id: 'say', instruction: 'Say {{steps.sum.output.result}}' },
    ]
    agents.script({ planner: json({ steps }), worker: say('Forty-two.') })
    const id = await agents.bench.create(task)
    await agents.bench.waits(id)
    expect(await agents.bench.include(id, 'awaiting_input')).toMatchObject({ prompt: 'Is 42 right?' })
    await agents.bench.signal(id, 'approve')
    expect(outline(await agents.bench.ended(id)).at(-1)).toBe('succeeded')
    expect(AgentBench.textOf(agents.asked('worker')[0])).toContain('Now do this step: Say 42')
    expect(AgentBench.textOf(agents.asked('worker')[0])).toContain(
      'A person was asked: "Is 42 right?". The person approved it.',
    )
  })

  describe('a judge that asks for a new plan', () => {
    test('has its reason told to the planner, with what is done', async () => {
      await agents.play(
        {
          planner: json(plan),
          worker: say('The address is missing.'),
          judge: [verdict('replan', 'No address was found.'), verdict('stop')],
        },
        task,
      )
      expect(agents.calls).toEqual(['planner', 'worker', 'judge', 'planner', 'worker', 'judge'])
      const prompt = AgentBench.textOf(agents.asked('planner')[1])
      expect(prompt).toContain('Plan again. Why: No address was found.')
      expect(prompt).toContain('The address is missing.')
    })

    test('again is told of both plans before, and of all answers of people', async () => {
      const planOf = (n: number) => [
        { id: `ask${n}`, await_input: { prompt: `Question ${n}?` } },
        { id: `try${n}`, instruction: `Try way ${n}` },
      ]
      agents.script({
        planner: [json({ steps: planOf(1) }), json({ steps: planOf(2) }), json({ steps: ['Give up'] })],
        worker: say('It did not work.'),
        judge: [verdict('replan', 'Way 1 is closed.'), verdict('replan', 'Way 2 is closed.'), verdict('continue')],
      })
      const id = await agents.bench.create(task)
      for (const n of [1, 2]) {
        await agents.bench.waits(id, n)
        await agents.bench.signal(id, 'submit_input', { payload: `Answer ${n}` })
      }
      expect(outline(await agents.bench.ended(id)).at(-1)).toBe('succeeded')
      const prompt = AgentBench.textOf(agents.asked('planner')[2])
      expect(prompt).toContain(
        'Plan 1:\n- [done] ask1: waits for a person: Question 1?\n- [done] try1: Try way 1\n' +
          'It was replaced because: Way 1 is closed.',
      )
      expect(prompt).toContain('- [done] try2: Try way 2\nIt was replaced because: Way 2 is closed.')
      for (const role of ['planner', 'worker', 'judge'] as const) {
        const last = AgentBench.textOf(agents.asked(role).at(-1))
        for (const n of [1, 2]) {
          const told = `A person was asked: "Question ${n}?". The person answered.\n<data name="answer of the person">\nAnswer ${n}\n</data>`
          expect(last).toContain(told)
        }
      }
    })

    test('for ever ends the run with replan_limit, not as a success', async () => {
      const { id, events } = await agents.play(
        { planner: json(plan), worker: say('Hm.'), judge: verdict('replan') },
        task,
      )
      expect(outline(events).slice(-3)).toEqual([
        'step.done fail_run',
        'judge stop replan_limit',
        'failed replan_limit',
      ])
      expect(agents.asked('planner')).toHaveLength(3)
      expect(ofType(events, 'run.coordination.decision').at(-1)).toMatchObject({
        judge_decision: { decision: 'replan' },
      })
      expect(await agents.bench.include(id, 'failure')).toMatchObject({ reason_code: 'replan_limit' })
    })
  })
})
