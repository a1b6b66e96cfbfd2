// How often a tool is called, and with which idempotency key, by its effect: after an error, a timeout, a retry, and in
// a fork. Kills, pauses and graceful stops are in `faults/delivery.test.ts`. The table is in docs/delivery.md.
import type { CreatedRun } from '@runwright/contract'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { fromWireId } from '../../src/runtime/ids.ts'
import { type Tool, type ToolCallContext, type ToolEffect, withoutEffect } from '../../src/tools/port/tool.ts'
import { type Bench, ofType, outline, planned, scripted, startBench, type Value } from '../support/engine.ts'

type Behavior = () => unknown

const fails = () => Promise.reject(new Error('The shop answered 502.'))
const refuses = () => Promise.reject(withoutEffect(new Error('Card declined.')))
const hangs = () => new Promise<never>(() => undefined)

/** How the next calls behave; after them they succeed. */
let course: Behavior[] = []
const calls: ToolCallContext[] = []

const toolOf = (effect: ToolEffect): Tool => ({
  name: effect,
  description: 'For tests.',
  input: z.looseObject({}),
  effectOf: () => effect,
  timeoutSeconds: 0.3,
  run: async (_, context) => {
    calls.push(context)
    return (course.shift() ?? (() => 'done'))()
  },
})

const effects = ['read', 'idempotent', 'once'] as const
const repeatable = ['read', 'idempotent'] as const

let bench: Bench
beforeAll(async () => {
  bench = await startBench({}, { tools: effects.map(toolOf) })
})
afterAll(() => bench.stop())
afterEach(() => {
  course = []
})

const callsOf = (id: string) => calls.filter(({ runId }) => runId === fromWireId('run', id))
const keysOf = (id: string) => new Set(callsOf(id).map(({ idempotencyKey }) => idempotencyKey))
const step = (tool: string, more: Value = {}) => planned([{ id: 'pay', tool, ...more }])
const turn = (tool: string) => scripted([{ say: 'Done.', tools: [{ name: tool }] }])
const lastOf = async (id: string) => outline(await bench.events(id)).at(-1)

/** The question about the call, once it is asked for the n-th time. */
async function asked(id: string, times = 1) {
  await bench.waits(id, times)
  const wait = await bench.include(id, 'awaiting_input')
  expect(wait.reason_code).toBe('tool_outcome_unknown')
  return wait
}

describe.each([
  ['an error', fails, 'can no longer be sent'],
  ['a timeout', hangs, 'may still be running'],
] as const)('%s', (_, behavior, state) => {
  test.each(repeatable)('of a %s call in a tool step: the call is made again, with the same key', async (effect) => {
    course = [behavior, behavior]
    const { id, events } = await bench.play(step(effect))
    expect(outline(events).at(-1)).toBe('succeeded')
    expect([callsOf(id).length, keysOf(id).size]).toEqual([3, 1])
    expect(new Set(callsOf(id).map(({ toolCallId }) => toolCallId)).size).toBe(3)
  })

  test.each(repeatable)('of a %s call of a model: the model is told', async (effect) => {
    course = [behavior]
    const { id, events } = await bench.play(turn(effect))
    expect(outline(events).at(-1)).toBe('succeeded')
    expect(ofType(events, 'run.tool.invoked')).toMatchObject([
      { tool_outcome: behavior === fails ? 'failed' : 'timeout' },
    ])
    expect(callsOf(id)).toHaveLength(1)
  })

  test.each([
    ['in a tool step', step('once')],
    ['in a tool step with attempts', step('once', { max_attempts: 5 })],
    ['of a model', turn('once')],
  ])('of a once call %s: a person is asked before each further call, which has the same key', async (__, body) => {
    course = [behavior, behavior]
    const id = await bench.create(body)
    expect(String((await asked(id)).prompt)).toContain(`The earlier attempt ${state}.`)
    expect(callsOf(id)).toHaveLength(1)
    await bench.signal(id, 'approve')
    await asked(id, 2)
    expect(callsOf(id)).toHaveLength(2)
    await bench.signal(id, 'submit_input', { payload: 'paid' })
    const events = await bench.ended(id)
    expect(outline(events).at(-1)).toBe('succeeded')
    expect([callsOf(id).length, keysOf(id).size]).toEqual([2, 1])
    expect(ofType(events, 'run.tool.invoked')).toMatchObject([{ tool_output_summary: { preview: 'paid' } }])
  })
})

