// Retry and resume go on after what was finished: steps, their ids, and tool calls that must not be made twice.
import type { Event, PlanStep } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bench, ofType, outline, planned, scripted, startBench, thenStep } from '../support/engine.ts'
import { ownTool } from '../support/own-tool.ts'

const counted = ownTool({ name: 'counted', effect: 'once' })
const held = ownTool({ name: 'held', held: true })

let bench: Bench
beforeAll(async () => {
  bench = await startBench({ RUNWRIGHT_MAX_RECOVERIES: '0' }, { tools: [counted, held] })
})
afterAll(() => bench.stop())

const call = { tools: [{ name: 'counted', input: { n: 1 } }] }
const failsOnce = { fail: { times: 1 } }
const stalls: PlanStep = { id: 'slow', tool: 'wait', input: { seconds: 0.4 }, timeout_seconds: 0.1 }
const taskIds = (events: Event[]) => ofType(events, 'step.done').map(({ task_id }) => task_id)
const contents = (events: Event[], outcome = 'succeeded') =>
  ofType(events, 'step.done').flatMap((done) => (done.outcome === outcome ? [done.content] : []))

async function retried(body: object): Promise<{ id: string; events: Event[]; second: Event[] }> {
  const { id, events } = await bench.play(body)
  expect((await bench.command(id, 'retry')).json()).toMatchObject({ status: 'queued' })
  const all = await bench.ended(id, 2)
  return { id, events: all, second: all.slice(events.length) }
}

describe('a retry', () => {
  test('runs the failed step again and keeps the finished ones', async () => {
    const { events, second } = await retried(scripted([{ say: 'a' }, { say: 'b', ...failsOnce }, { say: 'c' }]))
    expect(contents(events)).toEqual(['a', 'b', 'c'])
    expect(outline(second)).toEqual([
      'retry_scheduled',
      'started',
      'step.done succeeded',
      'judge continue step_done',
      'step.done succeeded',
      'judge stop all_done',
      'succeeded',
    ])
    const [, failed, again] = taskIds(events)
    expect(again).toBe(failed)
    expect(new Set(taskIds(events)).size).toBe(3)
  })

  test('keeps the plan: the planner is not asked again', async () => {
    const body = scripted([{ say: 'a' }, { say: 'b', ...failsOnce }], { routing_hint: 'require_planning' })
    const { events } = await retried(body)
    expect(outline(events).filter((word) => word === 'planner continue plan_ready')).toHaveLength(1)
    expect(contents(events).slice(1)).toEqual(['a', 'b'])
  })

  test('does not make a finished tool call again', async () => {
    const { id, events } = await retried(
      scripted([
        { say: 'a', ...call },
        { say: 'b', ...failsOnce },
      ]),
    )
    expect(counted.callsOf(id)).toHaveLength(1)
    expect(ofType(events, 'run.tool.invoked')).toHaveLength(1)
    expect(await bench.include(id, 'usage')).toMatchObject({ steps: 2, tool_calls: 1 })
  })

  test('does not make calls of a tool step again that has finished', async () => {
    const plan: PlanStep[] = [
      { id: 'sum', tool: 'calculator', input: { expression: '1' } },
      { id: 'bad', instruction: 'x' },
    ]
    const { events } = await retried(planned(plan, [failsOnce]))
    expect(ofType(events, 'run.tool.invoked')).toHaveLength(1)
  })

  test('keeps what finished beside the step that failed', async () => {
    const plan: PlanStep[] = ['a', 'b'].map((id) => ({ id, instruction: 'x', depends_on: [] }))
    const script = [{ say: 'a' }, { say: 'b', delay_ms: 100, ...failsOnce }]
    const { events } = await retried(planned(plan, script))
    expect(contents(events)).toEqual(['a', 'b'])
  })

  test('keeps the answers that were given', async () => {
    const plan: PlanStep[] = [
      { id: 'gate', await_input: {} },
      { id: 'bad', instruction: 'x' },
      { id: 'sum', tool: 'calculator', input: { expression: '{{steps.gate.output.n}} + 1' } },
    ]
    const id = await bench.create(planned(plan, [failsOnce]))
    await bench.waits(id)
    await bench.signal(id, 'submit_input', { payload: { n: 6 } })
    await bench.ended(id)
    await bench.command(id, 'retry')
    const events = await bench.ended(id, 2)
    expect(ofType(events, 'run.awaiting_input')).toHaveLength(1)
    expect(contents(events).at(-1)).toBe('{"result":7}')
  })

  test('keeps an approval that was given', async () => {
    const plan: PlanStep[] = [{ id: 'pay', instruction: 'x', approval: 'required' }]
    const id = await bench.create(planned(plan, [failsOnce]))
    await bench.waits(id)
    await bench.signal(id, 'approve')
    await bench.ended(id)
    await bench.command(id, 'retry')
    const events = await bench.ended(id, 2)
    expect(outline(events).at(-1)).toBe('succeeded')
    expect(ofType(events, 'run.awaiting_input')).toHaveLength(1)
  })

  test('clears the result and the failure until it ends again', async () => {
    const { id } = await bench.play(scripted([{ ...failsOnce }, thenStep('await_input')]))
    expect(await bench.include(id, 'failure')).not.toBeNull()
    await bench.command(id, 'retry')
    await bench.waits(id)
    expect(await bench.include(id, 'failure')).toBeNull()
    expect((await bench.acme.run(id)).event_payload).toEqual({ redacted: true, value: null })
  })

  test('can be had again and again', async () => {
    const { id } = await bench.play(scripted([{ fail: { times: 3 } }]))
    for (const times of [2, 3, 4]) {
      await bench.command(id, 'retry')
      await bench.ended(id, times)
    }
    expect(outline(await bench.events(id)).filter((word) => word === 'retry_scheduled')).toHaveLength(3)
    expect((await bench.acme.run(id)).status).toBe('succeeded')
  })
})

