// Why an execution was aborted. The reason decides what happens to the run.

export type AbortReason =
  /** The run was cancelled or ended, or another worker holds it. */
  | 'lost'
  /**
   * The lease could not be renewed in time, although the database answers. The run is given up before another worker
   * can claim it.
   */
  | 'lease_given_up'
  | 'deadline'
  | 'step_timeout'
  /** The process is shutting down. Another one continues the run. */
  | 'hand_over'
  /** A parallel step has failed the run. */
  | 'run_failed'

/** Thrown inside an execution after it was aborted. */
export class Aborted extends Error {
  override readonly name = 'Aborted'
}

export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new Aborted(String(signal.reason))
}
