import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import {
  applied,
  type FakeOptions,
  failure,
  fakeExecution,
  fakeModel,
  fakeTool,
  reply,
} from '../../test/support/fake-execution.ts'
import { heldTool } from '../../test/support/held-tool.ts'
import { journalEntry } from '../domain/run/journal.ts'
import type { Model, ModelRequest } from '../models/port/model.ts'
import type { RunChange } from '../store/run-log/run-change.ts'
import { RunExecution } from './run-execution.ts'

// Timers fire when a test advances them. The engine’s setImmediate stays real.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }))
afterEach(() => {
  expect(pendingTimers(), 'timers that an execution left behind').toEqual([])
  vi.useRealTimers()
})

/** What each timer would call. */
function pendingTimers(): string[] {
  const { clock } = setTimeout as unknown as {
    readonly clock: { readonly timers?: Record<string, { func: unknown }> }
  }
  return Object.values(clock.timers ?? {}).map(({ func }) => String(func).slice(0, 300))
}

function execute(options: FakeOptions) {
  const { context, ledger, log, logged, hold } = fakeExecution(options)
  const execution = new RunExecution(context.parts, ledger, hold)
  return { execution, ledger, log, logged, end: execution.execute() }
}

const tool = (id: string, name: string, more: object = {}) => ({ id, tool: name, input: {}, depends_on: [], ...more })
const triggers = ({ log }: { log: { changes: RunChange[] } }) => log.changes.map(({ trigger }) => trigger)
const doneKeys = ({ log }: { log: { journal: { key: string }[] } }) =>
  log.journal.map(({ key }) => key).filter((key) => /^(?:done|fail|plan):/.test(key))
/** Lets everything happen that needs no timer. */
const settled = async () => {
  for (let round = 0; round < 5; round += 1) await new Promise(setImmediate)
}

describe('the loop', () => {
  test('executes the steps of a plan in their order, then the run succeeds', async () => {
    const worker = fakeModel('test/worker', reply('One.'), reply('Two.'))
    const plan = { steps: ['a', 'b'].map((id) => ({ id, instruction: `Do ${id}` })) }
    const made = execute({ plan, models: { worker: [worker] } })
    await made.end
    expect(doneKeys(made)).toEqual(['done:0/a', 'done:0/b'])
    expect(made.log.changes.at(-1)).toMatchObject({ trigger: 'succeed', result: { value: { content: 'Two.' } } })
  })

  test('plans first if a planner is due', async () => {
    const planner = fakeModel('test/planner', reply('{"steps":[{"id":"a","instruction":"Do it"}]}'))
    const worker = fakeModel('test/worker', reply('Done.'))
    const made = execute({ startsWithPlanner: true, models: { planner: [planner], worker: [worker] } })
    await made.end
    expect(doneKeys(made)).toEqual(['done:1/planner', 'plan:1', 'done:1/a'])
  })

  test('starts every step that can start, and settles each when it ends', async () => {
    const held = heldTool('held')
    const made = execute({ tools: [held], plan: { steps: [tool('a', 'held'), tool('b', 'held')] } })
    await held.begun(2)
    held.ends[1]?.resolve('second')
    await settled()
    expect(doneKeys(made)).toEqual(['done:0/b'])
    held.ends[0]?.resolve('first')
    await made.end
    expect(doneKeys(made)).toEqual(['done:0/b', 'done:0/a'])
    expect(triggers(made).at(-1)).toBe('succeed')
  })

  test('of steps that end at the same time, settles the succeeded one first', async () => {
    const held = heldTool('held')
    const plan = { steps: [tool('a', 'held', { max_attempts: 1 }), tool('b', 'held')] }
    const made = execute({ tools: [held], plan })
    await held.begun(2)
    held.ends[0]?.reject(new Error('no'))
    held.ends[1]?.resolve('fine')
    await made.end
    expect(doneKeys(made)).toEqual(['done:0/b', 'fail:0/a:0'])
    expect(triggers(made).at(-1)).toBe('fail')
  })

  test('a failed step ends the run: the others are aborted, and what they used is recorded', async () => {
    const bad = heldTool('bad')
    const worker: Model = {
      name: 'test/worker',
      respond: ({ signal }: ModelRequest) =>
        new Promise((resolve) => {
          const aborted = { kind: 'aborted', text: '', usage: { total: 4 } } as const
          signal.addEventListener('abort', () => resolve(aborted))
        }),
    }
    const plan = { steps: [{ id: 'a', instruction: 'x' }, tool('b', 'bad', { max_attempts: 1 })] }
    const made = execute({ tools: [bad], plan, models: { worker: [worker] } })
    await bad.begun(1)
    bad.ends[0]?.reject(new Error('no'))
    await made.end
    expect(triggers(made).slice(-2)).toEqual(['fail', 'meter'])
    expect(made.log.changes.at(-1)).toMatchObject({ epoch: null, tokens: 4 })
  })

  test('plans again only when the steps of the plan before have ended', async () => {
    const held = heldTool('held')
    const planner = fakeModel('test/planner', reply('{"steps":[{"id":"c","instruction":"Do c"}]}'))
    const judge = fakeModel(
      'test/judge',
      reply('{"decision":"replan","reason":"Not good."}'),
      reply('{"decision":"stop","reason":"Good."}'),
    )
    const worker = fakeModel('test/worker', reply('One.'), reply('Two.'))
    const plan = { steps: [{ id: 'a', instruction: 'Do a' }, tool('b', 'held')] }
    const made = execute({
      tools: [held],
      plan,
      models: { planner: [planner], judge: [judge], worker: [worker] },
    })
    await held.begun(1)
    await settled()
    expect([made.log.decisions, planner.requests.length]).toEqual([['judge replan replan_requested'], 0])
    held.ends[0]?.resolve('done')
    await made.end
    expect(doneKeys(made)).toEqual(['done:0/a', 'done:0/b', 'done:1/planner', 'plan:1', 'done:1/c'])
  })

  test('pauses before another attempt of a step, longer each time', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    const bad = fakeTool('bad', { run: () => Promise.reject(new Error('no')) })
    const made = execute({ tools: [bad], plan: { steps: [tool('a', 'bad', { max_attempts: 3 })] } })
    for (const [pauseMs, calls] of [
      [250, 1],
      [500, 2],
    ] as const) {
      await settled()
      await vi.advanceTimersByTimeAsync(pauseMs - 1)
      await settled()
      expect(bad.calls).toHaveLength(calls)
      await vi.advanceTimersByTimeAsync(1)
    }
    await made.end
    expect(bad.calls).toHaveLength(3)
    expect(triggers(made).at(-1)).toBe('fail')
    vi.restoreAllMocks()
  })
})

