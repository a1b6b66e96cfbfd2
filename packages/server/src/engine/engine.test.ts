import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { applied, fakeExecution } from '../../test/support/fake-execution.ts'
import { gateTool } from '../../test/support/gate-tool.ts'
import { Occurrences } from '../../test/support/occurrences.ts'
import type { Database } from '../store/postgres/database.ts'
import type { RunChange } from '../store/run-log/run-change.ts'
import type { Claim, ClaimedRun, Holding, Lane, RunClaimer, WaitingCustomer } from '../store/run-log/run-claimer.ts'
import type { Committed, RunLog } from '../store/run-log/run-log.ts'
import { wait } from '../tools/built-in/wait.ts'
import type { Tool } from '../tools/port/tool.ts'
import { Engine } from './engine.ts'
import { LeaseKeeper } from './lease-keeper.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const step = { tool: 'gate', input: {} }
const pause = { tool: 'wait', input: { seconds: 1.5 } }
let runs = 0

function run(part: Partial<ClaimedRun> = {}, steps: readonly object[] = [step, step]): ClaimedRun {
  runs += 1
  const id = `01890000-0000-7000-8000-${String(runs).padStart(12, '0')}`
  const plan = { version: 'v2', steps } as unknown as ClaimedRun['plan']
  return fakeExecution({ run: { id, plan, runClass: 'short', ...part } }).ledger.run
}

/** A queue that the test fills. A free place goes to the customer that holds the fewest. */
class FakeClaimer {
  readonly claims = new Occurrences<{ atMost: number; held: readonly Holding[] }>()
  readonly looks = new Occurrences<readonly Lane[]>()
  readonly givenBack: (readonly string[])[] = []
  readonly queue: ClaimedRun[] = []
  failure: Error | undefined

  claim = async (lanes: readonly Lane[], atMost: number, held: readonly Holding[]): Promise<Claim> => {
    this.claims.add({ atMost, held })
    const { failure } = this
    this.failure = undefined
    if (failure) throw failure
    const claimed: ClaimedRun[] = []
    const heldBy = (customerId: string) =>
      (held.find((holding) => holding.customerId === customerId)?.inLane.short ?? 0) +
      claimed.filter((one) => one.customerId === customerId).length
    while (claimed.length < atMost) {
      const ready = this.queue.filter((one) => lanes.some(({ runClass }) => runClass === one.runClass))
      const [next] = ready.toSorted((a, b) => heldBy(a.customerId) - heldBy(b.customerId))
      if (!next) break
      this.queue.splice(this.queue.indexOf(next), 1)
      claimed.push(next)
    }
    const served = claimed.map(
      ({ runClass, customerId }) => [runClass, { lastCustomer: customerId, hasMore: false }] as const,
    )
    return { runs: claimed, lanes: new Map(served) }
  }

  findWaiting = async (lanes: readonly Lane[]): Promise<WaitingCustomer[]> => {
    this.looks.add(lanes)
    const ready = this.queue.filter((one) => lanes.some(({ runClass }) => runClass === one.runClass))
    const waiting = new Map<string, WaitingCustomer>()
    for (const { runClass, customerId } of ready) {
      const key = `${runClass} ${customerId}`
      waiting.set(key, { runClass, customerId, runs: (waiting.get(key)?.runs ?? 0) + 1 })
    }
    return [...waiting.values()]
  }

  giveBackUnknown = async (known: readonly string[]): Promise<number> => {
    this.givenBack.push(known)
    return 0
  }
}

function bench(concurrency: number, queue: readonly ClaimedRun[] = [], prepare?: (claimer: FakeClaimer) => void) {
  const gate = gateTool()
  const changes = new Occurrences<RunChange>()
  const claimer = new FakeClaimer()
  claimer.queue.push(...queue)
  prepare?.(claimer)
  const waitTool = wait as unknown as Tool<Record<string, unknown>>
  const { context, logged } = fakeExecution({ tools: [gate.tool, waitTool] })
  const apply = async (change: RunChange) => {
    changes.add(change)
    return applied
  }
  const engine = new Engine({
    ...context.parts,
    database: {} as Database,
    runLog: { apply } as unknown as RunLog,
    claimer: claimer as unknown as RunClaimer,
    leases: new LeaseKeeper(claimer as unknown as RunClaimer, 30_000),
    concurrency,
    graceMs: 5_000,
  })
  engine.start()
  /** Lets what is under way come to rest, without a poll. */
  const settle = () => vi.advanceTimersByTimeAsync(1)
  const stop = async () => {
    const stopped = engine.stop()
    await vi.advanceTimersByTimeAsync(5_000)
    await stopped
  }
  /** The changes of a run other than progress. */
  const fateOf = ({ id }: ClaimedRun) =>
    changes.all.filter(({ runId, trigger }) => runId === id && trigger !== 'progress').map(({ trigger }) => trigger)
  return { engine, claimer, gate, changes, logged, settle, stop, fateOf }
}

