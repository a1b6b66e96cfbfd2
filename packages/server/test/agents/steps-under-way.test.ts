// `include=steps` while a run goes on: what is skipped, what is still open, and since when a step is executing.
import type { RunStep } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AgentBench, json, verdict } from '../support/agents.ts'
import { planned } from '../support/engine.ts'
import { ownTool } from '../support/own-tool.ts'
import { Gate } from '../support/providers/gate.ts'
import { type Reply, say } from '../support/providers/script.ts'

const held = ownTool({ name: 'held', held: true })
let agents: AgentBench
beforeAll(async () => {
  agents = await AgentBench.start({ tools: [held] })
})
afterAll(async () => {
  held.release()
  await agents.stop()
})

const agent = (id: string, more: object = {}) => ({ id, instruction: `Do ${id}`, ...more })
const question = { id: 'gate', await_input: { input_kind: 'approval', prompt: 'Go on?' } } as const
const task = { input: { goal: 'Write to the customer' }, metadata: {}, routing_hint: 'require_planning' }

/** An answer that stops before its first byte. */
function heldBack(reply: Reply): { readonly reply: Reply; readonly gate: Gate } {
  const gate = new Gate()
  return { gate, reply: { ...reply, delivery: { hold: { afterChunks: 0, gate } } } }
}

const stepsOf = (id: string) => agents.bench.include<RunStep[]>(id, 'steps')
const statesOf = async (id: string) => (await stepsOf(id)).map((step) => `${step.id} ${step.state}`)
/** The next step begins without waiting for the end of the one before to be committed. */
const endIsWritten = (id: string) => agents.bench.seen(id, 'step.done')
const find = (steps: readonly RunStep[], id: string) => steps.find((step) => step.id === id)

test('what a stop has skipped is skipped at once, also while a person is asked', async () => {
  const steps = [
    agent('draft'),
    agent('look', { depends_on: ['draft'] }),
    agent('polish', { depends_on: ['draft'] }),
    { ...question, depends_on: ['polish'] },
    agent('send'),
  ]
  agents.script({ planner: json({ steps }), worker: say('Dear Ada'), judge: verdict('stop') })
  const id = await agents.bench.create(task)
  await agents.bench.waits(id)
  expect(await statesOf(id)).toEqual([
    ...['planner succeeded', 'draft succeeded', 'look skipped', 'polish succeeded', 'gate waiting', 'send pending'],
  ])
  await agents.bench.signal(id, 'approve')
  await agents.bench.ended(id)
  expect(await statesOf(id)).toContain('look skipped')
})

test('what a stop has skipped is skipped while another step comes to its end', async () => {
  const steps = [
    agent('a', { depends_on: [] }),
    { id: 'b', tool: 'held', input: {}, depends_on: [] },
    agent('c', { depends_on: ['a'] }),
  ]
  agents.script({ planner: json({ steps }), worker: say('Done.'), judge: verdict('stop') })
  const id = await agents.bench.create(task)
  await agents.bench.seen(id, 'step.done', 2)
  await held.called(id)
  expect(await statesOf(id)).toEqual(['planner succeeded', 'a succeeded', 'b running', 'c skipped'])
  held.release()
  await agents.bench.ended(id)
})

describe('while a planner plans again', () => {
  test('the steps of the plan before are open, and skipped only when the new plan does without them', async () => {
    const { reply, gate } = heldBack(json({ steps: [agent('write')] }))
    agents.script({
      planner: reply,
      worker: say('Dear Ada'),
      judge: [verdict('replan', 'The name is missing.'), verdict('stop')],
    })
    const plan = [agent('draft'), agent('look'), { ...question, depends_on: ['draft'] }, agent('send')]
    const id = await agents.bench.create(planned(plan))
    await gate.reached
    await endIsWritten(id)
    expect(await statesOf(id)).toEqual([
      ...['draft succeeded', 'look pending', 'gate pending', 'send pending', 'planner running'],
    ])
    gate.release()
    await agents.bench.waits(id)
    expect(await statesOf(id)).toEqual([
      ...['look skipped', 'planner succeeded', 'draft succeeded', 'write succeeded', 'gate waiting', 'send pending'],
    ])
    await agents.bench.signal(id, 'approve')
    await agents.bench.ended(id)
  })
})

describe('a step that nothing is known of yet', () => {
  test('has begun when the worker did', async () => {
    const { reply, gate } = heldBack(say('Dear Ada'))
    agents.script({ worker: reply })
    const id = await agents.bench.create(planned([agent('draft')]))
    await gate.reached
    const [created, started] = await agents.bench.events(id)
    expect([created?.type, started?.type]).toEqual(['run.created', 'run.worker.started'])
    expect(find(await stepsOf(id), 'draft')).toMatchObject({
      state: 'running',
      attempts: 1,
      started_at: started?.timestamp,
    })
    gate.release()
    await agents.bench.ended(id)
    const [draft] = await stepsOf(id)
    expect(Date.parse(draft?.started_at ?? '')).toBeGreaterThanOrEqual(Date.parse(started?.timestamp ?? ''))
  })

  test('has begun when what it needs had ended', async () => {
    const { reply, gate } = heldBack(say('Sent.'))
    agents.script({ worker: [say('Dear Ada'), reply] })
    const id = await agents.bench.create(planned([agent('draft'), agent('send')]))
    await gate.reached
    await endIsWritten(id)
    const steps = await stepsOf(id)
    const ended = find(steps, 'draft')?.ended_at
    expect([find(steps, 'send')?.started_at, ended]).toEqual([ended, expect.any(String)])
    gate.release()
    await agents.bench.ended(id)
  })

  test('has begun when the person had answered', async () => {
    const { reply, gate } = heldBack(say('Sent.'))
    agents.script({ worker: reply })
    const id = await agents.bench.create(planned([question, agent('send')]))
    await agents.bench.waits(id)
    expect(find(await stepsOf(id), 'send')).toMatchObject({ state: 'pending', started_at: null })
    await agents.bench.signal(id, 'approve')
    await gate.reached
    const steps = await stepsOf(id)
    const answered = find(steps, 'gate')?.ended_at
    expect([find(steps, 'send')?.started_at, answered]).toEqual([answered, expect.any(String)])
    gate.release()
    await agents.bench.ended(id)
  })
})
