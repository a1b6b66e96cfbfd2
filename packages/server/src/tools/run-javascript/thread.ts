// Controls one worker thread that executes JavaScript. The thread may hang despite its limits, in a loop inside QuickJS
// that never checks the time; then the thread is terminated. Every outcome is a value.
import { Worker } from 'node:worker_threads'

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
  | { readonly ended: 'timed_out' | 'unsettled' | 'too_large' | 'too_deep' | 'crashed' | 'aborted' }

// Plain JavaScript, because a thread cannot start from TypeScript sources; the build copies it.
const workerFile = new URL('./worker.mjs', import.meta.url)
// Time for the thread to notice that its time is up and to report it. Starting a thread and its engine does not count.
const graceSeconds = 1

export class JavaScriptThread {
  readonly #worker: Worker
  readonly #limits: JavaScriptLimits
  #resolve: ((outcome: JavaScriptOutcome) => void) | undefined
  #timer: NodeJS.Timeout | undefined
  #isAlive = true

  constructor(limits: JavaScriptLimits) {
    this.#limits = limits
    this.#worker = new Worker(workerFile, {
      workerData: limits,
      env: {},
      execArgv: [],
      resourceLimits: { stackSizeMb: 32, maxOldGenerationSizeMb: 64 },
    })
    this.#worker.on('message', (message) => (message === 'started' ? this.#startTimer() : this.#finish(message)))
    this.#worker.on('error', () => this.#end('crashed'))
    this.#worker.on('exit', () => this.#end('crashed'))
    // The thread must not keep the process alive.
    this.#worker.unref()
  }

  /** A thread that is not alive takes no more jobs. */
  get isAlive(): boolean {
    return this.#isAlive
  }

  /** One job at a time. An abort terminates the thread, because nothing else stops the code at once. */
  async execute(job: JavaScriptJob, signal: AbortSignal): Promise<JavaScriptOutcome> {
    const stop = () => this.#end('aborted')
    signal.addEventListener('abort', stop, { once: true })
    try {
      return await new Promise((resolve) => {
        this.#resolve = resolve
        this.#worker.postMessage(job)
      })
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  #startTimer(): void {
    const ms = (this.#limits.executionSeconds + graceSeconds) * 1000
    this.#timer = setTimeout(() => this.#end('timed_out'), ms).unref()
  }

  #end(how: 'timed_out' | 'crashed' | 'aborted'): void {
    this.#isAlive = false
    this.#finish({ ended: how })
    void this.#worker.terminate()
  }

  #finish(outcome: JavaScriptOutcome): void {
    clearTimeout(this.#timer)
    this.#resolve?.(outcome)
    this.#resolve = undefined
  }
}
