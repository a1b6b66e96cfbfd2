// Carries out the faults of a schedule, one after another, until the time is up.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Crew } from './crew.ts'
import { type Fault, type FaultKind, faultAt, faultsAtOnce, type Scenario } from './schedule.ts'

/** What can go wrong with the database; each returns when it is over. */
export interface Trouble {
  readonly network: (fault: Fault) => Promise<void>
  readonly database: (fault: Fault) => Promise<void>
  readonly failover: (fault: Fault) => Promise<void>
  readonly disk: (fault: Fault) => Promise<void>
}

interface Play {
  readonly scenario: Scenario
  readonly seed: number
  readonly crew: Crew
  readonly trouble: Trouble
  /** Stops the faults. */
  readonly signal: AbortSignal
  readonly onFault: (fault: Fault) => void
}

/** Several at a time, so that a fault can hit while another one lasts. */
export async function playFaults(play: Play): Promise<void> {
  const busy = new Set<number>()
  const lanes = faultsAtOnce(play.scenario)
  await Promise.all(Array.from({ length: lanes }, (_, lane) => playLane(play, { lane, lanes }, busy)))
}

interface Lane {
  readonly lane: number
  readonly lanes: number
}

async function playLane(play: Play, { lane, lanes }: Lane, busy: Set<number>): Promise<void> {
  const { scenario, seed, crew, signal } = play
  for (let n = lane; !signal.aborted; n += lanes) {
    const fault = faultAt(scenario, seed, n, crew.size)
    if (!fault) return
    await sleep(fault.afterMs)
    // A lane leaves the processes of the other ones alone, and so does a server that is not there twice.
    const thing = isOfProcess(fault.kind) ? fault.target : -1
    if (signal.aborted || busy.has(thing)) continue
    busy.add(thing)
    play.onFault(fault)
    await carryOut(play, fault).finally(() => busy.delete(thing))
  }
}

const isOfProcess = (kind: FaultKind) => ['kill', 'pause', 'starve', 'clock'].includes(kind)

async function carryOut({ crew, trouble }: Play, fault: Fault): Promise<void> {
  const { kind, target, ms, way } = fault
  if (kind === 'kill') return crew.kill(target)
  if (kind === 'pause') {
    crew.pause(target)
    await sleep(ms)
    return crew.goOn(target)
  }
  if (kind === 'starve') {
    const feed = crew.starve(target, 0.02 + 0.18 * way)
    await sleep(ms)
    return feed()
  }
  if (kind === 'clock') {
    // Up to one hour ahead or back.
    crew.stepClock(target, Math.round((way - 0.5) * 7_200_000))
    await sleep(ms)
    return crew.stepClock(target, 0)
  }
  return trouble[kind](fault)
}
