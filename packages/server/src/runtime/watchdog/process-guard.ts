// What watches over a process from beside its event loop: the side thread, the beat of the event loop, and what its
// runs are doing.
import { SideThread } from '../threads/side-thread.ts'
import { Heartbeat } from './heartbeat.ts'
import { startWatchdog } from './watchdog.ts'
import { WorkBoard } from './work-board.ts'

interface ProcessGuardOptions {
  /** How many runs the process executes at the same time. */
  readonly places: number
  /** The side thread ended by itself. */
  readonly onFailure: (error: unknown) => void
}

interface Watching {
  /** 0: nothing is watched. */
  readonly seconds: number
  readonly logLevel: string
}

export class ProcessGuard {
  readonly thread: SideThread
  readonly heartbeat = new Heartbeat()
  readonly board: WorkBoard

  constructor({ places, onFailure }: ProcessGuardOptions) {
    this.thread = new SideThread({ onFailure })
    this.board = new WorkBoard(places)
    this.heartbeat.start()
  }

  /** Ends the process when its event loop is blocked for so long. */
  watch({ seconds, logLevel }: Watching): void {
    if (seconds > 0) startWatchdog(this.thread, { seconds, logLevel, heartbeat: this.heartbeat, board: this.board })
  }

  async stop(): Promise<void> {
    this.heartbeat.stop()
    await this.thread.stop()
  }
}
