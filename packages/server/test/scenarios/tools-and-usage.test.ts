// Tool calls of an agent step, and what a run costs: tokens, steps and calls, to the last one.
import type { Event, UsageRow } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bench, ofType, outline, planned, scripted, startBench, thenStep } from '../support/engine.ts'
import { ownTool } from '../support/own-tool.ts'

const echo = ownTool({ name: 'echo' })
const sleeper = ownTool({ name: 'sleeper', held: true, timeoutSeconds: 0.1 })

let bench: Bench
beforeAll(async () => {
  bench = await startBench({}, { tools: [echo, sleeper] })
})
afterAll(() => bench.stop())

const summary = (preview: string) => ({
  schema_version: 'v1',
  preview,
  highlights: expect.any(Array),
  stats: {
    fields_total: expect.any(Number),
    fields_redacted: 0,
    bytes_before_redaction: expect.any(Number),
    bytes_after_redaction: expect.any(Number),
  },
  truncated: false,
})
const calc = (expression: string) => ({ name: 'calculator', input: { expression } })
const invoked = (events: Event[]) => ofType(events, 'run.tool.invoked')

describe('a tool call', () => {
  test('shows as tool_call_start, tool_call_done and run.tool.invoked, with every field', async () => {
    const { events } = await bench.play(scripted([{ say: 'four', tools: [calc('2+2')] }]))
    expect(outline(events)).toEqual([
      'created',
      'started',
      'tool_call_start calculator',
      'tool_call_done calculator',
      'invoked calculator succeeded',
      'step.done succeeded',
      'judge stop all_done',
      'succeeded',
    ])
    const [start, done] = ofType(events, 'step.progress')
    expect(done).toEqual({ ...start, kind: 'tool_call_done' })
    expect(invoked(events)).toEqual([
      {
        tool_call_id: start?.tool_call_id,
        tool_name: 'calculator',
        tool_outcome: 'succeeded',
        tool_input_summary: summary('{"expression":"2+2"}'),
        tool_output_summary: summary('{"result":4}'),
        policy_reason_code: null,
        duration_ms: expect.any(Number),
      },
    ])
  })

  test('is one of several in a step: each has its own id and its own story', async () => {
    const { events } = await bench.play(scripted([{ tools: [calc('1'), calc('2'), calc('3')] }]))
    const ids = invoked(events).map(({ tool_call_id }) => tool_call_id)
    expect(new Set(ids).size).toBe(3)
    expect(ids).toEqual(ids.map(() => expect.stringMatching(/^call_[0-7][0-9a-hjkmnp-tv-z]{25}$/)))
  })

  test.each([
    ['cannot do it', calc('2 +'), 'failed'],
    ['gets a bad input', { name: 'calculator', input: { formula: '1' } }, 'failed'],
    ['does not exist', { name: 'no_such_tool' }, 'failed'],
    ['takes too long', { name: 'sleeper' }, 'timeout'],
  ])('of a tool that %s goes back to the model, and the run goes on', async (_case, call, tool_outcome) => {
    const { events } = await bench.play(scripted([{ tools: [call] }]))
    expect(invoked(events)).toMatchObject([{ tool_name: call.name, tool_outcome, policy_reason_code: null }])
    expect(events.at(-1)?.type).toBe('run.worker.succeeded')
  })

  test.each([
    ['none', [], calc('1'), 'calculator'],
    ['others', ['current_time'], calc('1'), 'calculator'],
  ])('of a tool when %s are allowed is denied by policy', async (_case, tools, call, tool_name) => {
    const { events } = await bench.play(planned([{ instruction: 'x', tools }], [{ tools: [call] }]))
    const denied = { tool_name, tool_outcome: 'policy_denied', policy_reason_code: 'tool_not_allowed' }
    expect(invoked(events)).toMatchObject([denied])
    expect(outline(events).slice(2, 4)).toEqual(['tool_call_start calculator', 'tool_call_done calculator'])
    expect(events.at(-1)?.type).toBe('run.worker.succeeded')
  })

  test.each([[calc('1')], [{ name: 'echo' }]])('of an allowed tool is made: %o', async (call) => {
    const { events } = await bench.play(planned([{ instruction: 'x', tools: [call.name] }], [{ tools: [call] }]))
    expect(invoked(events)).toMatchObject([{ tool_outcome: 'succeeded' }])
  })

  test('has an idempotency key that no other call has', async () => {
    const twice = scripted([{ tools: [{ name: 'echo' }, { name: 'echo' }] }])
    const [one, other] = [await bench.play(twice), await bench.play(twice)]
    const calls = [...echo.callsOf(one.id), ...echo.callsOf(other.id)]
    expect(new Set(calls.map(({ context }) => context.idempotencyKey)).size).toBe(4)
  })

  test('tells the tool who calls', async () => {
    const labels = { workspace_id: 'w-1', subject_id: 's-1' }
    const { events } = await bench.play(scripted([{ tools: [{ name: 'echo', input: { a: [1] } }] }], labels))
    const call = echo.calls.at(-1)
    const { workspaceId, subjectId, customerId, toolCallId, idempotencyKey } = call?.context ?? {}
    expect(call?.input).toEqual({ a: [1] })
    expect({ workspaceId, subjectId, customerId }).toEqual({ workspaceId: 'w-1', subjectId: 's-1', customerId: 'acme' })
    expect(toolCallId).toBe(invoked(events)[0]?.tool_call_id)
    expect(idempotencyKey).toMatch(/\S/)
  })
})