describe('a question to a person', () => {
  const gate = { id: 'gate', await_input: { reason_code: 'go' }, depends_on: [] }

  test('of the plan is asked when nothing else can be done', async () => {
    const held = heldTool('held')
    const made = execute({ tools: [held], plan: { steps: [gate, tool('a', 'held')] } })
    await held.begun(1)
    await settled()
    expect(triggers(made)).not.toContain('await_input')
    held.ends[0]?.resolve('done')
    await made.end
    expect(made.log.changes.at(-1)).toMatchObject({ trigger: 'await_input', wait: { key: 'gate:0/gate' } })
  })

  test('of a call waits for the other steps, and no new step starts meanwhile', async () => {
    const held = heldTool('held')
    const asks = fakeTool('asks', { policy: 'ask' })
    const steps = [tool('a', 'held'), tool('b', 'asks'), tool('c', 'held', { depends_on: ['a'] })]
    const made = execute({ tools: [held, asks], plan: { steps } })
    await held.begun(1)
    await settled()
    expect(triggers(made)).not.toContain('await_input')
    held.ends[0]?.resolve('done')
    await made.end
    expect(triggers(made).at(-1)).toBe('await_input')
    expect(held.ends).toHaveLength(1)
  })
})

describe('a sleeping step', () => {
  const wait = (ms: number) => fakeTool('wait', { input: z.looseObject({}), sleepMs: () => ms })

  test('alone and for long: the run is parked until it is due', async () => {
    const made = execute({ tools: [wait(90_000)], plan: { steps: [tool('a', 'wait')] } })
    await made.end
    expect(made.log.changes.at(-1)).toMatchObject({ trigger: 'park', readyInMs: 90_000 })
    expect(made.log.journal.map(({ key }) => key.split(':')[0])).toEqual(['call', 'sleep'])
  })

  test('that is nearly due when the run is claimed is waited for here', async () => {
    const run = { durationSeconds: 100, remainingMs: 11_500 }
    const { log } = await parkedCall()
    const journal = log.journal
    const made = execute({ tools: [wait(90_000)], plan: { steps: [tool('a', 'wait')] }, journal, run })
    await settled()
    expect(triggers(made)).toEqual([])
    await vi.advanceTimersByTimeAsync(1_500)
    await made.end
    expect(triggers(made)).toEqual(['progress', 'succeed'])
  })

  async function parkedCall() {
    const made = execute({ tools: [wait(90_000)], plan: { steps: [tool('a', 'wait')] } })
    await made.end
    return made
  }

  test('beside another: the other goes on, and the sleeping one continues when it is due', async () => {
    const held = heldTool('held', { timeoutSeconds: 600 })
    const made = execute({ tools: [held, wait(5_000)], plan: { steps: [tool('a', 'held'), tool('b', 'wait')] } })
    await held.begun(1)
    await settled()
    await vi.advanceTimersByTimeAsync(5_000)
    await settled()
    expect(doneKeys(made)).toEqual(['done:0/b'])
    held.ends[0]?.resolve('done')
    await made.end
    expect(triggers(made)).not.toContain('park')
    expect(triggers(made).at(-1)).toBe('succeed')
  })

  test('a planner that waits for its provider parks the run', async () => {
    const planner = fakeModel('test/planner', failure({ retryAfterMs: 60_000 }))
    const made = execute({ startsWithPlanner: true, models: { planner: [planner] } })
    await made.end
    expect(made.log.changes.at(-1)).toMatchObject({ trigger: 'park', readyInMs: 60_000 })
  })
})

