// A pool of threads for all JavaScript of a process, started on demand. Jobs wait in one queue per customer, and the
// customers take turns: a customer with many endless loops delays each of the others by one job only.
import { type JavaScriptJob, type JavaScriptLimits, type JavaScriptOutcome, JavaScriptThread } from './thread.ts'

interface Caller {
  readonly customerId: string
  readonly signal: AbortSignal
}

interface QueuedJob {
  readonly job: JavaScriptJob
  readonly signal: AbortSignal
  readonly resolve: (outcome: JavaScriptOutcome | Promise<JavaScriptOutcome>) => void
}

export class JavaScriptThreads {
  readonly #limits: JavaScriptLimits
  readonly #maxThreads: number
  /** By customer; the first one's turn is next. */
  readonly #queues = new Map<string, QueuedJob[]>()
  #idle: JavaScriptThread[] = []
  #busy = 0

  constructor(limits: JavaScriptLimits, maxThreads = 2) {
    this.#limits = limits
    this.#maxThreads = maxThreads
  }

  execute(job: JavaScriptJob, { customerId, signal }: Caller): Promise<JavaScriptOutcome> {
    return new Promise((resolve) => {
      this.#queues.set(customerId, [...(this.#queues.get(customerId) ?? []), { job, signal, resolve }])
      this.#startJobs()
    })
  }

  #startJobs(): void {
    while (this.#busy < this.#maxThreads) {
      const next = this.#takeNext()
      if (next === undefined) return
      this.#busy += 1
      next.resolve(this.#run(next))
    }
  }

  /** Takes the first job of the customer whose turn it is, and moves that customer to the end. */
  #takeNext(): QueuedJob | undefined {
    for (const [customerId, [next, ...others]] of this.#queues) {
      this.#queues.delete(customerId)
      if (others.length > 0) this.#queues.set(customerId, others)
      return next
    }
    return undefined
  }

  async #run({ job, signal }: QueuedJob): Promise<JavaScriptOutcome> {
    try {
      if (signal.aborted) return { ended: 'aborted' }
      const thread = this.#findIdle() ?? new JavaScriptThread(this.#limits)
      const outcome = await thread.execute(job, signal)
      if (thread.isAlive) this.#idle.push(thread)
      return outcome
    } finally {
      this.#busy -= 1
      this.#startJobs()
    }
  }

  #findIdle(): JavaScriptThread | undefined {
    this.#idle = this.#idle.filter(({ isAlive }) => isAlive)
    return this.#idle.pop()
  }
}
