// Asks the planner or the judge with a prompt that fits the window of the model: shortened from the start if it is
// estimated to be too long, and shortened and sent again once if the provider says so.
import type { Shown } from '../../agents/finished-steps.ts'
import { estimateMessages } from '../../models/port/estimate-tokens.ts'
import type { Message, Model } from '../../models/port/model.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import type { ModelCallEnd } from '../models/call-model.ts'
import { fullShare, tightLengths } from './compaction.ts'

/** `shown` is undefined while all is shown. */
type Build = (shown: Shown | undefined) => Message[]
type Send = (messages: () => Message[]) => Promise<ModelCallEnd>

export class FittingPrompt {
  readonly #context: ExecutionContext
  readonly #models: readonly Model[]
  #shown: Shown | undefined

  constructor(context: ExecutionContext, models: readonly Model[]) {
    this.#context = context
    this.#models = models
  }

  async ask(build: Build, send: Send): Promise<ModelCallEnd> {
    if (!this.#shown && (await this.#isTooLong(build))) this.#shown = tightLengths
    const end = await this.#send(build, send)
    const isTooLong = end.kind === 'failed' && end.failure.reasonCode === 'context_exceeded'
    if (!isTooLong || this.#shown) return end
    if (end.usage.length > 0) await this.#context.ledger.record({ usage: end.usage })
    this.#shown = tightLengths
    return this.#send(build, send)
  }

  #send(build: Build, send: Send): Promise<ModelCallEnd> {
    return send(() => build(this.#shown))
  }

  async #isTooLong(build: Build): Promise<boolean> {
    const [model] = this.#models
    if (model === undefined || model.readsPrompt === false) return false
    await this.#context.inputs.writeTexts()
    const window = model.contextTokens ?? this.#context.parts.limits.contextTokens
    return estimateMessages(build(undefined)) > window * fullShare
  }
}
