// What a planner's reply may look like, and what the run makes of it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { onePerFormat } from '../support/adapters.ts'
import { AgentBench, json, verdict } from '../support/agents.ts'
import { ofType, outline } from '../support/engine.ts'
import { say } from '../support/providers/script.ts'

describe.each(onePerFormat)('through %s', (adapter) => {
  let agents: AgentBench
  beforeAll(async () => {
    agents = await AgentBench.start({ adapter, env: { RUNWRIGHT_MAX_REPLANS: '2' } })
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
    expect(prompt).toMatch(/^- calculator: \S.*$/m)
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
      'A person was asked: "Is {{steps.sum.output.result}} right?". The person approved it.',
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
