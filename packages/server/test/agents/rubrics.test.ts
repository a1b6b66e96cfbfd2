// Answers that are graded against a rubric: what the judge and the worker receive, and how the run ends.
import type { Event } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { onePerFormat } from '../support/adapters.ts'
import { AgentBench, json, verdict } from '../support/agents.ts'
import { ofType, outline, planned } from '../support/engine.ts'
import { ownTool } from '../support/own-tool.ts'
import { callTools, fail, type Reply, say } from '../support/providers/script.ts'

const rubric = 'Names the price in euros.'
const question = (given: unknown = rubric, more: object = {}) => ({
  input: { question: 'What does it cost?', rubric: given },
  metadata: {},
  ...more,
})
const bad = (notes: string): Reply => json({ passes: false, notes })
const good = (notes = ''): Reply => json({ passes: true, notes })
const decisions = (events: readonly Event[]) => ofType(events, 'run.coordination.decision')
const notesIn = (events: readonly Event[]) =>
  decisions(events).map(({ judge_decision }) => (judge_decision as { reason: string }).reason)

describe.each(onePerFormat)('through %s', (adapter) => {
  let agents: AgentBench
  const lookUp = ownTool({ name: 'look_up' })
  beforeAll(async () => {
    agents = await AgentBench.start({ adapter, tools: [lookUp] })
  })
  afterAll(async () => {
    await agents.stop()
    expect(agents.provider.refusals).toEqual([])
  })
  const resultOf = async (id: string) => (await agents.bench.acme.run(id)).event_payload.value

  test('an answer that passes costs one grade, and the judge is not asked as well', async () => {
    const { id, events } = await agents.play({ worker: say('391 euros.'), grade: good('Complete.') }, question())
    expect(agents.calls).toEqual(['worker', 'grade'])
    expect(outline(events).slice(-3)).toEqual(['step.done succeeded', 'judge stop all_done', 'succeeded'])
    expect(decisions(events)).toMatchObject([{ judge_decision: { decision: 'stop', reason: 'Complete.' } }])
    expect(await resultOf(id)).toEqual({ content: '391 euros.', output: null })
  })

  test('the judge sees the task, the calls, the rubric and the answer, and not the conversation', async () => {
    const worker = [
      callTools([{ name: 'look_up', args: { item: 'lamp' } }], { text: ['Let me see.'] }),
      say('391 euros.'),
    ]
    await agents.play({ worker, grade: good() }, question())
    const [request] = agents.asked('grade')
    const prompt = AgentBench.textOf(request)
    expect(request?.messages).toHaveLength(1)
    expect(request?.tools).toEqual([])
    expect(prompt).toContain('Input:\n{"question":"What does it cost?"}')
    expect(prompt).toContain('look_up({"item":"lamp"}) succeeded: {"item":"lamp"}')
    expect(prompt).toContain(`Rubric:\n${rubric}`)
    expect(prompt).toContain('<data name="answer">\n391 euros.')
    expect(prompt).not.toContain('Let me see.')
    expect(prompt.indexOf(rubric)).toBeLessThan(prompt.indexOf('<data name="answer">'))
  })

  test('the worker revises with the notes, in the same conversation', async () => {
    const { id, events } = await agents.play(
      { worker: [say('391.'), say('391 euros.')], grade: [bad('Name the currency.'), good()] },
      question(),
    )
    expect(agents.calls).toEqual(['worker', 'grade', 'worker', 'grade'])
    const [first, second] = agents.asked('worker')
    expect(second?.messages.slice(0, 1)).toEqual(first?.messages)
    expect(second?.system).toBe(first?.system)
    expect(second?.messages.slice(1).map(({ from, text }) => [from, text])).toEqual([
      ['assistant', '391.'],
      ['user', expect.stringContaining('does not pass yet:\n\nName the currency.\n\nRevise it')],
    ])
    expect(AgentBench.textOf(agents.asked('grade')[1])).not.toContain('Name the currency.')
    expect(outline(events).slice(-4)).toEqual([
      'judge continue revision_requested',
      'step.done succeeded',
      'judge stop all_done',
      'succeeded',
    ])
    expect(decisions(events)[0]).toMatchObject({
      judge_decision: { decision: 'continue', reason: 'Name the currency.' },
    })
    expect(await resultOf(id)).toEqual({ content: '391 euros.', output: null })
    expect(await agents.bench.include(id, 'usage')).toMatchObject({ steps: 1 })
  })

  test('both answers are streamed, and the end of the step replaces them', async () => {
    const { events } = await agents.play(
      { worker: [say('391.'), say('391 euros.')], grade: [bad('Name the currency.'), good()] },
      question(),
    )
    const streamed = ofType(events, 'step.progress').map(({ content_delta }) => content_delta)
    expect(streamed.join('')).toBe('391.391 euros.')
    expect(ofType(events, 'step.done')).toMatchObject([{ content: '391 euros.' }])
  })

  test('tools can be used for a revision, and no call is made twice', async () => {
    const call = callTools([{ name: 'look_up', args: { revised: adapter } }])
    const { id } = await agents.play(
      { worker: [call, say('A lot.'), call, say('391 euros.')], grade: [bad('How much?'), good()] },
      question(),
    )
    expect(lookUp.callsOf(id)).toHaveLength(2)
    expect(await resultOf(id)).toMatchObject({ content: '391 euros.' })
  })

  test('each grade is in the turns, with its tokens, under the role of the judge', async () => {
    const { id } = await agents.play(
      { worker: say('391 euros.'), grade: [bad('Name the currency.'), good()] },
      question(),
    )
    const { turns } = (await agents.bench.acme.get(`/v1/runs/${id}/turns`)).json<{ turns: Turn[] }>()
    expect(turns.map(({ role, prompt_version }) => `${role} ${prompt_version}`)).toEqual([
      expect.stringMatching(/^worker worker-/),
      'judge grade-1',
      expect.stringMatching(/^worker worker-/),
      'judge grade-1',
    ])
    expect(JSON.parse(turns[1]?.reply.text ?? '')).toEqual({ passes: false, notes: 'Name the currency.' })
    const { tokens } = await agents.bench.include<{ tokens: number }>(id, 'usage')
    expect(tokens).toBe(turns.reduce((sum, { usage }) => sum + usage.total, 0))
  })

  test.each([0, 1, 10])('with max_revisions %i, an answer that never passes fails the run', async (max_revisions) => {
    const { id, events } = await agents.play(
      { worker: say('A lot.'), grade: bad('How much?') },
      question({ criteria: rubric, max_revisions }),
    )
    expect(agents.asked('worker')).toHaveLength(max_revisions + 1)
    expect(agents.asked('grade')).toHaveLength(max_revisions + 1)
    expect(outline(events).slice(-3)).toEqual([
      'step.done fail_run',
      'judge stop rubric_not_met',
      'failed rubric_not_met',
    ])
    expect(await agents.bench.include(id, 'failure')).toMatchObject({
      reason_code: 'rubric_not_met',
      message: 'How much?',
    })
    expect(await resultOf(id)).toBeNull()
  })

  describe('scores', () => {
    const scores = {
      type: 'object',
      properties: {
        accuracy: { type: 'integer', minimum: 1, maximum: 5, description: 'The price is right.' },
        cites: { type: 'boolean' },
      },
    }
    const scored = (more: object = {}) => question({ scores, pass: { accuracy: 4 }, ...more })
    const grade = (accuracy: unknown, cites: unknown, notes = '') => json({ scores: { accuracy, cites }, notes })

    test('decide by their pass marks, which the judge is not told', async () => {
      const { events } = await agents.play(
        { worker: say('391 euros.'), grade: [grade(3, true, 'Check it.'), grade(5, false), grade(4, true)] },
        scored(),
      )
      expect(outline(events).at(-1)).toBe('succeeded')
      expect(notesIn(events)).toEqual([
        'accuracy is 3; it must be at least 4.\nCheck it.',
        'cites is not met.',
        'The answer passes its rubric.',
      ])
      const [request] = agents.asked('grade')
      expect(AgentBench.textOf(request)).toContain(
        'Rubric:\n- accuracy (integer from 1 to 5): The price is right.\n- cites (true or false)',
      )
      expect(AgentBench.textOf(request)).not.toContain('pass')
    })

    test('that are not on the scale are asked for again', async () => {
      await agents.play({ worker: say('391 euros.'), grade: [grade(9, 'yes'), grade(4, true)] }, scored())
      expect(agents.calls).toEqual(['worker', 'grade', 'grade'])
      expect(agents.asked('grade')[1]?.messages.at(-1)?.text).toContain(
        'scores.accuracy must be an integer from 1 to 5; scores.cites must be true or false',
      )
    })

    test('are in the output if the rubric asks for the grade', async () => {
      const { id } = await agents.play(
        { worker: say('{"price": 391}'), grade: [grade(3, true), grade(4, true, 'Fine.')] },
        scored({ include_grade: true }),
      )
      expect(await resultOf(id)).toEqual({
        content: '{"price": 391}',
        output: {
          answer: { price: 391 },
          grade: { passed: true, notes: 'Fine.', scores: { accuracy: 4, cites: true }, revisions: 1 },
        },
      })
    })
  })

  test('a grade that cannot be read is asked for again, once; then the run fails', async () => {
    const { id, events } = await agents.play({ worker: say('391 euros.'), grade: say('Looks good!') }, question())
    expect(agents.calls).toEqual(['worker', 'grade', 'grade'])
    expect(outline(events).slice(-3)).toEqual([
      'step.done fail_run',
      'judge stop judge_unavailable',
      'failed judge_unavailable',
    ])
    expect(await agents.bench.include(id, 'failure')).toMatchObject({
      message: 'The judge gave no usable grade: the answer holds no JSON.',
    })
  })

  test('a retry after that grades the same answer again', async () => {
    const { id } = await agents.play({ worker: say('391 euros.'), grade: say('Looks good!') }, question())
    agents.script({ worker: say('Not asked.'), grade: good() })
    await agents.bench.command(id, 'retry')
    expect(outline(await agents.bench.ended(id, 2)).at(-1)).toBe('succeeded')
    expect(agents.calls).toEqual(['grade'])
    expect(await resultOf(id)).toMatchObject({ content: '391 euros.' })
  })

  test('a retry of a run that did not pass asks the worker again, without repeating its calls', async () => {
    const worker = [callTools([{ name: 'look_up', args: { retried: adapter } }]), say('A lot.')]
    const { id } = await agents.play(
      { worker, grade: bad('How much?') },
      question({ criteria: rubric, max_revisions: 0 }),
    )
    agents.script({ worker: say('391 euros.'), grade: good() })
    await agents.bench.command(id, 'retry')
    expect(outline(await agents.bench.ended(id, 2)).at(-1)).toBe('succeeded')
    expect(agents.calls).toEqual(['worker', 'grade'])
    expect(lookUp.callsOf(id)).toHaveLength(1)
  })

  test('notes of any length are cut', async () => {
    const { events } = await agents.play(
      { worker: say('391.'), grade: [bad('Name it. '.repeat(2_000)), good()] },
      question(),
    )
    expect(notesIn(events)[0]).toHaveLength(4_000)
    expect(agents.asked('worker')[1]?.messages.at(-1)?.text.length).toBeLessThan(4_300)
  })

  test('an answer that must match a schema is checked first, also after a revision', async () => {
    const output_schema = { type: 'object', required: ['price'], properties: { price: { type: 'number' } } }
    const { id } = await agents.play(
      {
        worker: [say('A lot.'), say('{"price": 1}'), say('391 euros.'), say('euros'), say('{"price": 391}')],
        grade: [bad('It is not 1.'), good()],
      },
      { input: { question: 'Price?', rubric, output_schema }, metadata: {} },
    )
    expect(agents.calls).toEqual(['worker', 'worker', 'grade', 'worker', 'worker', 'worker', 'grade'])
    expect(await resultOf(id)).toMatchObject({ output: { price: 391 } })
  })

  test('of a plan, the result is graded: that of its last agent step', async () => {
    const plan = planned([{ instruction: 'Think' }, { instruction: 'Answer' }], [], { input: { rubric } })
    const { events } = await agents.play(
      {
        worker: [say('Thinking.'), say('391.'), say('391 euros.')],
        grade: [bad('Which?'), good()],
        judge: verdict('continue'),
      },
      plan,
    )
    expect(agents.calls).toEqual(['worker', 'judge', 'worker', 'grade', 'worker', 'grade'])
    expect(outline(events).slice(-3)).toEqual(['step.done succeeded', 'judge stop all_done', 'succeeded'])
    expect(AgentBench.textOf(agents.asked('grade')[0])).toContain('The agent was to do this: Answer')
    expect(AgentBench.textOf(agents.asked('grade')[0])).toContain('Thinking.')
  })

  test('a judge that is asked explicitly decides after the grade', async () => {
    const plan = planned([{ instruction: 'Answer', judge: 'each_step' }], [], { input: { rubric } })
    const { events } = await agents.play(
      {
        worker: say('391 euros.'),
        grade: [bad('Which?'), good()],
        judge: verdict('stop', 'Wrong.', { goal_reached: false }),
      },
      plan,
    )
    expect(agents.calls).toEqual(['worker', 'grade', 'worker', 'grade', 'judge'])
    expect(outline(events).at(-1)).toBe('failed goal_not_reached')
  })

  test('a provider that fails is asked again for the grade, and the worker is not', async () => {
    const { events } = await agents.play(
      { worker: say('391 euros.'), grade: [fail('server_error'), good()] },
      question(),
    )
    expect(agents.calls).toEqual(['worker', 'grade', 'grade'])
    expect(outline(events).at(-1)).toBe('succeeded')
  })
})

interface Turn {
  readonly role: string
  readonly prompt_version: string
  readonly reply: { readonly text: string }
  readonly usage: { readonly total: number }
}
