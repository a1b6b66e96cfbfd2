// One thread that executes JavaScript, seen from outside. It may hang in spite of its own limits, in a loop inside QuickJS
// that never looks at the clock; then the thread is ended. Whatever happens is an answer.
import { Worker } from 'node:worker_threads'

export interface JavaScriptLimits {
  readonly executionSeconds: number
  readonly memoryMebibytes: number
  readonly resultBytes: number
  /** Levels of `{ result }`. */
  readonly resultDepth: number
}

export interface JavaScriptJob {
  readonly code: string
  /** As JSON. */
  readonly input: string | undefined
}

export type JavaScriptAnswer =
  /** Of `{ result }`. */
  | { readonly json: string }
  /** What was thrown as JSON, or null if it cannot be told; and whether memory had run out. */
  | { readonly thrown: string | null; readonly isFull: boolean }
  | { readonly ended: 'late' | 'waiting' | 'too_large' | 'too_deep' | 'broken' | 'stopped' }

// Plain JavaScript, so that it runs from the sources as well; the build takes it along.
const workerFile = new URL('./worker.mjs', import.meta.url)
// For an interruption to be noticed and told; the start of a thread is not counted.
const graceSeconds = 1

export class JavaScriptThread {
  readonly #worker: Worker
  readonly #limits: JavaScriptLimits
  #answer: ((answer: JavaScriptAnswer) => void) | undefined
  #overdue: NodeJS.Timeout | undefined
  #isAlive = true

  constructor(limits: JavaScriptLimits) {
    this.#limits = limits
    this.#worker = new Worker(workerFile, {
      workerData: limits,
      env: {},
      execArgv: [],
      resourceLimits: { stackSizeMb: 32, maxOldGenerationSizeMb: 64 },
    })
    this.#worker.on('message', (message) => (message === 'started' ? this.#watch() : this.#finish(message)))
    this.#worker.on('error', () => this.#end('broken'))
    this.#worker.on('exit', () => this.#end('broken'))
    // Never what keeps a process from ending.
    this.#worker.unref()
  }

  /** Once it has ended, for whatever reason, it takes no more. */
  get isAlive(): boolean {
    return this.#isAlive
  }

  /** One at a time. An abort ends the thread, since nothing else would stop the code at once. */
  async execute(job: JavaScriptJob, signal: AbortSignal): Promise<JavaScriptAnswer> {
    const stop = () => this.#end('stopped')
    signal.addEventListener('abort', stop, { once: true })
    try {
      return await new Promise((resolve) => {
        this.#answer = resolve
        this.#worker.postMessage(job)
      })
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  #watch(): void {
    const ms = (this.#limits.executionSeconds + graceSeconds) * 1000
    this.#overdue = setTimeout(() => this.#end('late'), ms).unref()
  }

  #end(how: 'late' | 'broken' | 'stopped'): void {
    this.#isAlive = false
    this.#finish({ ended: how })
    void this.#worker.terminate()
  }

  #finish(answer: JavaScriptAnswer): void {
    clearTimeout(this.#overdue)
    this.#answer?.(answer)
    this.#answer = undefined
  }
}
