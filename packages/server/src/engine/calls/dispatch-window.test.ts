import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { applied, type FakeOptions, fakeExecution, fakeTool } from '../../../test/support/fake-execution.ts'
import { type JournaledCall, journalEntry } from '../../domain/run/journal.ts'
import { momentNow } from '../../runtime/moment.ts'
import { Aborted } from '../context/abort-reason.ts'
import type { Lease } from '../context/lease.ts'
import type { CallOptions } from './call-end.ts'
import { makeCall, startOf } from './tool-calls.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] }))
afterEach(() => void vi.useRealTimers())

const call = (name: string): JournaledCall => ({ callId: 'c1', modelCallId: 'm1', name, input: {} })

function bench(options: FakeOptions = {}) {
  const execution = fakeExecution(options)
  const { context, ledger } = execution
  const callOptions = (part: Partial<CallOptions> = {}): CallOptions => ({
    step: context.stepOf('0/a'),
    allowed: undefined,
    begunBefore: new Set(ledger.progress.turns.startedCalls.keys()),
    stepMsLeft: () => 600_000,
    needsTools: false,
    ...part,
  })
  return { ...execution, callOptions, make: (made: JournaledCall) => makeCall(context, made, callOptions()) }
}

describe('a once call and the lease of its run', () => {
  /** A lease that is held for so long after each renewal, 2 s apart. */
  function lease(...heldMs: number[]): Lease & { renewals: number } {
    let until = performance.now() + (heldMs[0] ?? 0)
    return {
      claimedAt: momentNow(),
      holdMs: 20_000,
      renewals: 0,
      isHeld: () => performance.now() < until,
      giveUp: () => undefined,
      async renew() {
        this.renewals += 1
        until = performance.now() + (heldMs[this.renewals] ?? 0)
      },
    }
  }

  /** The process stands still when the start of a call was committed. */
  const standStill = (ms: number) => () => {
    vi.advanceTimersByTime(ms)
    return applied
  }

  test('is not made after a pause until the lease is confirmed, and then as a new try', async () => {
    const tool = fakeTool('pay', { effect: 'once' })
    const held = lease(20_000, 20_000)
    const { make, log } = bench({ tools: [tool], lease: held })
    const pauses = [60_000]
    log.answer = () => standStill(pauses.shift() ?? 0)()
    expect(await make(call('pay'))).toMatchObject({ outcome: 'succeeded' })
    expect([tool.calls.length, held.renewals]).toEqual([1, 1])
    expect(log.journal.map(({ key }) => key)).toEqual(['call:c1', 'try:c1#1', 'call:c1#2', 'result:c1'])
    expect(log.changes[1]?.journal).toEqual([
      journalEntry('try', 'c1#1', { outcome: 'not_sent' }),
      journalEntry('call', 'c1#2', { name: 'pay', effect: 'once', sendByMs: 65_000, endsByMs: 70_000 }),
    ])
  })

  test('is never made by an execution whose run is lost', async () => {
    const tool = fakeTool('pay', { effect: 'once' })
    const held = lease(20_000)
    const { make, log, controller } = bench({
      tools: [tool],
      lease: { ...held, renew: async () => controller.abort('lost') },
    })
    log.answer = standStill(60_000)
    await expect(make(call('pay'))).rejects.toThrow(Aborted)
    expect([tool.calls, log.journal.map(({ key }) => key)]).toEqual([[], ['call:c1']])
  })

  test('is not made after its own moment has passed, although the lease is good', async () => {
    const tool = fakeTool('pay', { effect: 'once', timeoutSeconds: 5 })
    const { make, log } = bench({ tools: [tool] })
    const pauses = [5_000, 4_999]
    log.answer = () => standStill(pauses.shift() ?? 0)()
    expect(await make(call('pay'))).toMatchObject({ outcome: 'succeeded' })
    expect(log.journal.map(({ key }) => key)).toEqual(['call:c1', 'try:c1#1', 'call:c1#2', 'result:c1'])
  })

  test('fails after three tries that could not be sent in time', async () => {
    const tool = fakeTool('pay', { effect: 'once' })
    const { make, log } = bench({ tools: [tool] })
    log.answer = standStill(60_000)
    expect(await make(call('pay'))).toEqual({
      outcome: 'failed',
      message: 'The call of pay was not made: it could not be sent in time.',
    })
    expect([tool.calls, log.journal.map(({ key }) => key).at(-2)]).toEqual([[], 'call:c1#3'])
  })

  test('the moment is no later here than by the database’s clock, however long the answer to the claim took', async () => {
    const held = lease(20_000)
    vi.advanceTimersByTime(3_000)
    const { context, callOptions } = bench({
      tools: [fakeTool('pay', { effect: 'once' })],
      lease: held,
      run: { remainingMs: 3_590_000 },
    })
    expect(context.clock.elapsedMs).toBe(10_000)
    const { journal } = (await startOf(context, [call('pay')], callOptions())).change
    expect(journal[0]?.body).toMatchObject({ sendByMs: 18_000, endsByMs: 23_000 })
  })

  test('the moment is bounded by the lease, the timeout of the tool and the time of the step', async () => {
    const tools = [fakeTool('pay', { effect: 'once', timeoutSeconds: 600 })]
    const { context, callOptions } = bench({ tools, lease: lease(20_000) })
    const [long] = (await startOf(context, [call('pay')], callOptions())).change.journal
    expect(long?.body).toMatchObject({ sendByMs: 20_000, endsByMs: 620_000 })
    const [short] = (await startOf(context, [call('pay')], callOptions({ stepMsLeft: () => 300 }))).change.journal
    expect(short?.body).toMatchObject({ sendByMs: 300, endsByMs: 600 })
  })

  test('is not started by an execution whose clock was set: nobody would be asked about it for that time', async () => {
    const tool = fakeTool('pay', { effect: 'once' })
    const held = lease(20_000)
    const execution = bench({
      tools: [tool],
      lease: { ...held, giveUp: () => execution.controller.abort('lease_given_up') },
    })
    vi.setSystemTime(Date.now() + 20_000)
    expect((await startOf(execution.context, [call('pay')], execution.callOptions())).change.journal).toHaveLength(1)
    vi.setSystemTime(Date.now() + 3_600_000)
    await expect(execution.make(call('pay'))).rejects.toThrow(Aborted)
    expect([tool.calls, execution.log.changes, execution.controller.signal.reason]).toEqual([[], [], 'lease_given_up'])
  })

  test('that others have started is asked about when it can no longer be under way', async () => {
    const started = journalEntry('call', 'c1', { name: 'pay', effect: 'once', sendByMs: 20_000, endsByMs: 25_000 })
    const tools = [fakeTool('pay', { effect: 'once' })]
    const early = bench({ tools, journal: [started], run: { remainingMs: 3_600_000 - 24_999 } })
    expect(await early.make(call('pay'))).toEqual({ outcome: 'sleeps', dueAtMs: 25_000 })
    const late = bench({ tools, journal: [started], run: { remainingMs: 3_600_000 - 25_000 } })
    expect(await late.make(call('pay'))).toMatchObject({
      outcome: 'person_asked',
      wait: { prompt: expect.stringContaining('The earlier attempt can no longer be sent.') },
    })
  })

  test('that others have started and certainly not sent is made without a question', async () => {
    const tool = fakeTool('pay', { effect: 'once' })
    const started = journalEntry('call', 'c1', { name: 'pay', effect: 'once' })
    const journal = [started, journalEntry('try', 'c1#1', { outcome: 'not_sent' })]
    const { make, log } = bench({ tools: [tool], journal })
    expect(await make(call('pay'))).toMatchObject({ outcome: 'succeeded' })
    expect(log.journal.map(({ key }) => key)).toEqual(['call:c1#2', 'result:c1'])
  })
})

