// For tests of the engine without a database: a queue that the test fills, steps that it ends, and what goes to the
// log.
import { vi } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import { LeaseKeeper } from '../../src/engine/lease-keeper.ts'
import type { Database } from '../../src/store/postgres/database.ts'
import { OutageRetryBudget } from '../../src/store/postgres/outage-retry-budget.ts'
import type { RunChange } from '../../src/store/run-log/run-change.ts'
import type {
  Claim,
  ClaimedRun,
  Holding,
  Lane,
  RunClaimer,
  WaitingCustomer,
} from '../../src/store/run-log/run-claimer.ts'
import type { RunLog } from '../../src/store/run-log/run-log.ts'
import { wait } from '../../src/tools/built-in/wait.ts'
import type { Tool } from '../../src/tools/port/tool.ts'
import { applied, fakeExecution } from './fake-execution.ts'
import { gateTool } from './gate-tool.ts'
import { Occurrences } from './occurrences.ts'

export const gateStep = { tool: 'gate', input: {} }
export const waitStep = { tool: 'wait', input: { seconds: 1.5 } }
let runs = 0

/** A claimed run of two steps, unless the test says otherwise. */
export function queuedRun(part: Partial<ClaimedRun> = {}, steps: readonly object[] = [gateStep, gateStep]): ClaimedRun {
  runs += 1
  const id = `01890000-0000-7000-8000-${String(runs).padStart(12, '0')}`
  const plan = { version: 'v2', steps } as unknown as ClaimedRun['plan']
  return fakeExecution({ run: { id, plan, runClass: 'short', ...part } }).ledger.run
}

/** A queue that the test fills. A free place goes to the customer that holds the fewest. */
export class FakeClaimer {
  readonly claims = new Occurrences<{ atMost: number; held: readonly Holding[] }>()
  readonly looks = new Occurrences<readonly Lane[]>()
  readonly givenBack: (readonly string[])[] = []
  readonly queue: ClaimedRun[] = []
  readonly suspects: ClaimedRun[] = []
  /** For each look for a suspect: how long one that must be alone is left to idle workers. */
  readonly suspectLooks: number[] = []
  failure: Error | undefined
  giveBackFailure: Error | undefined

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

  claimSuspect = async (aloneAfterMs: number): Promise<ClaimedRun | undefined> => {
    this.suspectLooks.push(aloneAfterMs)
    return this.suspects.shift()
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
    if (this.giveBackFailure) throw this.giveBackFailure
    return 0
  }
}

/** A started engine. `prepare` changes the queue before the first claim. Timers must be fake. */
export function engineBench(
  concurrency: number,
  queue: readonly ClaimedRun[] = [],
  prepare?: (claimer: FakeClaimer) => void,
) {
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
  const retryBudget = new OutageRetryBudget()
  /** What the worker has told the other processes. */
  const told: string[] = []
  const engine = new Engine({
    ...context.parts,
    database: {} as Database,
    runLog: { apply } as unknown as RunLog,
    claimer: claimer as unknown as RunClaimer,
    leases: new LeaseKeeper(claimer as unknown as RunClaimer, 30_000),
    concurrency,
    suspects: { suspectFrom: 2, aloneFrom: 3 },
    retryBudget,
    graceMs: 5_000,
    onRoom: (hasRoom) => void told.push(hasRoom ? 'room' : 'full'),
    onUnserved: () => void told.push('unserved'),
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
  return { engine, claimer, gate, retryBudget, changes, told, logged, settle, stop, fateOf }
}
