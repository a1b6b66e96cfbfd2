// The threads that execute JavaScript, and what goes in and out of them. Code may hang despite its limits, in a loop
// inside QuickJS that never checks the time; then the pool terminates the thread.
import { ThreadPool } from '../../runtime/threads/thread-pool.ts'

export interface JavaScriptLimits {
  readonly executionSeconds: number
  readonly memoryMebibytes: number
  readonly resultBytes: number
  /** How many levels `{ result }` may nest. */
  readonly resultDepth: number
}

export interface JavaScriptJob {
  readonly code: string
  /** JSON text. */
  readonly input: string | undefined
}

export type JavaScriptOutcome =
  /** The JSON of `{ result }`. */
  | { readonly json: string }
  /** The thrown value as JSON, or null if it could not be read. */
  | { readonly thrown: string | null; readonly isOutOfMemory: boolean }
  | { readonly ended: 'timed_out' | 'unsettled' | 'too_large' | 'too_deep' | 'crashed' | 'aborted' | 'queue_full' }

// Time for the thread to notice that its time is up and to report it.
const graceSeconds = 1

export const javascriptThreads = (limits: JavaScriptLimits, maxThreads = 2) =>
  new ThreadPool<JavaScriptJob, JavaScriptOutcome>({
    thread: {
      file: new URL('./worker.mjs', import.meta.url),
      workerData: limits,
      resourceLimits: { stackSizeMb: 32, maxOldGenerationSizeMb: 64 },
      jobSeconds: limits.executionSeconds + graceSeconds,
    },
    maxThreads,
    // More than the runs of a process ask for: only a broken caller comes here.
    maxWaiting: { perCustomer: 2_000, total: 10_000 },
  })