test('the lease is looked at when something leaves, however long the tool took until then', async () => {
  let isHeld = true
  const renew = async () => {
    isHeld = true
  }
  const steps: string[] = []
  const tool = fakeTool('look', {
    looksBeforeSending: true,
    run: (_, { beforeSend }) => {
      steps.push('connects')
      if (steps.length === 1) isHeld = false
      beforeSend()
      steps.push('sends')
    },
  })
  const lease = { claimedAt: momentNow(), holdMs: 20_000, isHeld: () => isHeld, giveUp: () => undefined, renew }
  expect(await bench({ tools: [tool], lease }).make(call('look'))).toMatchObject({ outcome: 'succeeded' })
  expect(steps).toEqual(['connects', 'connects', 'sends'])
})

test('a read call needs the lease, too, but leaves no trace of its tries', async () => {
  const tool = fakeTool('look', { effect: 'read' })
  let isHeld = false
  const renew = async () => {
    isHeld = true
  }
  const lease = { claimedAt: momentNow(), holdMs: 20_000, isHeld: () => isHeld, giveUp: () => undefined, renew }
  const { make, log } = bench({ tools: [tool], lease })
  expect(await make(call('look'))).toMatchObject({ outcome: 'succeeded' })
  expect(log.journal.map(({ key }) => key)).toEqual(['call:c1', 'result:c1'])
})

test('while the database confirms no renewal, it is asked four times a second and no more', async () => {
  const askedAt: bigint[] = []
  const renew = async () => void askedAt.push(process.hrtime.bigint())
  const lease = {
    claimedAt: momentNow(),
    holdMs: 20_000,
    isHeld: () => askedAt.length > 2,
    giveUp: () => undefined,
    renew,
  }
  expect(await bench({ tools: [fakeTool('look')], lease }).make(call('look'))).toMatchObject({ outcome: 'succeeded' })
  const [first = 0n, second = 0n, third = 0n] = askedAt
  for (const pause of [second - first, third - second]) expect(Number(pause)).toBeGreaterThan(245_000_000)
})
