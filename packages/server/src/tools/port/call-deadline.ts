// When a tool call must end: its caller aborts it or its time is over, whichever comes first. Known before the tool learns
// of it, so that a tool that gives up at once is not taken for one that failed.
import { pause } from './pause.ts'

export interface CallDeadline {
  /** What the tool gets to see. */
  readonly signal: AbortSignal
  /** Stays open when the call ends before either. */
  readonly passed: Promise<'aborted' | 'timeout'>
  /** Ends the watch; to be called once the call is over. */
  release(): void
}

// `AbortSignal.any` would tie every call to a signal that lives as long as the run; this lets go of it.
export function watchDeadline(caller: AbortSignal, seconds: number): CallDeadline {
  const call = new AbortController()
  const watch = new AbortController()
  const passed = new Promise<'aborted' | 'timeout'>((resolve) => {
    const end = (why: 'aborted' | 'timeout') => {
      resolve(why)
      call.abort()
    }
    caller.addEventListener('abort', () => end('aborted'), { once: true, signal: watch.signal })
    pause(seconds, watch.signal).then((over) => over && end('timeout'))
  })
  return { signal: call.signal, passed, release: () => watch.abort() }
}
