// Is the history of a run linearizable? The search of Wing and Gong, with the run as the object: each operation must
// take effect at one moment between its start and its end, and its answer must be right at that moment. The log of the
// run is the order of all changes. So a moment is a place between two changes, and only their times are searched for.
import type { LogEntry, Operation } from './history.ts'
import { beforeAll, type Cause, isCausedBy, isTerminal, type RunView, type Step, stepsOf } from './run-machine.ts'

export interface Unexplained {
  readonly problem: string
  /** How many events were there at the furthest place that the search came to. */
  readonly reached: number
  /** Operations that have no place. */
  readonly operations: readonly Operation[]
}

/** Undefined: there is an order that explains every answer. */
export function findUnexplained(log: readonly LogEntry[], history: readonly Operation[]): Unexplained | undefined {
  const wrong = history.find((operation) => showsOther(log, operation))
  if (wrong) return { problem: 'a reader received what the log does not have', reached: 0, operations: [wrong] }
  try {
    return new Search(stepsOf(log), history).run()
  } catch (error) {
    return { problem: `the log: ${(error as Error).message}`, reached: 0, operations: [] }
  }
}

/** Events that came must be those of the log, without a gap. */
function showsOther(log: readonly LogEntry[], { ask, answer }: Operation): boolean {
  if (answer?.kind !== 'events' || (ask.kind !== 'events' && ask.kind !== 'stream')) return false
  return answer.events.some(({ seq, type }, index) => seq !== ask.cursor + index + 1 || log[seq - 1]?.type !== type)
}

interface Place {
  /** Changes of the log so far. */
  readonly at: number
  readonly done: ReadonlySet<number>
}

class Search {
  readonly #steps: readonly Step[]
  readonly #history: readonly Operation[]
  readonly #seen = new Set<string>()
  #furthest: Place = { at: 0, done: new Set() }

  constructor(steps: readonly Step[], history: readonly Operation[]) {
    this.#steps = steps
    this.#history = [...history].sort((a, b) => a.start - b.start)
  }

  run(): Unexplained | undefined {
    const open: Place[] = [{ at: 0, done: new Set() }]
    for (let place = open.pop(); place; place = open.pop()) {
      const settled = this.#settle(place)
      if (this.#isNew(settled)) {
        if (this.#isComplete(settled)) return undefined
        open.push(...this.#next(settled))
      }
    }
    const { at, done } = this.#furthest
    const operations = this.#history.filter(({ end }, n) => end !== undefined && !done.has(n))
    const cause = this.#steps[at]?.cause
    const isAsked = cause && this.#history.some((_, n) => !done.has(n) && this.#canCause(n, cause, done))
    const problem =
      cause && !isAsked ? `nobody asked for the change after this place (${cause.kind})` : 'answers have no place'
    return { problem, reached: this.#view(at).length, operations }
  }

  #view(at: number): RunView {
    return this.#steps[at - 1]?.after ?? beforeAll
  }

  /** An answer that is right here and changes nothing is put here: no later place could be better. */
  #settle(place: Place): Place {
    const done = new Set(place.done)
    const view = this.#view(place.at)
    for (let isChanged = true; isChanged; ) {
      isChanged = false
      for (const n of this.#ready(done)) {
        if (!this.#isRight(n, view, done)) continue
        done.add(n)
        isChanged = true
      }
    }
    const isFurther =
      place.at > this.#furthest.at || (place.at === this.#furthest.at && done.size > this.#furthest.done.size)
    if (isFurther) this.#furthest = { at: place.at, done }
    return { at: place.at, done }
  }

  /** Operations that no other one must precede. */
  #ready(done: ReadonlySet<number>): number[] {
    let firstEnd = Number.POSITIVE_INFINITY
    for (const [n, { end }] of this.#history.entries()) {
      if (!done.has(n) && end !== undefined && end < firstEnd) firstEnd = end
    }
    return this.#history.flatMap(({ start }, n) => (!done.has(n) && start <= firstEnd ? [n] : []))
  }

  /** Is this answer right in this state, as one that changes nothing? */
  #isRight(n: number, view: RunView, done: ReadonlySet<number>): boolean {
    const { ask, answer } = this.#history[n] as Operation
    if (answer === undefined) return false
    if (answer.kind === 'state') return answer.status === view.status && answer.awaitSeq === view.awaitSeq
    if (answer.kind === 'events') return showsAll(ask, answer.events.length, view)
    if (answer.kind === 'refused') return isRefused(ask, view)
    if (ask.kind === 'create') return answer.replayed === true && view.length > 0
    return ask.kind === 'signal' && this.#wasSent(ask.key, done)
  }

  #wasSent(key: string, done: ReadonlySet<number>): boolean {
    return [...done].some((n) => {
      const { ask, answer } = this.#history[n] as Operation
      return ask.kind === 'signal' && ask.key === key && answer?.kind !== 'refused'
    })
  }

  #next({ at, done }: Place): Place[] {
    const step = this.#steps[at]
    if (!step) return []
    const { cause } = step
    if (!cause) return [{ at: at + 1, done }]
    return this.#ready(done)
      .filter((n) => this.#canCause(n, cause, done))
      .map((n) => ({ at: at + 1, done: new Set([...done, n]) }))
  }

  #canCause(n: number, cause: Cause, done: ReadonlySet<number>): boolean {
    const { ask, answer } = this.#history[n] as Operation
    const took = answer === undefined || (answer.kind === 'ok' && answer.replayed !== true)
    if (!took || !isCausedBy(cause, ask)) return false
    // The second one with a key changes nothing.
    return ask.kind !== 'signal' || !this.#wasSent(ask.key, done)
  }

  #isNew({ at, done }: Place): boolean {
    const name = `${at}:${[...done].sort((a, b) => a - b).join()}`
    if (this.#seen.has(name)) return false
    this.#seen.add(name)
    return true
  }

  #isComplete({ at, done }: Place): boolean {
    return at === this.#steps.length && this.#history.every(({ end }, n) => end === undefined || done.has(n))
  }
}

/** A page that is not full shows the end of the log; a stream and a full page show at least so much. */
function showsAll(ask: Operation['ask'], count: number, { length }: RunView): boolean {
  if (ask.kind === 'stream') return length >= ask.cursor + count
  if (ask.kind !== 'events') return false
  return count < ask.limit ? length === ask.cursor + count : length >= ask.cursor + count
}

function isRefused(ask: Operation['ask'], view: RunView): boolean {
  if (ask.kind === 'signal') return view.awaitSeq !== ask.awaitSeq
  if (ask.kind === 'cancel') return isTerminal(view)
  if (ask.kind === 'retry') return view.status !== 'failed'
  return ask.kind === 'resume' && view.status !== 'stalled'
}
