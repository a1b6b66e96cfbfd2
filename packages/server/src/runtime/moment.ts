// A moment on both clocks of the machine. The monotonic clock stands still while the machine is suspended, and the wall
// clock can be set. Whichever has moved further tells how much time may have passed.

export interface Moment {
  readonly monotonicMs: number
  readonly wallMs: number
}

export const momentNow = (): Moment => ({ monotonicMs: performance.now(), wallMs: Date.now() })

/** By how much the wall clock has moved further than the monotonic one: it was set, or the machine was suspended. */
export const msSet = ({ monotonicMs, wallMs }: Moment): number =>
  Date.now() - wallMs - (performance.now() - monotonicMs)

/**
 * How much time may have passed since then. Synchronous, and cheap enough to be asked before every byte that leaves.
 * A machine whose clocks were both stopped, as by a hypervisor, cannot tell.
 */
export const msSince = ({ monotonicMs, wallMs }: Moment): number =>
  Math.max(performance.now() - monotonicMs, Date.now() - wallMs)
