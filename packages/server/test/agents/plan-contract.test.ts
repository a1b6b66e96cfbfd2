// What a judge and a planner can do to a plan: they are told what they cannot, and what they try anyway is repaired.
import type { Plan } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AgentBench, json, verdict } from '../support/agents.ts'
import { ofType, outline, planned } from '../support/engine.ts'
import { ownTool } from '../support/own-tool.ts'
import { callTools, type NeutralRequest, type Reply, say } from '../support/providers/script.ts'

const held = ownTool({ name: 'held', held: true })
const slow = ownTool({ name: 'slow', held: true })
let agents: AgentBench
beforeAll(async () => {
  agents = await AgentBench.start({ tools: [held, slow], env: { RUNWRIGHT_MAX_RECOVERIES: '0' } })
})
afterAll(async () => {
  for (const tool of [held, slow]) tool.release()
  await agents.stop()
  expect(agents.provider.refusals).toEqual([])
})

const agent = (id: string, more: object = {}) => ({ id, instruction: `Do ${id}`, ...more })
const draft = agent('draft')
const gate = {
  id: 'gate',
  await_input: { input_kind: 'approval', prompt: 'Send this: {{steps.draft.content}}' },
} as const
const letter = planned([draft, gate, agent('send')])
const task = { input: { goal: 'Write to the customer' }, metadata: {}, routing_hint: 'require_planning' }

async function untilAsked(script: Parameters<AgentBench['script']>[0], body: object) {
  agents.script(script)
  const id = await agents.bench.create(body)
  const seq = await agents.bench.waits(id)
  const { prompt } = await agents.bench.include<{ prompt: string }>(id, 'awaiting_input')
  return { id, prompt, words: outline((await agents.bench.events(id)).slice(0, seq)) }
}

async function approve(id: string) {
  await agents.bench.signal(id, 'approve')
  return agents.bench.ended(id)
}

/** The step calls the tool, then it is done. */
const callsOnce =
  (step: string, name: string) =>
  (request: NeutralRequest): Reply => {
    const isStep = AgentBench.textOf(request).includes(`Now do this step: Do ${step}`)
    const hasCalled = request.messages.some(({ from }) => from === 'tool')
    return isStep && !hasCalled ? callTools([{ name, args: {} }]) : say('Done.')
  }

const instructions = () =>
  agents.asked('worker').map((request) => /Now do this step: (.*)/.exec(AgentBench.textOf(request))?.[1])

describe('a judge', () => {
  test('is told that the steps of a client’s plan happen, and cannot stop them', async () => {
    const { id, words } = await untilAsked(
      { worker: say('Dear Ada'), judge: verdict('stop', 'It is written.') },
      letter,
    )
    expect(words.slice(-3)[0]).toBe('judge continue plan_goes_on')
    const prompt = AgentBench.textOf(agents.asked('judge')[0])
    expect(prompt).toContain('2 steps of the plan are left. They happen even if you decide to stop.')
    const events = await approve(id)
    expect(instructions()).toEqual(['Do draft', 'Do send'])
    expect(outline(events).at(-1)).toBe('succeeded')
  })

  test('can fail the run', async () => {
    const bad = verdict('stop', 'It is rude.', { goal_reached: false })
    const { id, events } = await agents.play({ worker: say('Go away'), judge: bad }, letter)
    expect(outline(events).slice(-2)).toEqual(['judge stop goal_not_reached', 'failed goal_not_reached'])
    expect(await agents.bench.include(id, 'failure')).toMatchObject({ message: 'It is rude.' })
    expect(ofType(events, 'run.awaiting_input')).toEqual([])
  })
})

describe('a gate that the planner made', () => {
  const steps = [
    agent('draft'),
    agent('look', { depends_on: ['draft'] }),
    agent('polish', { depends_on: ['draft'] }),
    { ...gate, depends_on: ['polish'] },
    agent('send'),
  ]

  test('is asked after a stop, with what it needs and what follows it; the others are skipped', async () => {
    const script = { planner: json({ steps }), worker: say('Dear Ada'), judge: verdict('stop') }
    const { id, prompt, words } = await untilAsked(script, task)
    expect(words).toEqual([
      ...['created', 'started', 'step.done succeeded', 'planner continue plan_ready'],
      ...['step.done succeeded', 'judge continue plan_goes_on', 'step.done succeeded', 'judge continue step_done'],
      ...['judge await_input approval_required', 'awaiting input_required approval'],
    ])
    expect(prompt).toBe('Send this: Dear Ada')
    expect(AgentBench.textOf(agents.asked('judge')[0])).toContain('3 of them happen even if you decide to stop.')
    expect(outline((await approve(id)).slice(-3))).toEqual([
      'step.done succeeded',
      'judge stop steps_skipped',
      'succeeded',
    ])
    expect(instructions()).toEqual(['Do draft', 'Do polish', 'Do send'])
    // It has said what it thinks of the rest.
    expect(agents.asked('judge')).toHaveLength(1)
  })

  test('stays in a new plan', async () => {
    const script = {
      planner: [json({ steps: [agent('draft'), gate] }), json({ steps: [agent('write')] })],
      worker: [say('Dear'), say('Dear Ada')],
      judge: [verdict('replan', 'The name is missing.'), verdict('stop')],
    }
    const { id } = await untilAsked(script, task)
    expect(instructions()).toEqual(['Do draft', 'Do write'])
    expect(outline(await approve(id)).at(-1)).toBe('succeeded')
  })
})

