// The dialogue about one wait: shows it, asks for the answer and sends it. It ends when the answer is accepted, or when
// the caller interrupts it because the run has gone on without it.
import { isDeepStrictEqual } from 'node:util'
import { type AwaitingInput, type Runwright, RunwrightError, type Signal } from '@runwright/client'
import { explainServiceError } from '../connection/explain-error.ts'
import type { Target } from '../connection/target.ts'
import type { Io } from '../output/io.ts'
import { safeText } from '../output/safe-text.ts'
import { describeEffect, readEffect } from './answer-effect.ts'
import { editJson } from './edit-json.ts'
import { ask } from './prompt.ts'
import type { Screen } from './screen.ts'
import {
  hasSeveralCalls,
  isAboutOutcome,
  renderArguments,
  renderHowToAnswer,
  renderHowToAnswerAll,
  renderWait,
} from './wait-panel.ts'

export interface DialogueOptions {
  readonly io: Io
  readonly screen: Screen
  readonly client: Runwright
  readonly target: Pick<Target, 'url' | 'keySource'>
  readonly runId: string
  readonly wait: AwaitingInput
  readonly onInterrupt: () => void
}

type Answer = Omit<Signal, 'await_seq' | 'idempotency_key'>

export class Dialogue {
  /** Whether the service has accepted the answer that was given here. */
  isAccepted = false
  readonly done: Promise<void>
  readonly #options: DialogueOptions
  readonly #interrupted = new AbortController()

  constructor(options: DialogueOptions) {
    this.#options = options
    this.done = this.#run()
  }

  /** Ends an open question. An answer that is on its way is not stopped. */
  interrupt(): void {
    this.#interrupted.abort()
  }

