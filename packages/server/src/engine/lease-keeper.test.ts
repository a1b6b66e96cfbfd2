import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { momentNow } from '../runtime/moment.ts'
import { DatabaseUnavailableError } from '../store/postgres/errors.ts'
import type { LeaseThread, ThreadRenewal } from '../store/run-log/lease-thread.ts'
import type { Renewal } from '../store/run-log/renewal.ts'
import type { RunClaimer } from '../store/run-log/run-claimer.ts'
import { type HeldRun, LeaseKeeper } from './lease-keeper.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const renewed = (...ids: string[]) => new Map(ids.map((id) => [id, { isLeaving: false }]))

function bench() {
  const asked: (readonly Renewal[])[] = []
  let answer = async (runs: readonly Renewal[]) => renewed(...runs.map(({ runId }) => runId))
  const renew = (runs: readonly Renewal[]) => {
    asked.push(runs)
    return answer(runs)
  }
  let isReachable = true
  const claimer = { renew, isReachable: async () => isReachable }
  const thread = quietThread()
  const keeper = new LeaseKeeper(claimer as unknown as RunClaimer, 30_000, thread as unknown as LeaseThread)
  const setReachable = (reachable: boolean) => {
    isReachable = reachable
  }
  const hold = (runId: string, epoch = 1) => {
    const run = {
      customerId: 'acme',
      epoch,
      stepMsLeft: () => 5_000,
      lost: vi.fn(),
      giveUp: vi.fn(),
      handOver: vi.fn(),
    } satisfies HeldRun
    const lease = keeper.hold(runId, run, momentNow())
    return { ...run, lease }
  }
  const answerWith = (other: typeof answer) => {
    answer = other
  }
  return { keeper, hold, asked, answerWith, setReachable, thread }
}

/** A thread that was told of leases, and says only what a test lets it say. */
function quietThread() {
  const told: (readonly Renewal[])[] = []
  const unheard: ThreadRenewal[] = []
  let listener: (renewal: ThreadRenewal) => void = () => undefined
  return {
    told,
    unheard,
    onRenewed: (given: typeof listener) => {
      listener = given
    },
    goOnWith: (runs: readonly Renewal[]) => told.push(runs),
    catchUp: () => {
      for (const renewal of unheard.splice(0)) listener(renewal)
    },
  }
}

test('without leases there is no query', async () => {
  const { keeper, asked } = bench()
  expect(await keeper.runOnce()).toEqual({ renewed: 0 })
  expect(asked).toEqual([])
})

test('all leases are renewed in one statement, with the time left for their steps', async () => {
  const { keeper, hold, asked } = bench()
  hold('a', 3)
  hold('b', 4)
  expect(await keeper.runOnce()).toEqual({ renewed: 2 })
  expect(asked).toEqual([
    [
      { runId: 'a', customerId: 'acme', epoch: 3, stepMs: 5_000 },
      { runId: 'b', customerId: 'acme', epoch: 4, stepMs: 5_000 },
    ],
  ])
})

test('a run whose lease another worker holds is lost', async () => {
  const { keeper, hold, answerWith } = bench()
  const [ours, lost] = [hold('a'), hold('b')]
  answerWith(async () => renewed('a'))
  expect(await keeper.runOnce()).toEqual({ renewed: 1 })
  expect([ours.lost.mock.calls.length, lost.lost.mock.calls.length]).toEqual([0, 1])
})

test('a run that is not confirmed within two thirds of its lease is given up', async () => {
  const { keeper, hold } = bench()
  const run = hold('a')
  vi.advanceTimersByTime(20_000)
  await keeper.giveUpOverdue()
  expect(run.giveUp).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  await keeper.giveUpOverdue()
  expect(run.giveUp).toHaveBeenCalledOnce()
})

