// A client's plan is a contract: what a judge or a planner says does not make it lose a step that people rely on.
import type { Event, Plan, PlanStep, RunStep } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bench, ofType, outline, planned, startBench, thenStep } from '../support/engine.ts'
import { ownTool } from '../support/own-tool.ts'

const send = ownTool({ name: 'send' })
let bench: Bench
beforeAll(async () => {
  bench = await startBench({}, { tools: [send] })
})
afterAll(() => bench.stop())

const draft: PlanStep = { id: 'draft', instruction: 'Write the letter' }
const gate: PlanStep = {
  id: 'gate',
  await_input: { input_kind: 'approval', prompt: 'Send this: {{steps.draft.content}}' },
}
const sending: PlanStep = { id: 'send', tool: 'send', input: { text: '{{steps.draft.content}}' } }
const letter = [draft, gate, sending]

const contents = (events: readonly Event[]) => ofType(events, 'step.done').map(({ content }) => content)
const sent = (id: string) => send.callsOf(id).map(({ input }) => input)
const begin = ['created', 'started']
const asked = ['judge await_input approval_required', 'awaiting input_required approval']
const called = ['tool_call_start send', 'tool_call_done send', 'invoked send succeeded']
const end = ['step.done succeeded', 'judge stop all_done', 'succeeded']

/** Plays the run up to its question. */
async function untilAsked(body: object) {
  const id = await bench.create(body)
  const seq = await bench.waits(id)
  const wait = await bench.include<{ prompt: string }>(id, 'awaiting_input')
  return { id, seq, prompt: wait.prompt, before: (await bench.events(id)).slice(0, seq) }
}

const statesOf = async (id: string) =>
  (await bench.include<readonly RunStep[]>(id, 'steps')).map((step) => `${step.id} ${step.state}`)

async function approve(id: string): Promise<Event[]> {
  await bench.signal(id, 'approve')
  return bench.ended(id)
}

describe('a judge that says stop while steps are left', () => {
  test('does not pass the gate: a person is asked about what was written, and the plan goes on', async () => {
    const { id, seq, prompt, before } = await untilAsked(planned(letter, [thenStep('stop', { say: 'Dear Ada' })]))
    expect(outline(before)).toEqual([...begin, 'step.done succeeded', 'judge continue plan_goes_on', ...asked])
    expect(ofType(before, 'run.coordination.decision')[0]).toMatchObject({
      decision_type: 'continue',
      reason_code: 'plan_goes_on',
      judge_decision: { decision: 'stop', reason: 'the script says so' },
    })
    expect([prompt, sent(id)]).toEqual(['Send this: Dear Ada', []])
    expect(outline((await approve(id)).slice(seq))).toEqual(['signal approve', ...called, ...end])
    expect(sent(id)).toEqual([{ text: 'Dear Ada' }])
  })

  test('does not pass an approval', async () => {
    const plan = [draft, { ...sending, approval: 'required' } as PlanStep]
    const { id, before } = await untilAsked(planned(plan, [thenStep('stop', { say: 'Dear Ada' })]))
    expect(outline(before).slice(-3)).toEqual([
      'judge continue plan_goes_on',
      'judge await_input approval_required',
      'awaiting approval_required approval',
    ])
    expect(sent(id)).toEqual([])
    expect(outline(await approve(id)).at(-1)).toBe('succeeded')
    expect(sent(id)).toHaveLength(1)
  })

  test('does not drop steps that ask nobody', async () => {
    const plan = ['a', 'b', 'c'].map((id): PlanStep => ({ id, instruction: id }))
    const script = [thenStep('stop', { say: 'a' }), thenStep('stop', { say: 'b' }), { say: 'c' }]
    const { events } = await bench.play(planned(plan, script))
    expect(contents(events)).toEqual(['a', 'b', 'c'])
    expect(outline(events).filter((word) => word.startsWith('judge'))).toEqual([
      'judge continue plan_goes_on',
      'judge continue plan_goes_on',
      'judge stop all_done',
    ])
  })

  test('while another step is executing: both end, and so does the plan', async () => {
    const plan: PlanStep[] = [
      { ...draft, depends_on: [] },
      { id: 'slow', tool: 'wait', input: { seconds: 0.3 }, depends_on: [] },
      { id: 'sum', tool: 'calculator', input: { expression: '1' }, depends_on: ['draft', 'slow'] },
    ]
    const { events } = await bench.play(planned(plan, [thenStep('stop', { say: 'one' })]))
    expect(contents(events)).toEqual(['one', '{"seconds":0.3}', '{"result":1}'])
  })

  test('fails the run if the goal is not reached, and asks nobody', async () => {
    const script = [thenStep('stop', { say: 'No idea', goal_reached: false })]
    const { id, events } = await bench.play(planned(letter, script))
    expect(outline(events)).toEqual([
      ...begin,
      'step.done fail_run',
      'judge stop goal_not_reached',
      'failed goal_not_reached',
    ])
    expect([await bench.include(id, 'failure'), sent(id)]).toMatchObject([{ reason_code: 'goal_not_reached' }, []])
  })
})