describe('a once call that a person says has failed', () => {
  const call = { error: 'Card declined.' }

  test('in a tool step fails the step and is not made again; a retry makes it with the same key', async () => {
    course = [fails]
    const id = await bench.create(step('once', { max_attempts: 5 }))
    const wait = await asked(id)
    expect(wait).toMatchObject({ tool_call_id: callsOf(id)[0]?.toolCallId, idempotency_key: [...keysOf(id)][0] })
    expect(String(wait.prompt)).toContain(`idempotency key ${wait.idempotency_key}`)
    await bench.signal(id, 'submit_input', { call })
    const events = await bench.ended(id)
    expect(outline(events).at(-1)).toBe('failed tool_failed')
    expect(ofType(events, 'run.tool.invoked')).toMatchObject([
      { tool_outcome: 'failed', tool_output_summary: { preview: 'Card declined.' } },
    ])
    expect(callsOf(id)).toHaveLength(1)
    await bench.command(id, 'retry')
    expect(outline(await bench.ended(id, 2)).at(-1)).toBe('succeeded')
    expect([callsOf(id).length, keysOf(id).size]).toEqual([2, 1])
  })

  test('of a model: the model is told', async () => {
    course = [hangs]
    const id = await bench.create(turn('once'))
    await asked(id)
    await bench.signal(id, 'submit_input', { call })
    const events = await bench.ended(id)
    expect(outline(events).at(-1)).toBe('succeeded')
    expect(ofType(events, 'run.tool.invoked')).toMatchObject([
      { tool_outcome: 'failed', tool_output_summary: { preview: 'Card declined.' } },
    ])
    expect(await bench.include(id, 'signals')).toMatchObject([{ action: 'submit_input', payload: null, call }])
  })
})

describe('an error that says that the call had no effect', () => {
  test('of a once call in a tool step: the call is made again, with the same key', async () => {
    course = [refuses, refuses]
    const { id, events } = await bench.play(step('once'))
    expect(outline(events).at(-1)).toBe('succeeded')
    expect([callsOf(id).length, keysOf(id).size]).toEqual([3, 1])
  })

  test('of a once call of a model: the model is told', async () => {
    course = [refuses]
    const { id, events } = await bench.play(turn('once'))
    expect(ofType(events, 'run.tool.invoked')).toMatchObject([
      { tool_outcome: 'failed', tool_output_summary: { preview: 'Card declined.' } },
    ])
    expect(callsOf(id)).toHaveLength(1)
  })
})