const committed = (part: Partial<Committed>): Committed => ({
  runId: 'some run',
  state: undefined,
  claimable: false,
  events: [],
  ...part,
})
const atMosts = ({ claims }: FakeClaimer) => claims.all.map(({ atMost }) => atMost)

describe('claims', () => {
  test('fill the places, and the next one comes when a place is free again', async () => {
    const [a, b, c] = [run(), run(), run()]
    const { claimer, gate, settle, stop } = bench(2, [a, b, c])
    await gate.called(b.id)
    await settle()
    expect(atMosts(claimer)).toEqual([2])
    ;(await gate.called(a.id)).succeed()
    ;(await gate.called(a.id, 2)).succeed()
    await gate.called(c.id)
    expect(atMosts(claimer)).toEqual([2, 1])
    await stop()
  })

  test('tell which places each customer holds', async () => {
    const [a, b] = [run({ customerId: 'a' }), run({ customerId: 'b', runClass: 'default' })]
    const { engine, claimer, gate, settle, stop } = bench(8, [a, b])
    await gate.called(b.id)
    await settle()
    engine.poke()
    await settle()
    expect(claimer.claims.all.at(-1)?.held).toEqual([
      { customerId: 'a', inLane: { short: 1, default: 0, long: 0 } },
      { customerId: 'b', inLane: { short: 1, default: 1, long: 0 } },
    ])
    await stop()
  })

  test('stop when there is nothing more, until the next wake-up', async () => {
    const a = run()
    const { engine, claimer, gate, settle, stop } = bench(2, [a])
    ;(await gate.called(a.id)).succeed()
    ;(await gate.called(a.id, 2)).succeed()
    await settle()
    expect(atMosts(claimer)).toEqual([2])
    engine.poke()
    await settle()
    expect(atMosts(claimer)).toEqual([2, 2])
    await stop()
  })

  test('are repeated every second without a wake-up', async () => {
    const { claimer, settle, stop } = bench(2)
    await settle()
    await vi.advanceTimersByTimeAsync(999)
    expect(claimer.claims.all).toHaveLength(2)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(claimer.claims.all).toHaveLength(3)
    await stop()
  })

  test('go on at once while a customer may have more runs than its share', async () => {
    const [a, b] = [run(), run()]
    const served = (hasMore: boolean) => new Map([['short' as const, { lastCustomer: 'acme', hasMore }]])
    const { claimer, gate, settle, stop } = bench(4, [a, b], (queue) => {
      const { claim } = queue
      queue.claim = async (lanes, _, held) => {
        const { runs: claimed } = await claim(lanes, 1, held)
        return { runs: claimed, lanes: served(queue.queue.length > 0) }
      }
    })
    await gate.called(b.id)
    await settle()
    expect(claimer.claims.all).toHaveLength(2)
    await stop()
  })
})

