// Controls one worker thread that does one job at a time. The thread may hang or die despite its own limits; then it is
// terminated. Every outcome is a value.
import { type ResourceLimits, Worker } from 'node:worker_threads'

export interface ThreadOptions {
  /** The program: plain JavaScript, because a thread cannot start from TypeScript sources. The build copies it. */
  readonly file: URL
  readonly workerData?: unknown
  readonly resourceLimits: ResourceLimits
  /** How long a job may take. To start the thread does not count. */
  readonly jobSeconds: number
}

/** The program posts this when it begins a job, and the outcome of the job after it. */
const startedMessage = 'started'

export type Ended = { readonly ended: 'timed_out' | 'crashed' | 'aborted' }

/** To load the program takes a fraction of a second. A thread that cannot start must not keep its job forever. */
const maxStartSeconds = 60

export class Thread<Job, Outcome> {
  readonly #worker: Worker
  readonly #jobSeconds: number
  #resolve: ((outcome: Outcome | Ended) => void) | undefined
  #cancelTimer: () => void = () => undefined
  #isAlive = true

  constructor({ file, jobSeconds, ...options }: ThreadOptions) {
    this.#jobSeconds = jobSeconds
    this.#worker = new Worker(file, { ...options, env: {}, execArgv: [] })
    this.#worker.on('message', (message) => {
      if (message === startedMessage) this.#limit(this.#jobSeconds)
      else this.#finish(message as Outcome)
    })
    this.#worker.on('error', () => this.#end('crashed'))
    this.#worker.on('exit', () => this.#end('crashed'))
    this.#worker.unref()
  }

  /** A thread that is not alive takes no more jobs. */
  get isAlive(): boolean {
    return this.#isAlive
  }

  /** One job at a time. An abort terminates the thread, because nothing else stops its program at once. */
  async execute(job: Job, signal?: AbortSignal): Promise<Outcome | Ended> {
    const stop = () => this.#end('aborted')
    signal?.addEventListener('abort', stop, { once: true })
    // Only a thread with a job keeps the process alive.
    this.#worker.ref()
    try {
      return await new Promise((resolve) => {
        this.#resolve = resolve
        this.#limit(maxStartSeconds)
        this.#worker.postMessage(job)
      })
    } finally {
      signal?.removeEventListener('abort', stop)
      this.#worker.unref()
    }
  }

  async terminate(): Promise<void> {
    this.#end('aborted')
    await this.#worker.terminate()
  }

  /** A message may arrive after its job was aborted. Then there is nothing to limit. */
  #limit(seconds: number): void {
    this.#cancelTimer()
    if (this.#resolve === undefined) return
    this.#cancelTimer = afterRunning(seconds, () => this.#end('timed_out'))
  }

  #end(how: Ended['ended']): void {
    this.#isAlive = false
    this.#finish({ ended: how })
    void this.#worker.terminate()
  }

  #finish(outcome: Outcome | Ended): void {
    this.#cancelTimer()
    this.#resolve?.(outcome)
    this.#resolve = undefined
  }
}

const ticks = 10

/**
 * Calls `act` when this process has run for so long. It counts ticks: while the process is stopped, or waits for a
 * processor, the thread waits too, and the pause counts as one tick.
 */
function afterRunning(seconds: number, act: () => void): () => void {
  let left = ticks
  const timer = setInterval(
    () => {
      left -= 1
      if (left > 0) return
      clearInterval(timer)
      act()
    },
    (seconds * 1000) / ticks,
  )
  return () => clearInterval(timer)
}
