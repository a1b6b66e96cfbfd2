// A pool of threads, started on demand. Jobs wait in one queue per customer, and the customers take turns: a customer
// with many long jobs delays each of the others by one job only.
import { type Ended, Thread, type ThreadOptions } from './thread.ts'

export interface PoolOptions {
  readonly thread: ThreadOptions
  readonly maxThreads: number
  /** How many threads one customer may use at once. Default: all. */
  readonly maxThreadsPerCustomer?: number
  /** How many jobs may wait. More are refused. */
  readonly maxWaiting: { readonly perCustomer: number; readonly total: number }
}

interface Caller {
  readonly customerId: string
  readonly signal?: AbortSignal | undefined
}

export type Refused = { readonly ended: 'queue_full' }

interface QueuedJob<Job, Outcome> extends Caller {
  readonly job: Job
  readonly resolve: (outcome: Outcome | Ended | Promise<Outcome | Ended>) => void
}

export class ThreadPool<Job, Outcome> {
  readonly #options: PoolOptions
  /** By customer; the first one's turn is next. */
  readonly #queues = new Map<string, QueuedJob<Job, Outcome>[]>()
  /** The threads in use, by customer. */
  readonly #inUse = new Map<string, number>()
  readonly #threads = new Set<Thread<Job, Outcome>>()
  #idle: Thread<Job, Outcome>[] = []
  #waiting = 0
  #busy = 0
  #startedThreads = 0

  constructor(options: PoolOptions) {
    this.#options = options
  }

  /** How many threads it has started. A thread that hangs or dies is replaced. */
  get startedThreads(): number {
    return this.#startedThreads
  }

  execute(job: Job, caller: Caller): Promise<Outcome | Ended | Refused> {
    const queue = this.#queues.get(caller.customerId) ?? []
    if (this.#isFull(queue.length)) return Promise.resolve({ ended: 'queue_full' })
    return new Promise((resolve) => {
      queue.push({ job, ...caller, resolve })
      this.#queues.set(caller.customerId, queue)
      this.#waiting += 1
      this.#startJobs()
    })
  }

  /** Ends all jobs. Later ones start threads again. */
  async stop(): Promise<void> {
    const waiting = [...this.#queues.values()].flat()
    this.#queues.clear()
    this.#waiting = 0
    for (const { resolve } of waiting) resolve({ ended: 'aborted' })
    await Promise.all([...this.#threads].map((thread) => thread.terminate()))
  }

  #isFull(waitingOfCustomer: number): boolean {
    const { maxWaiting } = this.#options
    return waitingOfCustomer >= maxWaiting.perCustomer || this.#waiting >= maxWaiting.total
  }

  #startJobs(): void {
    while (this.#busy < this.#options.maxThreads) {
      const next = this.#takeNext()
      if (next === undefined) return
      this.#use(next.customerId, 1)
      next.resolve(this.#run(next))
    }
  }

  /** Takes the first job of the customer whose turn it is, and moves that customer to the end. */
  #takeNext(): QueuedJob<Job, Outcome> | undefined {
    const { maxThreads, maxThreadsPerCustomer = maxThreads } = this.#options
    for (const [customerId, queue] of this.#queues) {
      if ((this.#inUse.get(customerId) ?? 0) >= maxThreadsPerCustomer) continue
      const next = queue.shift()
      this.#queues.delete(customerId)
      if (queue.length > 0) this.#queues.set(customerId, queue)
      this.#waiting -= 1
      return next
    }
    return undefined
  }

  async #run({ job, signal, customerId }: QueuedJob<Job, Outcome>): Promise<Outcome | Ended> {
    try {
      if (signal?.aborted) return { ended: 'aborted' }
      const thread = this.#findIdle() ?? this.#newThread()
      const outcome = await thread.execute(job, signal)
      if (thread.isAlive) this.#idle.push(thread)
      else this.#threads.delete(thread)
      return outcome
    } finally {
      this.#use(customerId, -1)
      this.#startJobs()
    }
  }

  #use(customerId: string, threads: 1 | -1): void {
    this.#busy += threads
    const inUse = (this.#inUse.get(customerId) ?? 0) + threads
    if (inUse > 0) this.#inUse.set(customerId, inUse)
    else this.#inUse.delete(customerId)
  }

  #newThread(): Thread<Job, Outcome> {
    const thread = new Thread<Job, Outcome>(this.#options.thread)
    this.#threads.add(thread)
    this.#startedThreads += 1
    return thread
  }

  #findIdle(): Thread<Job, Outcome> | undefined {
    for (const thread of this.#idle) if (!thread.isAlive) this.#threads.delete(thread)
    this.#idle = this.#idle.filter(({ isAlive }) => isAlive)
    return this.#idle.pop()
  }
}
