// The turns of a run's steps, rebuilt from its journal: model replies, tool calls and sleeping calls.
import type { ToolEffect } from '@runwright/contract'
import type {
  CallResultEntry,
  JournalEntry,
  ReplyEntry,
  RetryEntry,
  SleepEntry,
  TaskKey,
  Touch,
  TryEntry,
} from './journal.ts'

export interface StartedCall {
  readonly effect: ToolEffect
  readonly times: number
  /** As in the journal entry of the last time. */
  readonly endsByMs?: number | undefined
}

interface KnownRetry extends RetryEntry {
  /** How many times the call has failed in this attempt of the run. */
  readonly tries: number
  readonly attempt: number
}

/** An upper bound for the tries of a call in one attempt. */
const maxTries = 1_000

export const retryName = (callKey: string, { attempt, tries }: Pick<KnownRetry, 'attempt' | 'tries'>): string =>
  `${callKey}:${attempt * maxTries + tries}`

/** `round` is how many times turns of the step were discarded before. */
export const turnName = (task: TaskKey, turn: number, round: number): string =>
  round === 0 ? `${task}:${turn}` : `${task}:${turn}@${round}`

/** The first try counts as 1. */
export const tryName = (callId: string, times: number): string => `${callId}#${times}`

export interface Summary {
  /** How many turns it covers. */
  readonly turns: number
  readonly text: string
}

type Kind = 'reply' | 'retry' | 'summary' | 'call' | 'try' | 'touch' | 'sleep' | 'result'
export type TurnEntry = Extract<JournalEntry, { kind: Kind }>

export class TurnLog {
  readonly #replies = new Map<string, ReplyEntry>()
  readonly #retries = new Map<string, KnownRetry>()
  /** For each step, how many turns were kept each time that others were discarded. */
  readonly #keptTurns = new Map<TaskKey, number[]>()
  readonly #summaries = new Map<TaskKey, Summary>()
  /** Tool calls that have started, how many times, and their effect. */
  readonly startedCalls = new Map<string, StartedCall>()
  readonly #tries = new Map<string, TryEntry>()
  readonly sleeps = new Map<string, SleepEntry>()
  readonly results = new Map<string, CallResultEntry>()
  /** What the started calls, and notes from memory, brought into the run. */
  readonly touched = new Set<Touch>()

  add(entry: TurnEntry): void {
    const { kind, name, body } = entry
    if (kind === 'reply') this.#replies.set(name, body)
    else if (kind === 'retry') this.#addRetry(name, body)
    else if (kind === 'summary') this.#addSummary(name, body.text)
    else if (kind === 'call') this.#addCall(name, body)
    else if (kind === 'try') this.#tries.set(name, body)
    else if (kind === 'touch') this.#touch(body.touches)
    else if (kind === 'sleep') this.sleeps.set(name, body)
    else this.#addResult(name, body)
  }

  /** The replies of a step so far, in the order of its turns. */
  repliesOf(task: TaskKey): ReplyEntry[] {
    const replies: ReplyEntry[] = []
    for (let round = 0; round <= this.roundOf(task); round += 1) {
      replies.push(...this.#repliesOfRound(task, replies.length, round))
      const kept = this.#keptTurns.get(task)?.[round]
      if (kept !== undefined) replies.splice(kept)
    }
    return replies
  }

  /** How many times turns of the step were discarded. */
  roundOf(task: TaskKey): number {
    return this.#keptTurns.get(task)?.length ?? 0
  }

  /** The model's last answers caused the step to fail. From now on only the first `keptTurns` turns count. */
  discardTurns(task: TaskKey, keptTurns: number): void {
    this.#keptTurns.set(task, [...(this.#keptTurns.get(task) ?? []), keptTurns])
  }

  #repliesOfRound(task: TaskKey, firstTurn: number, round: number): ReplyEntry[] {
    const replies: ReplyEntry[] = []
    for (let turn = firstTurn; ; turn += 1) {
      const reply = this.#replies.get(turnName(task, turn, round))
      if (!reply) return replies
      replies.push(reply)
    }
  }

  get replies(): Iterable<ReplyEntry> {
    return this.#replies.values()
  }

  /** The last failure of a model call that has not succeeded yet. */
  retryOf(callKey: string): KnownRetry | undefined {
    return this.#retries.get(callKey)
  }

  /** The summary that covers the most turns of the step. */
  summaryOf(task: TaskKey): Summary | undefined {
    return this.#summaries.get(task)
  }

  /** How the last try of a call ended without a result. Undefined: it is not known. */
  lastTryOf(callId: string): TryEntry | undefined {
    return this.#tries.get(tryName(callId, this.startedCalls.get(callId)?.times ?? 1))
  }

  #addRetry(name: string, body: RetryEntry): void {
    const [callKey, number] = splitLast(name)
    const retry = { ...body, attempt: Math.floor(number / maxTries), tries: number % maxTries }
    const known = this.#retries.get(callKey)
    const isLater =
      !known || retry.attempt > known.attempt || (retry.attempt === known.attempt && retry.tries > known.tries)
    if (isLater) this.#retries.set(callKey, retry)
  }

  #addSummary(name: string, text: string): void {
    const [task, turns] = splitLast(name)
    if (turns > (this.#summaries.get(task)?.turns ?? 0)) this.#summaries.set(task, { turns, text })
  }

  #addCall(name: string, { effect, touches = [], endsByMs }: Extract<TurnEntry, { kind: 'call' }>['body']): void {
    this.#touch(touches)
    const [callId = name, number = '1'] = name.split('#')
    const times = Number(number)
    if (times > (this.startedCalls.get(callId)?.times ?? 0)) this.startedCalls.set(callId, { effect, times, endsByMs })
  }

  #addResult(name: string, body: CallResultEntry): void {
    this.#touch(body.touches ?? [])
    this.results.set(name, body)
  }

  #touch(touches: readonly Touch[]): void {
    for (const touch of touches) this.touched.add(touch)
  }
}

/** Splits `<name>:<number>`. The name may contain colons. */
function splitLast(name: string): [string, number] {
  const separator = name.lastIndexOf(':')
  return [name.slice(0, separator), Number(name.slice(separator + 1))]
}