describe('wake-ups', () => {
  test('come with a commit that makes a run ready', async () => {
    const { engine, claimer, settle, stop } = bench(2)
    await settle()
    engine.hear([committed({ claimable: false })])
    await settle()
    expect(claimer.claims.all).toHaveLength(1)
    engine.hear([committed({ claimable: true })])
    await settle()
    expect(claimer.claims.all).toHaveLength(2)
    await stop()
  })

  test('come when a parked run is due', async () => {
    const { engine, claimer, settle, stop } = bench(2)
    await settle()
    engine.hear([committed({ readyInMs: 300 })])
    await vi.advanceTimersByTimeAsync(299)
    expect(claimer.claims.all).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(claimer.claims.all).toHaveLength(2)
    await stop()
  })

  test('during a claim are not lost', async () => {
    const a = run()
    const { engine, claimer, settle, gate, stop } = bench(2, [], (queue) => {
      const { claim } = queue
      queue.claim = async (...asked) => {
        const claimed = await claim(...asked)
        queue.claim = claim
        queue.queue.push(a)
        engine.poke()
        return claimed
      }
    })
    await settle()
    await gate.called(a.id)
    expect(claimer.claims.all).toHaveLength(2)
    await stop()
  })

  test('of a run that has ended abort its execution', async () => {
    const a = run()
    const { engine, gate, settle, stop, fateOf } = bench(2, [a])
    const { context } = await gate.called(a.id)
    engine.hear([committed({ runId: a.id, state: 'cancelled' })])
    await settle()
    expect([context.signal.aborted, fateOf(a)]).toEqual([true, []])
    await stop()
  })
})

describe('on stop', () => {
  test('a run is handed over when its step has ended', async () => {
    const a = run()
    const { engine, gate, fateOf, claimer } = bench(2, [a])
    const call = await gate.called(a.id)
    const stopped = engine.stop()
    call.succeed()
    await stopped
    expect([fateOf(a), call.context.signal.aborted]).toEqual([['hand_over'], false])
    expect(claimer.claims.all).toHaveLength(1)
  })

  test('a step that takes too long is aborted, and its run is handed over', async () => {
    const a = run()
    const { gate, stop, fateOf } = bench(2, [a])
    const call = await gate.called(a.id)
    await stop()
    expect([fateOf(a), call.context.signal.aborted]).toEqual([['hand_over'], true])
  })
})

test('a run that cannot be started is logged and holds no place', async () => {
  const [broken, a, b] = [run({ plan: { steps: 'none' } as unknown as ClaimedRun['plan'] }), run(), run()]
  const { engine, gate, logged, claimer, settle, stop } = bench(2, [broken, a])
  await gate.called(a.id)
  await settle()
  expect(logged).toEqual(['error a run could not be started'])
  claimer.queue.push(b)
  engine.poke()
  await gate.called(b.id)
  await stop()
})

describe('a claim that fails', () => {
  test('gives back what this process may hold without knowing it, if its answer was lost', async () => {
    const a = run()
    const { engine, claimer, gate, settle, stop, logged } = bench(2, [a])
    await gate.called(a.id)
    await settle()
    claimer.failure = new Error('Connection terminated unexpectedly')
    engine.poke()
    await settle()
    expect([claimer.givenBack, logged]).toEqual([[[a.id]], []])
    await stop()
  })

  test('is logged if it is a defect, and repeated later', async () => {
    const { claimer, settle, stop, logged } = bench(2, [], (queue) => {
      queue.failure = new Error('a defect')
    })
    await settle()
    expect([claimer.givenBack, logged]).toEqual([[], ['error runs could not be claimed']])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(claimer.claims.all).toHaveLength(2)
    await stop()
  })
})