test('a plan may use a tool of the service that is not built in', async () => {
  const reply = await bench.acme.create(planned([{ id: 'say', tool: 'echo', input: { a: 1 } }]))
  expect(reply.status, reply.text).toBe(201)
})

test('a tool step whose tool takes too long uses its attempts, then fails the run with tool_failed', async () => {
  const { events } = await bench.play(planned([{ id: 'slow', tool: 'sleeper', max_attempts: 2 }]))
  const call = ['tool_call_start sleeper', 'tool_call_done sleeper', 'invoked sleeper timeout']
  const again = [...call, 'step.done retry_step', 'judge continue retry_step']
  const failed = [...call, 'step.done fail_run', 'judge stop step_failed', 'failed tool_failed']
  expect(outline(events)).toEqual(['created', 'started', ...again, ...failed])
})

describe('usage', () => {
  const usageOf = async (workspace_id: string) => {
    const reply = await bench.acme.get(`/v1/usage?workspace_id=${workspace_id}`)
    const rows = reply.json<{ usage: UsageRow[] }>().usage
    return Object.fromEntries(rows.map((row) => [row.event_type, [row.count, row.total_quantity]]))
  }

  test.each([
    ['one step, no tools', [{ tokens: 120 }], {}, { tokens: [1, 120], tasks: 1, calls: 0 }],
    ['two steps', [{ tokens: 120 }, { tokens: 7 }], {}, { tokens: [2, 127], tasks: 2, calls: 0 }],
    ['a tool takes a second turn', [{ tokens: 121, tools: [calc('1')] }], {}, { tokens: [2, 121], tasks: 1, calls: 1 }],
    ['one token over two turns', [{ tokens: 1, tools: [calc('1')] }], {}, { tokens: [2, 1], tasks: 1, calls: 1 }],
    [
      'planning costs nothing, its step counts',
      [{ tokens: 5 }],
      { routing_hint: 'require_planning' },
      { tokens: [1, 5], tasks: 2, calls: 0 },
    ],
    [
      'failed calls count, failed attempts of a step do not',
      [{ tokens: 9, tools: [calc('x')], fail: { retryable: true, times: 1 } }],
      {},
      { tokens: [2, 9], tasks: 1, calls: 1 },
    ],
    [
      'waits do not count',
      [thenStep('replan', { tokens: 3 }), { tokens: 4 }],
      {},
      { tokens: [2, 7], tasks: 3, calls: 0 },
    ],
  ])('is exact: %s', async (name, steps, more, { tokens, tasks, calls }) => {
    const workspace_id = name.replaceAll(/\W/g, '-')
    const { id } = await bench.play(scripted(steps, { ...more, workspace_id }))
    expect(await bench.include(id, 'usage')).toEqual({ tokens: tokens[1], steps: tasks, tool_calls: calls })
    expect(await usageOf(workspace_id)).toEqual({
      'run.created': [1, 1],
      'task.completed': [tasks, tasks],
      'tokens.consumed': tokens,
      ...(calls > 0 && { 'tool.invoked': [calls, calls] }),
    })
  })

  test('estimates the tokens from the text when the script does not say', async () => {
    const [short, long] = [
      await bench.play(scripted([{ say: 'a b c' }])),
      await bench.play(scripted([{ say: 'a b c '.repeat(100) }])),
    ]
    const usage = async ({ id }: { id: string }) => (await bench.include<{ tokens: number }>(id, 'usage')).tokens
    expect(await usage(short)).toBeGreaterThan(0)
    expect(await usage(long)).toBeGreaterThan(10 * (await usage(short)))
  })

  test('adds up over a wait, a failure and a retry', async () => {
    const script = [thenStep('await_input', { tokens: 10 }), { tokens: 20, fail: { times: 1 } }, { tokens: 30 }]
    const id = await bench.create(scripted(script, { workspace_id: 'adds-up' }))
    await bench.waits(id)
    await bench.signal(id, 'approve')
    await bench.ended(id)
    await bench.command(id, 'retry')
    await bench.ended(id, 2)
    expect(await usageOf('adds-up')).toMatchObject({ 'tokens.consumed': [3, 60], 'task.completed': [3, 3] })
  })
})
