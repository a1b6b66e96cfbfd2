// Why an execution was told to stop; it decides what becomes of the run.

export type AbortReason =
  /** The run was cancelled or ended, or is another worker's now. */
  | 'lost'
  /** The lease could not be renewed in time: given up before someone else takes it. */
  | 'lease_given_up'
  | 'deadline'
  | 'step_timeout'
  /** The process is shutting down: another one goes on. */
  | 'hand_over'
  /** A step side by side with this one has failed the run. */
  | 'run_failed'

/** Thrown inside an execution once it has been told to stop. */
export class Aborted extends Error {
  override readonly name = 'Aborted'
}

export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new Aborted(String(signal.reason))
}