describe('a retry', () => {
  test.each(repeatable)('makes a %s call that failed again, with the same key', async (effect) => {
    course = [fails]
    const { id } = await bench.play(step(effect, { max_attempts: 1 }))
    expect(await lastOf(id)).toBe('failed tool_failed')
    await bench.command(id, 'retry')
    expect(outline(await bench.ended(id, 2)).at(-1)).toBe('succeeded')
    expect([callsOf(id).length, keysOf(id).size]).toEqual([2, 1])
  })

  test('makes a once call that had no effect again, with the same key', async () => {
    course = [refuses]
    const { id } = await bench.play(step('once', { max_attempts: 1 }))
    await bench.command(id, 'retry')
    expect(outline(await bench.ended(id, 2)).at(-1)).toBe('succeeded')
    expect([callsOf(id).length, keysOf(id).size]).toEqual([2, 1])
  })

  test('asks first if the outcome of a once call is not known', async () => {
    course = [fails]
    const id = await bench.create(step('once'))
    await asked(id)
    await bench.signal(id, 'reject')
    await bench.ended(id)
    await bench.command(id, 'retry')
    await asked(id, 2)
    expect(callsOf(id)).toHaveLength(1)
    await bench.signal(id, 'approve')
    expect(outline(await bench.ended(id, 2)).at(-1)).toBe('succeeded')
    expect([callsOf(id).length, keysOf(id).size]).toEqual([2, 1])
  })

  describe('of a run whose once call may have taken effect, and a person only said not to make it again', () => {
    const call = { deny: 'Ask the shop first' }
    async function denied(times = 1): Promise<string> {
      course = [fails]
      const id = await bench.create(step('once'))
      const first = await asked(id)
      for (let nth = 1; nth <= times; nth += 1) {
        await bench.signal(id, 'submit_input', { call })
        expect(outline(await bench.ended(id, nth)).at(-1)).toBe('failed tool_failed')
        await bench.command(id, 'retry')
        const { prompt, why, tool_call_id, idempotency_key } = first
        expect(await asked(id, nth + 1)).toMatchObject({ prompt, why, tool_call_id, idempotency_key })
      }
      expect(callsOf(id)).toHaveLength(1)
      return id
    }

    test.each([1, 2])('asks what became of it, as before (%s times)', async (times) => {
      const id = await denied(times)
      await bench.signal(id, 'approve')
      expect(outline(await bench.ended(id, times + 1)).at(-1)).toBe('succeeded')
      expect([callsOf(id).length, keysOf(id).size]).toEqual([2, 1])
    })

    test('does not make it if its result is known by then', async () => {
      const id = await denied()
      await bench.signal(id, 'submit_input', { payload: 'paid' })
      const events = await bench.ended(id, 2)
      expect(outline(events).at(-1)).toBe('succeeded')
      expect(ofType(events, 'run.tool.invoked').at(-1)).toMatchObject({ tool_output_summary: { preview: 'paid' } })
      expect(callsOf(id)).toHaveLength(1)
    })

    test('asks after each further try', async () => {
      const id = await denied()
      course = [fails]
      await bench.signal(id, 'approve')
      await asked(id, 3)
      expect([callsOf(id).length, keysOf(id).size]).toEqual([2, 1])
    })

    test('makes it without a question once a person says that it failed', async () => {
      const id = await denied()
      await bench.signal(id, 'submit_input', { call: { error: 'Card declined.' } })
      await bench.ended(id, 2)
      await bench.command(id, 'retry')
      expect(outline(await bench.ended(id, 3)).at(-1)).toBe('succeeded')
      expect([callsOf(id).length, keysOf(id).size]).toEqual([2, 1])
    })
  })

  test.each(effects)('makes no %s call again that has succeeded', async (effect) => {
    const failing = { id: 'later', instruction: 'Fail.', depends_on: ['pay'], max_attempts: 1 }
    const script = [{ fail: { retryable: false, times: 1 } }]
    const { id } = await bench.play(planned([{ id: 'pay', tool: effect }, failing], script))
    await bench.command(id, 'retry')
    expect(outline(await bench.ended(id, 2)).at(-1)).toBe('succeeded')
    expect(callsOf(id)).toHaveLength(1)
  })
})

describe('a fork', () => {
  test.each(effects)('keeps finished %s calls, and makes those of later steps again with new keys', async (effect) => {
    const plan = [
      { id: 'first', tool: effect },
      { id: 'second', tool: effect },
    ]
    const { id } = await bench.play(planned(plan))
    const reply = await bench.acme.post(
      `/v1/runs/${id}/fork`,
      { from_step: 'first' },
      { 'idempotency-key': crypto.randomUUID() },
    )
    const fork = reply.json<CreatedRun>().id
    expect(outline(await bench.ended(fork)).at(-1)).toBe('succeeded')
    expect([callsOf(id).length, callsOf(fork).length]).toEqual([2, 1])
    expect(keysOf(id).has(callsOf(fork)[0]?.idempotencyKey ?? '')).toBe(false)
  })
})