describe('when another customer waits and no place is free', () => {
  const [a, b] = [{ customerId: 'a' }, { customerId: 'b' }]
  const queued = () => Array.from({ length: 3 }, () => run(a))

  test('the first run that ends a step yields, and the place goes to the one that waits', async () => {
    const [one, two, three] = queued() as [ClaimedRun, ClaimedRun, ClaimedRun]
    const { engine, claimer, gate, settle, stop, fateOf } = bench(3, [one, two, three])
    const calls = await Promise.all([one, two, three].map(({ id }) => gate.called(id)))
    const mine = run(b)
    claimer.queue.push(run(a), mine)
    await vi.advanceTimersByTimeAsync(100)
    engine.poke()
    await settle()
    for (const call of calls.slice(1)) call.succeed()
    await gate.called(mine.id)
    expect([one, two, three].map(fateOf)).toEqual([[], ['hand_over'], []])
    expect(claimer.claims.all.at(-1)).toMatchObject({ atMost: 1, held: [{ customerId: 'a', inLane: { short: 2 } }] })
    await gate.called(three.id, 2)
    await stop()
  })

  test('a run that only waits yields at once', async () => {
    const [one, two] = [run(a, [pause, step]), run(a, [pause, step])]
    const { engine, claimer, gate, settle, stop, changes } = bench(2, [one, two])
    await settle()
    await vi.advanceTimersByTimeAsync(500)
    const mine = run(b)
    claimer.queue.push(mine)
    engine.poke()
    await gate.called(mine.id)
    const parked = changes.all.filter(({ trigger }) => trigger === 'park')
    expect(parked).toMatchObject([{ runId: one.id, readyInMs: expect.closeTo(1_000, -2) }])
    await stop()
  })

  test('a run of the only customer never yields', async () => {
    const [one, two, three] = queued() as [ClaimedRun, ClaimedRun, ClaimedRun]
    const { claimer, gate, settle, stop, fateOf } = bench(2, [one, two, three])
    const call = await gate.called(one.id)
    await settle()
    expect(claimer.looks.all).toHaveLength(1)
    call.succeed()
    await gate.called(one.id, 2)
    expect(fateOf(one)).toEqual([])
    await stop()
  })

  test('two customers end up with half of the places each', async () => {
    const many = (part: Partial<ClaimedRun>) => Array.from({ length: 20 }, () => run(part, Array(50).fill(step)))
    const { engine, claimer, gate, settle, stop, changes } = bench(8, many(a))
    const placesOf = () => gate.calls.all.slice(-8).map(({ context }) => context.customerId)
    await settle()
    expect(new Set(placesOf())).toEqual(new Set(['a']))
    claimer.queue.push(...many(b))
    await vi.advanceTimersByTimeAsync(100)
    engine.poke()
    for (let round = 0; round < 10; round += 1) {
      await settle()
      for (const call of gate.calls.all.slice(-8)) call.succeed()
    }
    await settle()
    expect(placesOf().toSorted()).toEqual(['a', 'a', 'a', 'a', 'b', 'b', 'b', 'b'])
    const yields = changes.all.filter(({ trigger }) => trigger === 'hand_over')
    expect(yields.map(({ customerId }) => customerId)).toEqual(['a', 'a', 'a', 'a'])
    await stop()
  })
})

describe('a look at who waits', () => {
  const full = () => [run(), run()]

  test('is not taken while there are free places', async () => {
    const { engine, claimer, settle, stop } = bench(3, full())
    await settle()
    engine.poke()
    await settle()
    expect(claimer.looks.all).toEqual([])
    await stop()
  })

  test('is not taken when no customer could yield', async () => {
    const { engine, claimer, settle, stop } = bench(2, [run({ customerId: 'a' }), run({ customerId: 'b' })])
    await settle()
    engine.poke()
    await settle()
    expect(claimer.looks.all).toEqual([])
    await stop()
  })

  test('is taken for the full lanes, and not again until a wake-up if nobody waits', async () => {
    const { engine, claimer, gate, settle, stop } = bench(2, full())
    await settle()
    expect(claimer.looks.all.map((lanes) => lanes.map(({ runClass }) => runClass).toSorted())).toEqual([
      ['default', 'long', 'short'],
    ])
    await vi.advanceTimersByTimeAsync(200)
    const [call] = gate.calls.all
    call?.succeed()
    await settle()
    expect(claimer.looks.all).toHaveLength(1)
    engine.poke()
    await settle()
    expect(claimer.looks.all).toHaveLength(2)
    await stop()
  })

  test('is taken at most every 100 ms, and not forgotten', async () => {
    const { engine, claimer, settle, stop } = bench(2, full())
    await settle()
    for (let n = 0; n < 5; n += 1) {
      engine.poke()
      await settle()
    }
    expect(claimer.looks.all).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(100)
    expect(claimer.looks.all).toHaveLength(2)
    await stop()
  })

  test('that fails does not stop the engine', async () => {
    const [one, two] = full() as [ClaimedRun, ClaimedRun]
    const { engine, claimer, gate, logged, settle, stop } = bench(2, [one, two])
    claimer.findWaiting = async () => Promise.reject(new Error('a defect'))
    await settle()
    expect(logged).toEqual(['error waiting runs could not be counted'])
    const next = run()
    claimer.queue.push(next)
    engine.poke()
    for (const n of [1, 2]) (await gate.called(one.id, n)).succeed()
    await gate.called(next.id)
    await stop()
  })
})
