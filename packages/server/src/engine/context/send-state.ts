// What an execution knows about the calls that it sends, by their ids.
import { type Moment, momentNow, msSince } from '../../runtime/moment.ts'

/** A time in which a call may be sent. */
interface DispatchWindow {
  readonly openedAt: Moment
  readonly ms: number
}

export class SendState {
  readonly #windows = new Map<string, DispatchWindow>()
  readonly #times = new Map<string, number>()

  /** From now on, the `once` call may be sent for so long. */
  openWindow(callId: string, ms: number): void {
    this.#windows.set(callId, { openedAt: momentNow(), ms })
  }

  isWindowOpen(callId: string): boolean {
    const window = this.#windows.get(callId)
    return window !== undefined && msSince(window.openedAt) < window.ms
  }

  countSending(callId: string): void {
    this.#times.set(callId, this.timesSent(callId) + 1)
  }

  /** How often this execution has sent the call. */
  timesSent(callId: string): number {
    return this.#times.get(callId) ?? 0
  }
}