  async #run(): Promise<void> {
    const { screen, runId, wait } = this.#options
    screen.rest()
    screen.line(renderWait(wait, screen.style))
    if (hasSeveralCalls(wait)) screen.line(renderHowToAnswerAll(runId, wait))
    for (;;) {
      const answer = await this.#readAnswer()
      if (answer === undefined) return this.#leave()
      const isOver = await this.#send(answer)
      if (isOver) return
    }
  }

  /** The input has ended, but the run still waits. */
  #leave(): void {
    const { screen, runId, wait } = this.#options
    if (this.#interrupted.signal.aborted) return
    screen.line()
    screen.line(renderHowToAnswer(runId, wait))
  }

  async #readAnswer(): Promise<Answer | undefined> {
    const { wait } = this.#options
    const canFail = isAboutOutcome(wait.reason_code)
    const choices = [
      '[a]pprove',
      ...(canEdit(wait) ? ['[e]dit'] : []),
      ...(wait.tool === null ? [] : ['[d]eny']),
      '[r]eject',
      ...(canFail ? ['[f]ailed'] : []),
    ]
    const question = `  ${choices.join(', ')} or [s]ubmit ${canFail ? 'its result' : 'input'}: `
    for (;;) {
      const choice = (await this.#ask(question))?.trim().toLowerCase()
      if (choice === undefined) return undefined
      const answer = await this.#answerFor(choice, canFail)
      if (answer) return answer
    }
  }

  async #answerFor(choice: string, canFail: boolean): Promise<Answer | undefined> {
    const { wait } = this.#options
    if (['a', 'approve'].includes(choice)) return this.#withForm({ action: 'approve' })
    if (wait.tool !== null && ['d', 'deny'].includes(choice)) return this.#readDenial()
    if (canEdit(wait) && ['e', 'edit'].includes(choice)) return this.#editArguments()
    if (['r', 'reject'].includes(choice)) return this.#readReason()
    if (['s', 'submit'].includes(choice)) return canFail ? this.#readResult() : this.#readInput()
    return canFail && ['f', 'failed'].includes(choice) ? this.#readError() : undefined
  }

  async #readReason(): Promise<Answer | undefined> {
    const reason = (await this.#ask('  Reason (optional): '))?.trim()
    if (reason === undefined) return undefined
    return { action: 'reject', ...(reason !== '' && { payload: { reason } }) }
  }

  /** The run goes on. */
  async #readDenial(): Promise<Answer | undefined> {
    const deny = (await this.#ask('  Why not: '))?.trim()
    return deny ? { action: 'submit_input', call: { deny } } : undefined
  }

  async #editArguments(): Promise<Answer | undefined> {
    const { io, screen, wait } = this.#options
    const edited = await editJson(io, wait.arguments)
    if ('problem' in edited) return this.#say(edited.problem)
    if (isDeepStrictEqual(edited.value, wait.arguments)) return this.#say('Nothing is changed.')
    if (!isObject(edited.value)) return this.#say('The arguments must be a JSON object.')
    screen.line(renderArguments(edited.value, screen.style))
    const isMeant = (await this.#ask('  Make the call with these? [y]es or [n]o: '))?.trim().toLowerCase()
    if (isMeant === undefined || !['y', 'yes'].includes(isMeant)) return undefined
    return this.#withForm({ action: 'submit_input', call: { arguments: edited.value } })
  }

  /** What the question wants to know beside the answer. */
  async #withForm(answer: Answer): Promise<Answer | undefined> {
    if (!this.#options.wait.approval_schema) return answer
    const text = (await this.#ask('  JSON that matches the schema above: '))?.trim()
    return text ? { ...answer, payload: jsonOrText(text) } : undefined
  }

  #say(problem: string): undefined {
    const { screen } = this.#options
    screen.line(`${screen.style.red('✗')} ${safeText(problem)}`)
    return undefined
  }

  async #readInput(): Promise<Answer | undefined> {
    if (this.#options.wait.approval_schema) return this.#withForm({ action: 'submit_input' })
    const text = (await this.#ask('  Input (JSON or text): '))?.trim()
    return text ? { action: 'submit_input', payload: jsonOrText(text) } : undefined
  }

  async #readResult(): Promise<Answer | undefined> {
    const text = (await this.#ask('  Its result (JSON or text): '))?.trim()
    return text ? this.#withForm({ action: 'submit_input', call: { result: jsonOrText(text) } }) : undefined
  }

  async #readError(): Promise<Answer | undefined> {
    const error = (await this.#ask('  What failed: '))?.trim()
    return error ? this.#withForm({ action: 'submit_input', call: { error } }) : undefined
  }

  #ask(question: string): Promise<string | undefined> {
    const { io, onInterrupt } = this.#options
    return ask(io, question, { signal: this.#interrupted.signal, onInterrupt })
  }

  /** Returns whether the dialogue is over. */
  async #send(answer: Answer): Promise<boolean> {
    const { client, runId, wait } = this.#options
    try {
      await client.runs.signal(runId, { ...answer, await_seq: wait.seq })
      this.isAccepted = true
      await this.#tellEffect(answer)
      return true
    } catch (error) {
      return this.#explain(error)
    }
  }

  /** One person is enough for a no. How a wait has ended, the events say. */
  async #tellEffect({ action, call }: Answer): Promise<void> {
    const { client, screen, runId, wait } = this.#options
    if (wait.approvals < 2 || action === 'reject' || call?.deny !== undefined) return
    const { signal } = this.#interrupted
    const effect = await readEffect(client, { runId, seq: wait.seq, signal })
    const words = describeEffect(effect)
    if (signal.aborted || words === undefined) return
    screen.line(`  ${effect.kind === 'counted' ? 'Counted.' : 'Sent.'} ${words}`)
  }

  #explain(error: unknown): boolean {
    const { screen, target, runId, wait } = this.#options
    if (!(error instanceof RunwrightError)) throw error
    // Another answer was first: the events say whose.
    if (error.reasonCode === 'RUN_NOT_AWAITING_INPUT') return true
    screen.line(`${screen.style.red('✗')} ${explainServiceError(error, target)}`)
    if (error.status === 400) return false
    const heading = error.status === 403 ? 'Who may decide can answer with one of:' : undefined
    screen.line(renderHowToAnswer(runId, wait, heading))
    return true
  }
}

/**
 * A call that may have been made already is made with the same arguments, or not again. Arguments without a hash are
 * not known yet: the answer becomes a part of them.
 */
const canEdit = ({ tool, arguments_hash, reason_code }: AwaitingInput): boolean =>
  tool !== null && arguments_hash !== null && !isAboutOutcome(reason_code)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What is not JSON is a text. */
export function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
