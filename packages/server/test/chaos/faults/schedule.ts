// What goes wrong, in an order that the seed decides. When each fault begins depends on how long the one before it
// takes, because a process that was killed has to start again.
import { Random } from '../random.ts'

export const faultKinds = ['kill', 'pause', 'starve', 'clock', 'network', 'database', 'failover', 'disk'] as const
export type FaultKind = (typeof faultKinds)[number]

export interface Fault {
  readonly kind: FaultKind
  /** The process that it happens to. */
  readonly target: number
  /** How long it lasts; a kill takes as long as the start of a process. */
  readonly ms: number
  /** The pause before it. */
  readonly afterMs: number
  /** Of several ways how, from 0 to 1. */
  readonly way: number
}

/** The kinds of a scenario; `all` are those that need no server of their own. */
export const scenarios = {
  kill: ['kill'],
  pause: ['pause'],
  freeze: ['pause'],
  starve: ['starve'],
  clock: ['clock'],
  network: ['network'],
  database: ['database'],
  failover: ['failover'],
  disk: ['disk'],
  all: ['kill', 'kill', 'pause', 'pause', 'starve', 'clock', 'network'],
  none: [],
} as const satisfies Record<string, readonly FaultKind[]>
export type Scenario = keyof typeof scenarios

export const faultsOf = (scenario: Scenario): readonly FaultKind[] => scenarios[scenario]

/** How many faults may last at the same time. With four of five processes killed, one may be alone with all runs. */
export const faultsAtOnce = (scenario: Scenario): number => (['kill', 'pause', 'freeze'].includes(scenario) ? 4 : 2)

const lengths: Readonly<Record<FaultKind, readonly [number, number]>> = {
  kill: [0, 0],
  pause: [300, 4_000],
  starve: [2_000, 6_000],
  clock: [500, 3_000],
  network: [200, 4_000],
  database: [200, 3_000],
  failover: [0, 0],
  disk: [500, 3_000],
}

/** Longer than a lease, so that others have the runs of the process when it goes on. */
const longPause = [2_000, 5_000] as const

/** The n-th fault of a scenario. */
export function faultAt(scenario: Scenario, seed: number, n: number, processes: number): Fault | undefined {
  const kinds = faultsOf(scenario)
  // A standby can take over once.
  if (kinds.length === 0 || (scenario === 'failover' && n > 0)) return undefined
  const random = new Random(seed * 104_729 + n)
  const kind = random.pick(kinds)
  const [shortest, longest] = scenario === 'freeze' ? longPause : lengths[kind]
  return {
    kind,
    target: random.below(processes),
    ms: Math.round(random.between(shortest, longest)),
    afterMs: Math.round(random.between(0, 600)),
    way: random.next(),
  }
}
