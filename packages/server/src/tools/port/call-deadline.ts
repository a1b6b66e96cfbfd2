// Ends a tool call when its caller aborts it or its time is up, whichever comes first. `passed` resolves before the
// tool's signal aborts, so that a tool that throws on abort is not reported as failed.
import { pause } from './pause.ts'

interface CallDeadline {
  /** The signal for the tool. */
  readonly signal: AbortSignal
  /** Never settles if the call ends first. */
  readonly passed: Promise<'aborted' | 'timeout'>
  /** Must be called when the call has ended. */
  release(): void
}

// `AbortSignal.any` would keep a reference from the run's signal to every call until the run ends.
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
