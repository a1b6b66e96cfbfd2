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
  /** The arguments that a person has given it. */
  readonly edited?: unknown
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

type TurnKind = 'reply' | 'grade' | 'revise' | 'retry' | 'search' | 'summary'
type Kind = TurnKind | 'call' | 'try' | 'touch' | 'sleep' | 'result'
type GradeEntry = Extract<JournalEntry, { kind: 'grade' }>['body']
export type TurnEntry = Extract<JournalEntry, { kind: Kind }>

export type RubricOwner = 'run' | 'agent'

/** Names the grade of an answer. `turn` is the name of its last turn. */
export const gradeName = (turn: string, of: RubricOwner): string => `${turn}/${of}`

export class TurnLog {
  readonly #replies = new Map<string, ReplyEntry>()
  readonly #names = new Map<ReplyEntry, string>()
  readonly #grades = new Map<string, GradeEntry>()
  readonly #notes = new Map<string, string>()
  readonly #retries = new Map<string, KnownRetry>()
  /** For each step, how many turns were kept each time that others were discarded. */
  readonly #keptTurns = new Map<TaskKey, number[]>()
  /** What the models of steps that search for their tools were told about them. */
  readonly #searches = new Map<TaskKey, string>()
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
    if (kind === 'reply') this.#addReply(name, body)
    else if (kind === 'grade') this.#grades.set(name, body)
    else if (kind === 'revise') this.#notes.set(name, body.notes)
    else if (kind === 'retry') this.#addRetry(name, body)
    else if (kind === 'search') this.#searches.set(name, body.told)
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

  /** The name of the last turn of a step. Undefined if none is journaled. */
  lastTurnOf(task: TaskKey): string | undefined {
    const last = this.repliesOf(task).at(-1)
    return last && this.#names.get(last)
  }

  gradeOf(turn: string, of: RubricOwner): GradeEntry | undefined {
    return this.#grades.get(gradeName(turn, of))
  }

  /** What the worker is told about an answer that did not pass. Undefined: it is not to be revised. */
  notesOn(reply: ReplyEntry): string | undefined {
    const name = this.#names.get(reply)
    return name === undefined ? undefined : this.#notes.get(name)
  }

  /** How many answers of the step were revised. */
  revisionsOf(task: TaskKey): number {
    return this.repliesOf(task).filter((reply) => this.notesOn(reply) !== undefined).length
  }

  get replies(): Iterable<ReplyEntry> {
    return this.#replies.values()
  }

  /** The last failure of a model call that has not succeeded yet. */
  retryOf(callKey: string): KnownRetry | undefined {
    return this.#retries.get(callKey)
  }

  /** What the model of the step was told about the tools that it can search for. Undefined: it is offered all tools. */
  searchOf(task: TaskKey): string | undefined {
    return this.#searches.get(task)
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

  #addReply(name: string, reply: ReplyEntry): void {
    this.#replies.set(name, reply)
    this.#names.set(reply, name)
  }

  #addSummary(name: string, text: string): void {
    const [task, turns] = splitLast(name)
    if (turns > (this.#summaries.get(task)?.turns ?? 0)) this.#summaries.set(task, { turns, text })
  }

  #addCall(name: string, body: Extract<TurnEntry, { kind: 'call' }>['body']): void {
    const { effect, touches = [], endsByMs } = body
    this.#touch(touches)
    const [callId = name, number = '1'] = name.split('#')
    const times = Number(number)
    const known = this.startedCalls.get(callId)
    const edited = body.edited ?? known?.edited
    const latest = known && known.times > times ? known : { effect, times, endsByMs }
    this.startedCalls.set(callId, { ...latest, ...(edited !== undefined && { edited }) })
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
