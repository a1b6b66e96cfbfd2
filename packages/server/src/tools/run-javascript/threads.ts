// A few threads for all JavaScript of a process, started when first needed. What has to wait is served customer by
// customer: one who sends endless loops delays the others by a turn, not by all of them.
import { type JavaScriptAnswer, type JavaScriptJob, type JavaScriptLimits, JavaScriptThread } from './thread.ts'

interface Caller {
  readonly customerId: string
  readonly signal: AbortSignal
}

interface Waiting {
  readonly job: JavaScriptJob
  readonly signal: AbortSignal
  readonly answer: (answer: JavaScriptAnswer | Promise<JavaScriptAnswer>) => void
}

export class JavaScriptThreads {
  readonly #limits: JavaScriptLimits
  readonly #maxThreads: number
  readonly #waiting = new Map<string, Waiting[]>()
  #idle: JavaScriptThread[] = []
  #busy = 0

  constructor(limits: JavaScriptLimits, maxThreads = 2) {
    this.#limits = limits
    this.#maxThreads = maxThreads
  }

  execute(job: JavaScriptJob, { customerId, signal }: Caller): Promise<JavaScriptAnswer> {
    return new Promise((answer) => {
      this.#waiting.set(customerId, [...(this.#waiting.get(customerId) ?? []), { job, signal, answer }])
      this.#serve()
    })
  }

  #serve(): void {
    while (this.#busy < this.#maxThreads) {
      const next = this.#takeNext()
      if (next === undefined) return
      this.#busy += 1
      next.answer(this.#run(next))
    }
  }

  /** The first of the customer whose turn it is; that customer's others go to the end of the line. */
  #takeNext(): Waiting | undefined {
    for (const [customerId, [next, ...others]] of this.#waiting) {
      this.#waiting.delete(customerId)
      if (others.length > 0) this.#waiting.set(customerId, others)
      return next
    }
    return undefined
  }

  async #run({ job, signal }: Waiting): Promise<JavaScriptAnswer> {
    try {
      if (signal.aborted) return { ended: 'stopped' }
      const thread = this.#findIdle() ?? new JavaScriptThread(this.#limits)
      const answer = await thread.execute(job, signal)
      if (thread.isAlive) this.#idle.push(thread)
      return answer
    } finally {
      this.#busy -= 1
      this.#serve()
    }
  }

  #findIdle(): JavaScriptThread | undefined {
    this.#idle = this.#idle.filter(({ isAlive }) => isAlive)
    return this.#idle.pop()
  }
}