describe('a judge that wants another plan', () => {
  const script = [thenStep('replan', { say: 'Dear' }), { say: 'Dear Ada' }]
  const first: PlanStep = { id: 'first', await_input: { input_kind: 'approval', prompt: 'Begin?' } }

  test('does not remove the gate, nor what depends on it; the new steps come first', async () => {
    const { id, seq, before } = await untilAsked(planned(letter, script))
    expect(outline(before)).toEqual([
      ...begin,
      ...['step.done succeeded', 'judge replan replan_requested'],
      ...['step.done succeeded', 'planner continue plan_ready'],
      ...['step.done succeeded', 'judge continue step_done'],
      ...asked,
    ])
    const { steps } = await bench.include<Plan>(id, 'plan')
    expect(steps.map((step) => step.id)).toEqual(['draft', 'step_1', 'gate', 'send'])
    expect(await statesOf(id)).toEqual([
      ...['planner succeeded', 'draft succeeded', 'step_1 succeeded', 'gate waiting', 'send pending'],
    ])
    expect(steps.slice(2)).toMatchObject([
      { ...gate, depends_on: ['draft', 'step_1'] },
      { ...sending, depends_on: ['gate', 'draft', 'step_1'] },
    ])
    expect(outline((await approve(id)).slice(seq))).toEqual(['signal approve', ...called, ...end])
    expect(sent(id)).toEqual([{ text: 'Dear' }])
    expect((await statesOf(id)).slice(-2)).toEqual(['gate succeeded', 'send succeeded'])
  })

  test('does not hide from a fork what has happened', async () => {
    const { id } = await untilAsked(planned(letter, script))
    await approve(id)
    const reply = await bench.acme.post(
      `/v1/runs/${id}/fork`,
      { from_step: 'gate' },
      { 'idempotency-key': `fork-${id}` },
    )
    expect([reply.status, reply.text]).toEqual([201, expect.any(String)])
    const fork = reply.json<{ id: string }>().id
    const events = await bench.ended(fork)
    expect([ofType(events, 'run.awaiting_input'), sent(fork)]).toEqual([[], [{ text: 'Dear' }]])
  })

  test('does not undo an answer: a gate that was passed is not asked again', async () => {
    const plan: PlanStep[] = [first, draft, { ...sending, depends_on: ['draft', 'first'] }]
    const id = await bench.create(planned(plan, script))
    await bench.waits(id)
    const events = await approve(id)
    expect(ofType(events, 'run.awaiting_input')).toHaveLength(1)
    expect(contents(events)).toContain('Dear Ada')
    expect(sent(id)).toHaveLength(1)
  })
})

describe('judge', () => {
  const plan = (judge: string | undefined, steps: readonly object[]) => ({
    ...planned([], [thenStep('await_input', { say: 'a' }), thenStep('await_input', { say: 'b' })]),
    plan: { ...(judge && { judge }), steps },
  })
  const [a, b] = ['a', 'b'].map((id) => ({ id, instruction: id })) as [object, object]
  const waits = async (body: object) => {
    const id = await bench.create(body)
    const events = await bench.until(id, (all) => /^(awaiting|succeeded|failed)/.test(outline(all).at(-1) ?? ''))
    const said = contents(events)
    if (outline(events).at(-1)?.startsWith('awaiting')) await bench.command(id, 'cancel')
    return [...said, outline(events).at(-1)]
  }
  const asks = 'awaiting input_required'

  test.each<[string, object, unknown[]]>([
    ['is asked after each step by default', plan(undefined, [a, b]), ['a', asks]],
    ['is asked after each step if the plan says so', plan('each_step', [a, b]), ['a', asks]],
    ['is asked only after the last step', plan('end', [a, b]), ['a', 'b', asks]],
    ['is never asked', plan('never', [a, b]), ['a', 'b', 'succeeded']],
    ['is asked about a step that says so', plan('never', [a, { ...b, judge: 'each_step' }]), ['a', 'b', asks]],
    ['is not asked about a step that says so', plan(undefined, [{ ...a, judge: 'never' }, b]), ['a', 'b', asks]],
  ])('%s', async (_, body, course) => {
    expect(await waits(body)).toEqual(course)
  })

  test.each([
    ['a plan', { judge: 'always', steps: [a] }, 'plan: judge must be one of'],
    ['a step', { steps: [{ id: 'a', instruction: 'x', judge: true }] }, 'plan.steps[0] ("a"): judge must be one of'],
    ['a tool step', { steps: [{ id: 'a', tool: 'send', judge: 'never' }] }, 'plan.steps[0] ("a"): '],
  ])('of %s that is not known is refused', async (_, refused, message) => {
    const reply = await bench.acme.create({ input: {}, metadata: {}, plan: refused })
    expect([reply.status, reply.json()]).toMatchObject([
      400,
      { reason_code: 'INPUT_PLAN_INVALID', message: expect.stringContaining(message) },
    ])
  })
})
