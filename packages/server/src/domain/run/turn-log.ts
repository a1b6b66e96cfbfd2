// The turns of a run's steps, rebuilt from its journal: replies of models, calls of tools, and calls that wait for their time.
import type { CallResultEntry, JournalEntry, ReplyEntry, RetryEntry, SleepEntry, TaskKey, Touch } from './journal.ts'

export interface StartedCall {
  readonly effect: 'read' | 'idempotent' | 'once'
  readonly times: number
}

export interface KnownRetry extends RetryEntry {
  /** How often the call has failed so far. */
  readonly tries: number
}

export interface Summary {
  /** How many turns it stands for. */
  readonly turns: number
  readonly text: string
}

type Kind = 'reply' | 'retry' | 'summary' | 'call' | 'sleep' | 'result'
export type TurnEntry = Extract<JournalEntry, { kind: Kind }>

export class TurnLog {
  readonly #replies = new Map<string, ReplyEntry>()
  readonly #retries = new Map<string, KnownRetry>()
  readonly #summaries = new Map<TaskKey, Summary>()
  /** Tool calls that have begun, how often, and what each does to the world. */
  readonly startedCalls = new Map<string, StartedCall>()
  readonly sleeps = new Map<string, SleepEntry>()
  readonly results = new Map<string, CallResultEntry>()
  /** What the calls that have begun brought into the run. */
  readonly touched = new Set<Touch>()

  add(entry: TurnEntry): void {
    const { kind, name, body } = entry
    if (kind === 'reply') this.#replies.set(name, body)
    else if (kind === 'retry') this.#addRetry(name, body)
    else if (kind === 'summary') this.#addSummary(name, body.text)
    else if (kind === 'call') this.#addCall(name, body)
    else if (kind === 'sleep') this.sleeps.set(name, body)
    else this.results.set(name, body)
  }

  /** The replies of a step so far, in the order of its turns. */
  repliesOf(task: TaskKey): ReplyEntry[] {
    const replies: ReplyEntry[] = []
    for (let turn = 0; ; turn += 1) {
      const reply = this.#replies.get(`${task}:${turn}`)
      if (!reply) return replies
      replies.push(reply)
    }
  }

  get replies(): Iterable<ReplyEntry> {
    return this.#replies.values()
  }

  /** The last failure of a call to a model that has not succeeded yet. */
  retryOf(callKey: string): KnownRetry | undefined {
    return this.#retries.get(callKey)
  }

  /** The longest summary of a step's turns. */
  summaryOf(task: TaskKey): Summary | undefined {
    return this.#summaries.get(task)
  }

  #addRetry(name: string, body: RetryEntry): void {
    const [callKey, tries] = splitLast(name)
    if (tries > (this.#retries.get(callKey)?.tries ?? 0)) this.#retries.set(callKey, { ...body, tries })
  }

  #addSummary(name: string, text: string): void {
    const [task, turns] = splitLast(name)
    if (turns > (this.#summaries.get(task)?.turns ?? 0)) this.#summaries.set(task, { turns, text })
  }

  #addCall(name: string, { effect, touches = [] }: Extract<TurnEntry, { kind: 'call' }>['body']): void {
    for (const touch of touches) this.touched.add(touch)
    const [callId = name, times = '1'] = name.split('#')
    const known = this.startedCalls.get(callId)
    this.startedCalls.set(callId, { effect, times: Math.max(Number(times), known?.times ?? 1) })
  }
}

/** `<name>:<number>`; the name itself may hold colons. */
function splitLast(name: string): [string, number] {
  const separator = name.lastIndexOf(':')
  return [name.slice(0, separator), Number(name.slice(separator + 1))]
}
