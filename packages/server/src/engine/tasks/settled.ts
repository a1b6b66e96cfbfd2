// What the execution of a run does after a task has ended or a wait has begun.
import type { Parked } from '../context/wait-until.ts'

export type Settled =
  | { readonly kind: 'go_on' }
  /** The run has ended, waits for a person, or is given back. */
  | { readonly kind: 'run_over' }
  /** Nothing was written: first, the other tasks that are executing have to end. */
  | { readonly kind: 'held' }
  /** Nothing was written: the task continues at this time of the run. */
  | Parked

export const goOn = { kind: 'go_on' } as const satisfies Settled
export const runOver = { kind: 'run_over' } as const satisfies Settled
export const held = { kind: 'held' } as const satisfies Settled
