// Keeps the conversation of a step within the model's window: at 80 % of it older turns are replaced by a summary, which the
// worker's model writes and the journal keeps. What was asked, the plan and the last turns stay as they are.

import { summaryMessages } from '../../agents/summarize-turns.ts'
import type { WorkerTurn } from '../../agents/worker-loop.ts'
import { journalEntry } from '../../domain/run/journal.ts'
import type { Task } from '../../domain/run/progress.ts'
import { coordinationDecision } from '../../lifecycle/step-events.ts'
import { estimateTokens } from '../../models/port/estimate-tokens.ts'
import type { Message } from '../../models/port/model.ts'
import type { NewUsage } from '../../store/run-log/run-change.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import { callModel, type ModelCallEnd } from '../models/call-model.ts'

type CallFailed = Exclude<ModelCallEnd, { end: 'reply' }>

/** What is shown of results once the window was too small for them. */
interface ShownLengths {
  readonly resultLength: number
  readonly toolResultLength: number
}

const fullShare = 0.8
const keptTurns = 2
const charactersPerToken = 4
const tightLengths: ShownLengths = { resultLength: 2_000, toolResultLength: 2_000 }

export class Compaction {
  readonly #context: ExecutionContext
  readonly #task: Task
  #shown: ShownLengths | undefined
  #hasTriedHarder = false

  constructor(context: ExecutionContext, task: Task) {
    this.#context = context
    this.#task = task
  }

  get shown(): ShownLengths | undefined {
    return this.#shown
  }

  /** Undefined: the conversation fits now. */
  async shortenIfNeeded(
    messages: () => readonly Message[],
    turns: readonly WorkerTurn[],
    instruction: string,
  ): Promise<CallFailed | undefined> {
    const [model] = this.#context.models.worker
    if (model === undefined || model.readsPrompt === false) return undefined
    if (estimateTokens(JSON.stringify(messages())) < this.#windowTokens * fullShare) return undefined
    const end = await this.#summarize(turns, instruction, Math.max(1, Math.min(keptTurns, turns.length - 1)))
    if (end !== 'nothing to summarize') return end
    this.#shown = tightLengths
    return undefined
  }

  /**
   * After the provider said that the prompt is too long. Undefined: shortened, ask again. `cannot`: that was done before, or
   * there is nothing left to shorten.
   */
  async shortenHarder(
    turns: readonly WorkerTurn[],
    instruction: string,
    usage: readonly NewUsage[],
  ): Promise<CallFailed | 'cannot' | undefined> {
    if (this.#hasTriedHarder) return 'cannot'
    this.#hasTriedHarder = true
    this.#shown = tightLengths
    if (usage.length > 0) await this.#context.ledger.record({ usage })
    const end = await this.#summarize(turns, instruction, 1)
    return end === 'nothing to summarize' ? undefined : end
  }

  get #windowTokens(): number {
    const [model] = this.#context.models.worker
    return model?.contextTokens ?? this.#context.parts.limits.contextTokens
  }

  async #summarize(
    turns: readonly WorkerTurn[],
    instruction: string,
    kept: number,
  ): Promise<CallFailed | 'nothing to summarize' | undefined> {
    const { ledger, run } = this.#context
    const known = ledger.progress.turns.summaryOf(this.#task.key)
    const covered = turns.length - kept
    const older = turns.slice(known?.turns ?? 0, Math.max(0, covered))
    if (older.length === 0) return 'nothing to summarize'
    const maxLength = Math.floor((this.#windowTokens * charactersPerToken) / 2)
    const messages = () => summaryMessages({ instruction, before: known?.text, turns: older, maxLength })
    const end = await callModel(this.#context, {
      role: 'worker',
      key: `${this.#task.key}:summary-${covered}`,
      request: {
        get messages() {
          return messages()
        },
        tools: [],
        outputSchema: undefined,
        onText: () => undefined,
        rehearsal: this.#context.rehearsal({
          agentStep: this.#task.agentStep,
          failures: 0,
          turn: 1,
          isLast: undefined,
        }),
      },
    })
    if (end.end !== 'reply') return end
    if (end.reply.text.trim() === '' || end.reply.finish === 'length') return noSummary(end.usage)
    const decision = { decision: 'continue', reasonCode: 'context_compacted', role: 'worker' } as const
    await ledger.apply({
      events: [coordinationDecision(run.requestId, decision)],
      journal: [journalEntry('summary', `${this.#task.key}:${covered}`, { text: end.reply.text })],
      usage: end.usage,
    })
    return undefined
  }
}

/** Half a summary would lose what it leaves out. */
const noSummary = (usage: readonly NewUsage[]): CallFailed => ({
  end: 'failed',
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