describe('the end from outside', () => {
  const withHeld = (more: Partial<FakeOptions> = {}, step: object = {}) => {
    const held = heldTool('held', { timeoutSeconds: 100_000 })
    const next = tool('b', 'held', { depends_on: ['a'] })
    return { held, ...execute({ tools: [held], plan: { steps: [tool('a', 'held', step), next] }, ...more }) }
  }

  test('a hand-over lets the running step end, and starts no other', async () => {
    const made = withHeld()
    await made.held.begun(1)
    made.execution.handOver()
    made.held.ends[0]?.resolve('done')
    await made.end
    expect(doneKeys(made)).toEqual(['done:0/a'])
    expect(made.log.changes.at(-1)).toMatchObject({ trigger: 'hand_over', readyInMs: 0 })
    expect(made.held.ends).toHaveLength(1)
  })

  test('a hand-over waits for all running steps, and starts none that could follow', async () => {
    const [slow, quick] = [heldTool('slow'), heldTool('quick')]
    const next = tool('c', 'quick', { depends_on: ['b'] })
    const steps = [tool('a', 'slow'), tool('b', 'quick'), next]
    const made = execute({ tools: [slow, quick], plan: { steps } })
    await Promise.all([slow.begun(1), quick.begun(1)])
    made.execution.handOver()
    quick.ends[0]?.resolve('done')
    await settled()
    expect(triggers(made)).not.toContain('hand_over')
    slow.ends[0]?.resolve('done')
    await made.end
    expect(doneKeys(made)).toEqual(['done:0/b', 'done:0/a'])
    expect([triggers(made).at(-1), quick.ends.length]).toEqual(['hand_over', 1])
  })

  test('the deadline of the run ends it at once', async () => {
    const made = withHeld({ run: { durationSeconds: 60, remainingMs: 20_000 } })
    await made.held.begun(1)
    await vi.advanceTimersByTimeAsync(20_000)
    await made.end
    expect(made.log.changes.at(-1)).toMatchObject({ trigger: 'exceed_limit' })
    expect(made.log.events.at(-1)?.payload).toMatchObject({ limitType: 'duration_limit', currentValue: 60 })
  })

  test.each([
    ['its own limit', { timeout_seconds: 5 }, 5_000],
    ['the service’s limit', {}, 600_000],
  ])('a step that exceeds %s stalls the run', async (_, step, ms) => {
    const made = withHeld({}, step)
    expect(made.execution.stepMsLeft).toBeUndefined()
    await made.held.begun(1)
    expect(made.execution.stepMsLeft).toBe(ms)
    await vi.advanceTimersByTimeAsync(ms - 1)
    expect(triggers(made)).toEqual(['progress'])
    await vi.advanceTimersByTimeAsync(1)
    await made.end
    expect(made.log.changes.at(-1)).toMatchObject({ trigger: 'stall' })
    expect(made.log.events.at(-1)?.payload).toMatchObject({ reason_code: 'step_timeout' })
  })

  test('a lease that was given up stalls the run', async () => {
    const made = withHeld()
    await made.held.begun(1)
    made.execution.abort('lease_given_up')
    await made.end
    expect(made.log.events.at(-1)?.payload).toMatchObject({ reason_code: 'lease_lost' })
  })

  test('a run that is lost gets no change', async () => {
    const made = withHeld()
    await made.held.begun(1)
    made.execution.abort('lost')
    await made.end
    expect(triggers(made)).toEqual(['progress'])
  })

  test('a duration that no timer can hold is left to the sweeps', async () => {
    const made = withHeld({ run: { remainingMs: 2 ** 31 } })
    await made.held.begun(1)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(triggers(made)).toEqual(['progress'])
    made.execution.abort('hand_over')
    await made.end
  })

  test('a budget that is exhausted when the run is claimed ends it before any step', async () => {
    const budget = { currentValue: 9, threshold: 5 }
    const budgets = { exceeded: async () => budget, spend: () => undefined }
    const made = withHeld({ parts: { budgets } })
    await made.end
    expect(triggers(made)).toEqual(['exceed_limit'])
    expect(made.log.events[0]?.payload).toMatchObject(budget)
    expect(made.held.ends).toEqual([])
  })
})

