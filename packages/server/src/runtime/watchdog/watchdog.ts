// Ends the process when its event loop is blocked: a program in the side thread writes what the runs were doing to
// the log, and kills the process. A supervisor starts it again, and other workers continue its runs.
import { hostname } from 'node:os'
import type { SideThread } from '../threads/side-thread.ts'
import type { Heartbeat } from './heartbeat.ts'
import type { BoardLayout, WorkBoard } from './work-board.ts'

/** What the program in the thread gets. */
export interface WatchdogData {
  readonly heartbeat: SharedArrayBuffer
  readonly board: { readonly shared: SharedArrayBuffer; readonly layout: BoardLayout }
  readonly limitMs: number
  /** Of every line of the log. Undefined: nothing is logged. */
  readonly logged: { readonly pid: number; readonly hostname: string } | undefined
}

export interface WatchdogOptions {
  readonly seconds: number
  readonly heartbeat: Heartbeat
  readonly board: WorkBoard
  readonly logLevel: string
}

export function startWatchdog(thread: SideThread, { seconds, heartbeat, board, logLevel }: WatchdogOptions): void {
  const data: WatchdogData = {
    heartbeat: heartbeat.shared,
    board: { shared: board.shared, layout: board.layout },
    limitMs: seconds * 1000,
    logged: logLevel === 'silent' ? undefined : { pid: process.pid, hostname: hostname() },
  }
  thread.run(new URL('./watch.mjs', import.meta.url), data)
}
