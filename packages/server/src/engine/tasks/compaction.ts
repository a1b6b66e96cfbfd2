// Keeps the conversation of a step within the model's window. At 80 % of it, a summary replaces the older turns; the
// worker's model writes it and the journal keeps it. The task, the plan and the last turns stay unchanged.

import { summaryMessages } from '../../agents/summarize-turns.ts'
import type { WorkerTurn } from '../../agents/worker-loop.ts'
import { journalEntry } from '../../domain/run/journal.ts'
import type { Task } from '../../domain/run/next-move.ts'
import { charactersPerToken, estimateMessages } from '../../models/port/estimate-tokens.ts'
import type { Message, Model } from '../../models/port/model.ts'
import { coordinationDecision } from '../../runs/step-events.ts'
import type { NewUsage } from '../../store/run-log/run-change.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import { callModel, type ModelCallEnd } from '../models/call-model.ts'

type CallFailed = Exclude<ModelCallEnd, { kind: 'reply' }>

type Shortening =
  | { readonly kind: 'shortened' }
  /** Nothing is left to shorten. */
  | { readonly kind: 'cannot_shorten' }
  | CallFailed

const shortened = { kind: 'shortened' } as const
const cannotShorten = { kind: 'cannot_shorten' } as const

/** How much of each result is shown after the window turned out to be too small. */
interface ShownLengths {
  readonly resultLength: number
  readonly toolResultLength: number
}

export const fullShare = 0.8
const keptTurns = 2
export const tightLengths: ShownLengths = { resultLength: 2_000, toolResultLength: 2_000 }

export class Compaction {
  readonly #context: ExecutionContext
  readonly #task: Task
  readonly #models: readonly Model[]
  #shown: ShownLengths | undefined
  #hasTriedHarder = false

  /** `models` are those of the step. */
  constructor(context: ExecutionContext, task: Task, models: readonly Model[]) {
    this.#context = context
    this.#task = task
    this.#models = models
  }

  get shown(): ShownLengths | undefined {
    return this.#shown
  }

  /** Returns undefined when the conversation fits. */
  async shortenIfNeeded(
    messages: () => readonly Message[],
    turns: readonly WorkerTurn[],
    instruction: string,
  ): Promise<CallFailed | undefined> {
    const [model] = this.#models
    if (model === undefined || model.readsPrompt === false) return undefined
    if (estimateMessages(messages()) < this.#windowTokens * fullShare) return undefined
    const end = await this.#summarize(turns, instruction, Math.max(1, Math.min(keptTurns, turns.length - 1)))
    if (end.kind === 'cannot_shorten') this.#shown = tightLengths
    return end.kind === 'shortened' || end.kind === 'cannot_shorten' ? undefined : end
  }

  /** Called after the provider said that the prompt is too long. That helps once. */
  async shortenHarder(
    turns: readonly WorkerTurn[],
    instruction: string,
    usage: readonly NewUsage[],
  ): Promise<Shortening> {
    if (this.#hasTriedHarder) return cannotShorten
    this.#hasTriedHarder = true
    this.#shown = tightLengths
    if (usage.length > 0) await this.#context.ledger.record({ usage })
    const end = await this.#summarize(turns, instruction, 1)
    // The results are shown shorter.
    return end.kind === 'cannot_shorten' ? shortened : end
  }

  get #windowTokens(): number {
    const [model] = this.#models
    return model?.contextTokens ?? this.#context.parts.limits.contextTokens
  }

  async #summarize(turns: readonly WorkerTurn[], instruction: string, kept: number): Promise<Shortening> {
    const { ledger, run } = this.#context
    const known = ledger.progress.turns.summaryOf(this.#task.key)
    const covered = turns.length - kept
    const older = turns.slice(known?.turns ?? 0, Math.max(0, covered))
    if (older.length === 0) return cannotShorten
    const maxLength = Math.floor((this.#windowTokens * charactersPerToken) / 2)
    const messages = () => summaryMessages({ instruction, before: known?.text, turns: older, maxLength })
    const end = await callModel(this.#context, {
      role: 'worker',
      models: this.#models,
      prompt: 'summary',
      key: `${this.#task.key}:summary-${covered}`,
      request: {
        messages,
        tools: [],
        outputSchema: undefined,
        onText: () => undefined,
        rehearsal: this.#context.inputs.rehearsal({
          agentStep: this.#task.agentStep,
          failures: 0,
          turn: 1,
          isLast: undefined,
        }),
      },
    })
    if (end.kind !== 'reply') return end
    if (end.reply.text.trim() === '' || end.reply.finish === 'length') return noSummary(end.usage)
    const decision = { decision: 'continue', reasonCode: 'context_compacted', role: 'worker' } as const
    await ledger.apply({
      events: [coordinationDecision(run.requestId, decision)],
      journal: [journalEntry('summary', `${this.#task.key}:${covered}`, { text: end.reply.text })],
      usage: end.usage,
    })
    return shortened
  }
}

/** A truncated summary would lose information. */
const noSummary = (usage: readonly NewUsage[]): CallFailed => ({
  kind: 'failed',
  isOwn: true,
  failure: {
    kind: 'failure',
    reasonCode: 'context_exceeded',
    message: 'The conversation no longer fits, and the model wrote no usable summary of it.',
    retry: 'never',
    text: '',
    usage: undefined,
  },
  usage,
})