describe('a fault', () => {
  const plan = { steps: ['a', 'b'].map((id) => ({ id, instruction: `Do ${id}` })) }
  const answering = () => ({ worker: [fakeModel('test/worker', reply('One.'), reply('Two.'))] })

  function executeUntil(fails: (change: RunChange) => boolean, answer: () => never | typeof applied) {
    const { context, ledger, log, logged, hold } = fakeExecution({ plan, models: answering() })
    log.answer = (change) => (fails(change) ? answer() : applied)
    return { log, logged, end: new RunExecution(context.parts, ledger, hold).execute() }
  }
  const isDone = ({ journal = [] }: RunChange) => journal.some(({ key }) => key.startsWith('done:'))
  const pgError = (code: string) => () => {
    throw Object.assign(new Error('the database says no'), { code })
  }

  test.each(['53100', '57P01', '25006', '40001'])('of the database (%s) does not fail the run', async (code) => {
    const made = executeUntil(isDone, pgError(code))
    await made.end
    expect(triggers(made)).not.toContain('fail')
    expect(triggers(made)).not.toContain('stall')
    expect(made.logged).toEqual([])
  })

  test('of the database loses no usage once it is over', async () => {
    const made = executeUntil(isDone, pgError('53100'))
    await made.end
    const metered = made.log.changes.filter(({ trigger }) => trigger === 'meter')
    expect(metered.map(({ tokens }) => tokens)).toEqual([10])
  })

  test('of the service itself fails the run visibly, and is logged', async () => {
    const worker: Model = { name: 'broken', respond: () => Promise.reject(new Error('a defect')) }
    const made = execute({ plan, models: { worker: [worker] } })
    await made.end
    expect(made.log.events).toMatchObject([{ type: 'run.worker.failed', payload: { reason_code: 'internal_error' } }])
    expect(made.logged).toEqual(['error run failed because of an internal error'])
  })

  test('while a defect is written is logged, and nothing is thrown', async () => {
    const made = executeUntil(() => true, pgError('XX000'))
    await made.end
    expect(made.logged.at(-1)).toBe('error a failed run could not be ended')
  })

  test('another worker has the run: nothing more is written but usage', async () => {
    const lost = { outcome: 'lease_lost', was: 'running' } as never
    const made = executeUntil(
      ({ trigger }) => trigger !== 'meter',
      () => lost,
    )
    await made.end
    expect(
      new Set(
        triggers(made)
          .slice(1)
          .filter((trigger) => trigger !== 'progress'),
      ),
    ).toEqual(new Set(['meter']))
    expect(made.logged).toEqual([])
  })
})

test('a run that was executed before goes on where it stopped', async () => {
  const body = { stepId: 'a', kind: 'agent', content: 'One.', output: null, redacted: false, order: 0 } as const
  const worker = fakeModel('test/worker', reply('Two.'))
  const plan = { steps: ['a', 'b'].map((id) => ({ id, instruction: `Do ${id}` })) }
  const made = execute({ plan, models: { worker: [worker] }, journal: [journalEntry('done', '0/a', body)] })
  await made.end
  expect(doneKeys(made)).toEqual(['done:0/b'])
  expect(worker.requests).toHaveLength(1)
})