describe('a resume', () => {
  const resumed = async (body: object): Promise<{ id: string; events: Event[] }> => {
    const id = await bench.create(body)
    await bench.seen(id, 'run.worker.stalled')
    expect((await bench.command(id, 'resume')).json()).toMatchObject({ status: 'queued' })
    return { id, events: await bench.seen(id, 'run.worker.stalled', 2) }
  }

  test('goes on after the finished steps, and redoes the call that was cut off under its own id', async () => {
    const plan: PlanStep[] = [{ id: 'a', instruction: 'x' }, stalls]
    const { id, events } = await resumed(planned(plan, [{ say: 'a', ...call }]))
    expect(contents(events)).toEqual(['a'])
    expect(counted.callsOf(id)).toHaveLength(1)
    const starts = ofType(events, 'step.progress').filter(({ tool_name }) => tool_name === 'wait')
    expect(starts).toHaveLength(1)
    expect(outline(events).slice(-4)).toEqual([
      'stalled step_timeout',
      'resumed queued',
      'started',
      'stalled step_timeout',
    ])
  })

  test('finishes what takes shorter the second time', async () => {
    const id = await bench.create(
      planned([{ id: 'a', instruction: 'x', timeout_seconds: 0.5 }], [{ say: 'a', tools: [{ name: 'held' }] }]),
    )
    await bench.seen(id, 'run.worker.stalled')
    held.release()
    await bench.command(id, 'resume')
    const events = await bench.ended(id)
    expect(outline(events).at(-1)).toBe('succeeded')
    const calls = held.callsOf(id).map(({ context }) => context.toolCallId)
    expect(calls).toHaveLength(2)
    expect(new Set(calls).size).toBe(1)
    expect(await bench.include(id, 'usage')).toMatchObject({ steps: 1, tool_calls: 1 })
  })
})
