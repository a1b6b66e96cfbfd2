// The answers of people in a run, in their order, and which of them counts for what.
import type { AnsweredCall, DecidedCall, SignalAction } from '@runwright/contract'
import type { AnsweredQuestion } from './asked-call.ts'
import { approvalKey, isAboutCall, isOnlyAboutCall } from './wait-keys.ts'

export interface Answer {
  readonly action: SignalAction
  readonly payload: unknown
  readonly call?: AnsweredCall | null
  /** It decides about several calls: about each in a wait of its own. */
  readonly calls?: readonly DecidedCall[] | null
  /** The wait that it answered. */
  readonly waitKey: string
  /** Absent for an answer that a fork of an earlier version took over. */
  readonly asked?: AnsweredQuestion
}

export class AnswerLog {
  readonly #all: Answer[] = []
  /** By the wait, without rejections: those end the run, and are asked again when it is retried. */
  readonly #counting = new Map<string, Answer>()
  /** The ids of calls whose answer has ended their step. */
  readonly #refusedCalls = new Set<string>()
  #lastSignal: Answer | undefined

  add(answer: Answer): void {
    if (answer.calls) this.#addEach(answer, answer.calls)
    else this.#addOne(answer)
  }

  #addOne(answer: Answer): void {
    this.#all.push(answer)
    if (!answer.call && !isOnlyAboutCall(answer.waitKey, answer.action)) this.#lastSignal = answer
    if (answer.action !== 'reject') this.#counting.set(answer.waitKey, answer)
  }

  /** Those that it leaves out are asked again. */
  #addEach({ calls: _, ...answer }: Answer, calls: readonly DecidedCall[]): void {
    const questions = questionsOf(answer)
    for (const { call_id, approve, ...call } of calls) {
      const question = questions.get(call_id)
      if (question === undefined) continue
      this.#addOne({ ...answer, ...question, ...(approve ? { action: 'approve', call: null } : { call }) })
    }
  }

  /** Oldest first. */
  get all(): readonly Answer[] {
    return this.#all
  }

  /**
   * The last signal that templates see. An approval of a call is none: it would change the arguments that were
   * approved, if they contain `{{signal.payload}}`.
   */
  get lastSignal(): Answer | undefined {
    return this.#lastSignal
  }

  /** What was decided about the call has ended its step, as a rejection ends the run. */
  endStepOf(callId: string): void {
    this.#refusedCalls.add(callId)
  }

  /** Undefined if the wait has no answer, or one that has ended the run or the step. */
  to(waitKey: string): Answer | undefined {
    const answer = this.#counting.get(waitKey)
    return this.#refusedCalls.has(answer?.asked?.call?.callId ?? '') ? undefined : answer
  }

  /** The answers about this call: its approval, and what became of it. */
  about(callId: string): readonly Answer[] {
    return this.#all.filter(({ waitKey }) => isAboutCall(waitKey, callId))
  }

  /** What a person approved before a step, if the question showed this call. */
  approvalOf(callId: string): AnsweredQuestion | undefined {
    const isAbout = ({ waitKey, asked }: Answer) =>
      waitKey.startsWith(approvalKey('')) && asked?.call?.callId === callId
    return [...this.#counting.values()].find(isAbout)?.asked
  }
}

type Asked = Pick<Answer, 'waitKey' | 'asked'>

/** What was asked about each call, by its id. */
function questionsOf({ waitKey, asked }: Asked): ReadonlyMap<string, Asked> {
  const questions = new Map<string, Asked>()
  for (const { key, call_id: callId, tool, arguments_hash: argumentsHash, why, prompt = null } of asked?.others ?? [])
    questions.set(callId, { waitKey: key, asked: { ...asked, prompt, call: { tool, argumentsHash, why, callId } } })
  if (asked?.call) questions.set(asked.call.callId, { waitKey, asked })
  return questions
}