test('a confirmation counts from the request, not from the answer', async () => {
  const { keeper, hold, answerWith } = bench()
  const run = hold('a')
  answerWith(async () => {
    vi.advanceTimersByTime(15_000)
    return renewed('a')
  })
  vi.advanceTimersByTime(10_000)
  await keeper.runOnce()
  vi.advanceTimersByTime(5_000)
  await keeper.giveUpOverdue()
  expect(run.giveUp).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  await keeper.giveUpOverdue()
  expect(run.giveUp).toHaveBeenCalledOnce()
})

describe('while the database is away', () => {
  test('no run is given up, and the time does not count', async () => {
    const { keeper, hold, setReachable } = bench()
    const run = hold('a')
    vi.advanceTimersByTime(60_000)
    setReachable(false)
    await keeper.giveUpOverdue()
    setReachable(true)
    vi.advanceTimersByTime(20_000)
    await keeper.giveUpOverdue()
    expect(run.giveUp).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    await keeper.giveUpOverdue()
    expect(run.giveUp).toHaveBeenCalledOnce()
  })

  test('a renewal that fails shows it', async () => {
    const { keeper, hold, answerWith } = bench()
    const run = hold('a')
    answerWith(() => Promise.reject(new DatabaseUnavailableError(new Error('connect ECONNREFUSED'))))
    vi.advanceTimersByTime(15_000)
    await expect(keeper.runOnce()).rejects.toThrow('cannot be reached')
    vi.advanceTimersByTime(20_000)
    await keeper.giveUpOverdue()
    expect(run.giveUp).not.toHaveBeenCalled()
  })

  test('a renewal that waits for a lock does not', async () => {
    const { keeper, hold, answerWith } = bench()
    const run = hold('a')
    answerWith(() => Promise.reject(new Error('Query read timeout')))
    vi.advanceTimersByTime(15_000)
    await expect(keeper.runOnce()).rejects.toThrow('timeout')
    vi.advanceTimersByTime(5_001)
    await keeper.giveUpOverdue()
    expect(run.giveUp).toHaveBeenCalledOnce()
  })
})

test('an answer to an old claim does not affect a run that was claimed again', async () => {
  const { keeper, hold, answerWith } = bench()
  const old = hold('a', 1)
  let fresh: ReturnType<typeof hold> | undefined
  answerWith(async () => {
    fresh = hold('a', 2)
    return renewed()
  })
  await keeper.runOnce()
  expect([old.lost.mock.calls.length, fresh?.lost.mock.calls.length]).toEqual([0, 0])
})

test('a release affects only the epoch that it names', async () => {
  const { keeper, hold, asked } = bench()
  hold('a', 2)
  keeper.release('a', 1)
  await keeper.runOnce()
  expect(asked).toHaveLength(1)
  keeper.release('a', 2)
  expect(await keeper.runOnce()).toEqual({ renewed: 0 })
  expect(asked).toHaveLength(1)
})

test('a run whose customer leaves for another cell is handed over, and its lease still counts', async () => {
  const { keeper, hold, answerWith } = bench()
  const [leaving, other] = [hold('a'), hold('b')]
  answerWith(async () => new Map([...renewed('b'), ['a', { isLeaving: true }]]))
  await keeper.runOnce()
  expect(leaving.handOver).toHaveBeenCalledOnce()
  expect([leaving.lost, other.handOver].map((call) => call.mock.calls.length)).toEqual([0, 0])
})

