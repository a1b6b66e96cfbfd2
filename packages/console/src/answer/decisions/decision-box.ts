// The decisions of people between the press of a button and the service. Each waits five seconds, in which it can be
// undone, and is then sent once: with the `seq` of its wait, so that it cannot apply to a later one, and with one
// idempotency key, so that sending it again after a lost reply is safe. It belongs to no page: who presses Approve can
// go on to the next question at once. A decision that could not be sent is kept until the person sends it again or
// drops it; nothing is sent by itself that was decided long ago.
import type { AwaitingInput, Signal } from '@runwright/contract'
import { randomKey } from '../../parts/random-key.ts'
import type { NoteKeeper } from './unsent-notes.ts'

export type Answer = Pick<Signal, 'action' | 'payload' | 'call' | 'calls'>

/** The wait that a decision is about. */
export interface DecidedWait {
  readonly runId: string
  readonly awaitSeq: number
  /** The name of the run, for the places that do not show it. */
  readonly name: string
}

export type DecisionState =
  | { readonly kind: 'counting'; readonly until: number }
  /** Not sent: the browser was offline, or asleep when the time was up. */
  | { readonly kind: 'held'; readonly why: 'offline' | 'asleep' }
  | { readonly kind: 'sending' }
  | { readonly kind: 'sent' }
  /** The service has it, and others have to decide, too: another answer replaces it. */
  | { readonly kind: 'counted'; readonly wait: AwaitingInput }
  | { readonly kind: 'failed'; readonly error: unknown }
  /** Somebody else answered, or the wait has ended. */
  | { readonly kind: 'late' }

export interface Decision extends DecidedWait {
  readonly key: string
  readonly answer: Answer
  readonly idempotencyKey: string
  readonly state: DecisionState
}

export const undoMs = 5_000
/** A timer this late belongs to a computer that slept: what was decided before may no longer be wanted. */
const latestMs = 10_000

export const keyOfWait = ({ runId, awaitSeq }: Pick<DecidedWait, 'runId' | 'awaitSeq'>): string =>
  `${runId}:${awaitSeq}`

export interface DecisionSurroundings {
  /** Gives back the wait if the run still waits for the same answer. */
  readonly send: (decision: Decision) => Promise<AwaitingInput | undefined>
  readonly isConflict: (error: unknown) => boolean
  readonly isOnline: () => boolean
  readonly notes: NoteKeeper
  readonly onSent: (decision: Decision, wait: AwaitingInput | undefined) => void
  readonly onFailed: (decision: Decision, error: unknown) => void
}

/** Not finished: the page must not be closed without a word. */
export const isOpen = ({ state: { kind } }: Decision): boolean => !['sent', 'counted', 'late'].includes(kind)

export class DecisionBox {
  readonly #surroundings: DecisionSurroundings
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>()
  readonly #listeners = new Set<() => void>()
  #decisions: readonly Decision[] = []

  constructor(surroundings: DecisionSurroundings) {
    this.#surroundings = surroundings
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly snapshot = (): readonly Decision[] => this.#decisions

  /** A second decision about the same wait is ignored, unless the first was undone, refused, or only counted. */
  readonly decide = (wait: DecidedWait, answer: Answer): void => {
    const key = keyOfWait(wait)
    const before = this.#find(key)
    if (before && before.state.kind !== 'failed' && before.state.kind !== 'counted') return
    const until = Date.now() + undoMs
    const { runId, awaitSeq, name } = wait
    const decision = { runId, awaitSeq, name, key, answer, idempotencyKey: idempotencyKeyFor(answer, before) }
    this.#decisions = [
      ...this.#decisions.filter((one) => one.key !== key),
      { ...decision, state: { kind: 'counting', until } },
    ]
    this.#surroundings.notes.keep(key, { runId, awaitSeq, action: answer.action, name, wasSending: false })
    this.#timers.set(
      key,
      setTimeout(() => this.#onTime(key, until), undoMs),
    )
    this.#tell()
  }

  /** Takes it back, as long as it has not left. */
  readonly undo = (key: string): void => {
    const kind = this.#find(key)?.state.kind
    if (kind === 'counting' || kind === 'held' || kind === 'failed') this.#remove(key)
  }

  /** What was held, or failed, once more: with the same idempotency key. */
  readonly sendNow = (key: string): void => {
    const decision = this.#find(key)
    if (decision && (decision.state.kind === 'held' || decision.state.kind === 'failed')) void this.#send(decision)
  }

  /** The run no longer waits for this answer. What is on its way goes on: it may be what ended the wait. */
  readonly isOver = (key: string): void => {
    const kind = this.#find(key)?.state.kind
    if (kind === 'counting' || kind === 'held' || kind === 'failed') this.#end(key, { kind: 'late' })
  }

  readonly dismiss = (key: string): void => {
    if (this.#find(key)?.state.kind === 'late') this.#remove(key)
  }

  /** Sends nothing more. The notes stay: the next sign-in in this tab tells of them. */
  readonly close = (): void => {
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
    this.#decisions = this.#decisions.filter((one) => one.state.kind === 'sent' || one.state.kind === 'counted')
    this.#tell()
  }

  #onTime(key: string, until: number): void {
    this.#timers.delete(key)
    const decision = this.#find(key)
    if (!decision) return
    if (Date.now() - until > latestMs) this.#set(key, { kind: 'held', why: 'asleep' })
    else if (!this.#surroundings.isOnline()) this.#set(key, { kind: 'held', why: 'offline' })
    else void this.#send(decision)
  }

  async #send(decision: Decision): Promise<void> {
    const { key, runId, awaitSeq, answer, name } = decision
    this.#set(key, { kind: 'sending' })
    this.#surroundings.notes.keep(key, { runId, awaitSeq, action: answer.action, name, wasSending: true })
    try {
      const wait = await this.#surroundings.send(decision)
      this.#end(key, wait ? { kind: 'counted', wait } : { kind: 'sent' })
      this.#surroundings.onSent(decision, wait)
    } catch (error) {
      if (this.#surroundings.isConflict(error)) this.#end(key, { kind: 'late' })
      else this.#set(key, { kind: 'failed', error })
      this.#surroundings.onFailed(decision, error)
    }
  }

  #find(key: string): Decision | undefined {
    return this.#decisions.find((one) => one.key === key)
  }

  #end(key: string, state: DecisionState): void {
    this.#forget(key)
    this.#set(key, state)
  }

  #remove(key: string): void {
    this.#forget(key)
    this.#decisions = this.#decisions.filter((one) => one.key !== key)
    this.#tell()
  }

  #forget(key: string): void {
    clearTimeout(this.#timers.get(key))
    this.#timers.delete(key)
    this.#surroundings.notes.drop(key)
  }

  #set(key: string, state: DecisionState): void {
    this.#decisions = this.#decisions.map((one) => (one.key === key ? { ...one, state } : one))
    this.#tell()
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }
}

/** The same answer after a failure keeps its key: the service may have taken it. */
const idempotencyKeyFor = (answer: Answer, before: Decision | undefined): string =>
  before?.state.kind === 'failed' && JSON.stringify(before.answer) === JSON.stringify(answer)
    ? before.idempotencyKey
    : randomKey()