test('steps that ask nobody are skipped by a stop in a planner’s plan, and the decision says so', async () => {
  const steps = [agent('a'), agent('b')]
  const { events } = await agents.play({ planner: json({ steps }), worker: say('Done.') }, task)
  expect(outline(events).slice(-2)).toEqual(['judge stop steps_skipped', 'succeeded'])
  expect(instructions()).toEqual(['Do a'])
})

test('what a stop has skipped stays skipped after a stall; what was executing comes to its end', async () => {
  const steps = [
    agent('a', { depends_on: [] }),
    agent('b', { depends_on: [], timeout_seconds: 0.5 }),
    agent('c', { depends_on: ['a'] }),
  ]
  agents.script({ planner: json({ steps }), worker: callsOnce('b', 'slow') })
  const id = await agents.bench.create(task)
  const stalled = await agents.bench.seen(id, 'run.worker.stalled')
  expect(outline(stalled)).toContain('judge stop steps_skipped')
  slow.release()
  await agents.bench.command(id, 'resume')
  const events = await agents.bench.ended(id)
  expect(outline(events).slice(-3)).toEqual(['step.done succeeded', 'judge stop steps_skipped', 'succeeded'])
  expect(instructions()).not.toContain('Do c')
})

test('a planner that gives a step more time than the service allows has that of the service', async () => {
  const env = { RUNWRIGHT_STEP_TIMEOUT_SECONDS: '0.5', RUNWRIGHT_MAX_RECOVERIES: '0' }
  const late = ownTool({ name: 'late', held: true })
  const hurried = await AgentBench.start({ tools: [late], env })
  try {
    const steps = [agent('a', { timeout_seconds: 604_800 })]
    hurried.script({ planner: json({ steps }), worker: callsOnce('a', 'late') })
    const id = await hurried.bench.create(task)
    expect(outline(await hurried.bench.seen(id, 'run.worker.stalled')).at(-1)).toBe('stalled step_timeout')
  } finally {
    late.release()
    await hurried.stop()
  }
})

describe('a planner that replaces a client’s plan', () => {
  const replans = [verdict('replan', 'The name is missing.'), verdict('continue')]
  const plan = (id: string) => agents.bench.include<Plan>(id, 'plan')

  test('is told what stays', async () => {
    const script = { planner: json({ steps: [agent('name')] }), worker: say('Dear'), judge: replans }
    const { id, words } = await untilAsked(script, letter)
    const prompt = AgentBench.textOf(agents.asked('planner')[0])
    expect(prompt).toContain(
      'These steps stay as they are, and wait for your steps:\n- gate: waits for a person: Send this: {{steps.draft.content}}\n- send: Do send',
    )
    expect(words.slice(-4, -2)).toEqual(['step.done succeeded', 'judge continue step_done'])
    expect((await plan(id)).steps.map((step) => step.id)).toEqual(['draft', 'name', 'gate', 'send'])
    await approve(id)
    expect(instructions()).toEqual(['Do draft', 'Do name', 'Do send'])
  })

  test('cannot change what stays: the person is asked what the client wrote', async () => {
    const steps = [
      agent('draft'),
      { id: 'gate', await_input: { prompt: 'Ok?' } },
      agent('send', { instruction: 'Send spam' }),
    ]
    const script = { planner: json({ steps }), worker: [say('Dear'), say('Dear Ada'), say('Sent')], judge: replans }
    const { id, prompt } = await untilAsked(script, letter)
    expect(prompt).toBe('Send this: Dear Ada')
    expect(agents.asked('planner')).toHaveLength(1)
    await approve(id)
    expect(instructions()).toEqual(['Do draft', 'Do draft', 'Do send'])
  })

  test('gets a repair turn if it gives the id of a gate to another step', async () => {
    const planner = [json({ steps: [agent('gate')] }), json({ steps: [agent('name')] })]
    await untilAsked({ planner, worker: say('Dear'), judge: replans }, letter)
    expect(agents.asked('planner')[1]?.messages.at(-1)?.text).toContain('has the id of a step that stays in the plan')
  })

  test('without a usable reply leaves the plan as it is', async () => {
    const script = { planner: say('I would rather not.'), worker: say('Dear'), judge: replans }
    const { id, prompt, words } = await untilAsked(script, letter)
    expect(words).toContain('planner continue plan_unusable')
    expect(prompt).toBe('Send this: Dear')
    expect((await plan(id)).steps.map((step) => step.id)).toEqual(['draft', 'gate', 'send'])
    await approve(id)
    expect(instructions()).toEqual(['Do draft', 'Do send'])
  })

  test('does not drop a step that has begun, also if its worker is lost before the new plan', async () => {
    const steps = [agent('a', { depends_on: [] }), agent('b', { depends_on: [] }), agent('c')]
    agents.script({
      planner: json({ steps: [agent('x')] }),
      worker: callsOnce('b', 'held'),
      judge: [verdict('replan', 'Not like this.'), verdict('continue')],
    })
    const id = await agents.bench.create(planned(steps))
    await held.called(id)
    await agents.bench.until(id, (events) => outline(events).includes('judge replan replan_requested'))
    // Its lease is taken away, as after a pause that was too long: the worker finds out with its next renewal.
    await agents.bench.service.database.run({
      text: `
update runs
set epoch = epoch + 1, worker_id = null, lease_until = null, ready_at = clock_timestamp()
where worker_id is not null`,
    })
    await held.called(id, 2)
    held.release()
    const events = await agents.bench.ended(id)
    expect(outline(events).at(-1)).toBe('succeeded')
    expect(new Set(instructions())).toEqual(new Set(['Do a', 'Do b', 'Do x']))
    expect((await plan(id)).steps.map((step) => step.id)).toEqual(['x', 'b'])
    expect(ofType(events, 'step.done')).toHaveLength(4)
  })
})