describe('a lease is held', () => {
  test('for two thirds of its time after the claim was sent', () => {
    const { lease } = bench().hold('a')
    vi.advanceTimersByTime(19_999)
    expect(lease.isHeld()).toBe(true)
    vi.advanceTimersByTime(1)
    expect(lease.isHeld()).toBe(false)
  })

  test('after each renewal again, counted from when it was sent', async () => {
    const { keeper, hold, answerWith } = bench()
    const { lease } = hold('a')
    answerWith(async () => {
      vi.advanceTimersByTime(15_000)
      return renewed('a')
    })
    vi.advanceTimersByTime(10_000)
    await keeper.runOnce()
    vi.advanceTimersByTime(4_999)
    expect(lease.isHeld()).toBe(true)
    vi.advanceTimersByTime(1)
    expect(lease.isHeld()).toBe(false)
  })

  test('no longer because an older renewal is answered late', async () => {
    const { keeper, hold, answerWith } = bench()
    const { lease } = hold('a')
    const answers: (() => void)[] = []
    answerWith(() => new Promise((resolve) => answers.push(() => resolve(renewed('a')))))
    const first = keeper.runOnce()
    vi.advanceTimersByTime(10_000)
    const second = keeper.runOnce()
    answers[1]?.()
    await second
    answers[0]?.()
    await first
    vi.advanceTimersByTime(19_000)
    expect(lease.isHeld()).toBe(true)
  })

  test('not while the database is away, although the run is not given up', async () => {
    const { keeper, hold, setReachable } = bench()
    const run = hold('a')
    vi.advanceTimersByTime(60_000)
    setReachable(false)
    await keeper.giveUpOverdue()
    expect([run.giveUp.mock.calls.length, run.lease.isHeld()]).toEqual([0, false])
  })

  test('until it is lost, released, given up or claimed again', async () => {
    const { keeper, hold, answerWith } = bench()
    const [lost, released, again, kept] = [hold('a'), hold('b'), hold('c'), hold('d')]
    answerWith(async () => renewed('b', 'c', 'd'))
    await keeper.runOnce()
    keeper.release('b', 1)
    hold('c', 2)
    expect([lost, released, again, kept].map(({ lease }) => lease.isHeld())).toEqual([false, false, false, true])
    keeper.giveUpAll()
    expect(kept.lease.isHeld()).toBe(false)
    expect(kept.giveUp).toHaveBeenCalledOnce()
  })

  test('again after a renewal that its execution asks for, one statement for all that ask', async () => {
    const { hold, asked } = bench()
    const leases = [hold('a'), hold('b')].map(({ lease }) => lease)
    vi.advanceTimersByTime(25_000)
    await Promise.all(leases.map((lease) => lease.renew()))
    expect(leases.map((lease) => lease.isHeld())).toEqual([true, true])
    expect(asked).toHaveLength(1)
  })

  test('not after such a renewal if the database does not answer', async () => {
    const { hold, answerWith } = bench()
    const { lease } = hold('a')
    vi.advanceTimersByTime(25_000)
    answerWith(() => Promise.reject(new DatabaseUnavailableError(new Error('connect ECONNREFUSED'))))
    await lease.renew()
    expect(lease.isHeld()).toBe(false)
  })
})

describe('a thread beside the event loop', () => {
  const threadRenewal = (runId: string, isOurs: boolean): ThreadRenewal => ({
    asked: [{ runId, epoch: 1 }],
    ours: isOurs ? renewed(runId) : renewed(),
    sentAt: momentNow(),
  })

  test('keeps a lease, which is known without a turn of the event loop', async () => {
    const { keeper, hold, thread } = bench()
    const { lease, giveUp } = hold('a')
    vi.advanceTimersByTime(15_000)
    thread.unheard.push(threadRenewal('a', true))
    vi.advanceTimersByTime(19_000)
    expect(lease.isHeld()).toBe(true)
    thread.unheard.push(threadRenewal('a', true))
    vi.advanceTimersByTime(19_000)
    await keeper.giveUpOverdue()
    expect(giveUp).not.toHaveBeenCalled()
  })

  test('finds that another worker has the run', () => {
    const { hold, thread } = bench()
    const { lease, lost } = hold('a')
    vi.advanceTimersByTime(21_000)
    thread.unheard.push(threadRenewal('a', false))
    expect([lease.isHeld(), lost.mock.calls.length]).toEqual([false, 1])
  })

  test('goes on with what the worker holds after each renewal, and with nothing that was given up', async () => {
    const { keeper, hold, thread } = bench()
    hold('a')
    hold('b')
    await keeper.runOnce()
    keeper.release('a', 1)
    await keeper.runOnce()
    keeper.giveUpAll()
    await keeper.runOnce()
    const ids = thread.told.map((runs) => runs.map(({ runId }) => runId))
    expect(ids).toEqual([['a', 'b'], ['b'], [], []])
  })
})
