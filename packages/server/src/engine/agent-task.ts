// Executes an agent step: turns of the model, and the tool calls it asks for, each journaled before the next.
//
//   for each turn: take the journaled reply, or ask the model
//     no tool calls → the step is done
//     else journal the reply, announce the calls, make them, and go on with their results
import { workOn } from '../agents/worker.ts'
import { fillTemplates } from '../domain/plan/fill-templates.ts'
import type { ResolvedAgentStep } from '../domain/plan/plan.ts'
import { type CallResultEntry, type JournaledCall, journalEntry, type ReplyEntry } from '../domain/run/journal.ts'
import type { Task } from '../domain/run/progress.ts'
import { contentDelta } from '../lifecycle/step-events.ts'
import type { Message, ModelOutcome } from '../models/port/model.ts'
import { derivedWireId } from '../runtime/derived-ids.ts'
import type { NewUsage } from '../store/run-log/run-change.ts'
import { throwIfAborted } from './abort-reason.ts'
import { offeredTools } from './call-policy.ts'
import { DeltaStream } from './delta-stream.ts'
import type { ExecutionContext } from './execution-context.ts'
import { hideCall } from './secret-calls.ts'
import type { PersonAsked, TaskEnd, TaskFailed } from './task-end.ts'
import { type CallOptions, makeCall, startOf } from './tool-calls.ts'

const maxTurns = 50

export class AgentTask {
  readonly #context: ExecutionContext
  readonly #task: Task
  readonly #step: ResolvedAgentStep
  readonly #failures: number
  readonly #deltas: DeltaStream
  readonly #conversation: Message[] = []
  readonly #begunBefore: ReadonlySet<string>
  #text = ''

  constructor(context: ExecutionContext, task: Task, step: ResolvedAgentStep) {
    this.#context = context
    this.#task = task
    this.#step = step
    this.#failures = context.ledger.progress.failuresOf(task.key).total
    this.#begunBefore = new Set(context.ledger.progress.startedCalls.keys())
    this.#deltas = new DeltaStream({
      enabled: context.run.streaming,
      safeLength: context.safeLength,
      send: async (text) => void (await context.ledger.apply({ events: [contentDelta(this.#of, text)] })),
    })
  }

  async execute(): Promise<TaskEnd> {
    const instruction = fillTemplates(this.#step.instruction, this.#context.templateScope())
    if (!instruction.ok) {
      return this.#failed({
        reasonCode: 'template_unresolved',
        message: `{{${instruction.unresolved}}} has no value`,
        retryable: false,
      })
    }
    try {
      return await this.#turns(String(instruction.value))
    } finally {
      await this.#deltas.discard()
    }
  }

  get #of() {
    return this.#context.stepOf(this.#task.key)
  }

  async #turns(instruction: string): Promise<TaskEnd> {
    for (let turn = 0; turn < maxTurns; turn += 1) {
      const known = this.#context.ledger.progress.replies.get(this.#replyKey(turn))
      const reply = known ?? (await this.#ask(instruction, turn))
      if ('end' in reply) return reply
      if (known) this.#recall(known)
      const asked = await this.#makeCalls(reply)
      if (asked) return asked
    }
    return this.#failed({ reasonCode: 'provider_error', message: `no end after ${maxTurns} turns`, retryable: false })
  }

  /** A turn of an earlier life of the run. */
  #recall({ text }: ReplyEntry): void {
    this.#text += text
    this.#deltas.recall(text)
  }

  #replyKey(turn: number): string {
    return `${this.#task.key}:${this.#failures}:${turn}`
  }

  /** The journaled reply that asks for tools, or the end of the step. */
  async #ask(instruction: string, turn: number): Promise<ReplyEntry | TaskEnd> {
    const { ledger, run } = this.#context
    if (ledger.tokens >= run.tokenLimit) return { end: 'over_ceiling', task: this.#task, usage: [] }
    const budget = await this.#context.spentBudget()
    if (budget) return { end: 'over_ceiling', task: this.#task, usage: [], budget }
    const outcome = await this.#respond(instruction, turn)
    const usage = this.#context.consumed(outcome.tokens)
    if (outcome.kind === 'aborted') {
      for (const record of usage) ledger.owe(record)
      throwIfAborted(this.#context.signal)
    }
    ledger.spend(usage)
    if (ledger.tokens > run.tokenLimit) return { end: 'over_ceiling', task: this.#task, usage }
    this.#text += outcome.text
    if (outcome.kind !== 'reply') {
      const failure = failureOf(outcome)
      const message = this.#context.run.secrets?.scrubCut(failure.message) ?? failure.message
      return this.#failed({ ...failure, message, rest: await this.#deltas.end(), usage })
    }
    if (outcome.toolCalls.length > 0) return this.#journalReply(outcome, turn, usage)
    const rest = await this.#deltas.end()
    return { end: 'succeeded', task: this.#task, ...this.#said(outcome.output ?? null), rest, usage }
  }

  /** Without secrets: what is made of it, and where it is cut, is for others to decide. */
  #said(output: unknown = null) {
    const { secrets } = this.#context.run
    const [content, shown] = secrets ? [secrets.scrubText(this.#text), secrets.scrub(output)] : [this.#text, output]
    return { content, output: shown, redacted: content !== this.#text || shown !== output }
  }

  #respond(instruction: string, turn: number): Promise<ModelOutcome> {
    const { models, promptContext, ledger, signal, tokensLeft } = this.#context
    return workOn(models.worker, promptContext, {
      instruction,
      conversation: this.#conversation,
      tools: offeredTools(this.#context, this.#step.tools),
      recall: this.#context.recall,
      signal,
      maxOutputTokens: tokensLeft,
      onText: (text) => this.#deltas.write(text),
      rehearsal: this.#context.rehearsal({
        agentStep: this.#task.agentStep,
        failures: this.#failures,
        turn,
        isLast: ledger.progress.isLast(this.#task.key),
      }),
    })
  }

  async #journalReply(
    outcome: Extract<ModelOutcome, { kind: 'reply' }>,
    turn: number,
    usage: readonly NewUsage[],
  ): Promise<ReplyEntry> {
    const { run } = this.#context
    const calls = outcome.toolCalls.map((asked, index): JournaledCall => {
      const callId = derivedWireId('call', run.id, this.#replyKey(turn), String(index))
      return { callId, modelCallId: asked.id, ...hideCall(this.#context, asked) }
    })
    // As it will be read back: what the model is told of its own words is the same in every life of the run.
    const text = run.secrets?.scrubText(outcome.text) ?? outcome.text
    const reply = { text, output: outcome.output ?? null, calls }
    const rest = await this.#deltas.pause()
    const start = await startOf(this.#context, calls, this.#callOptions)
    await this.#context.ledger.apply({
      events: [...(rest === '' ? [] : [contentDelta(this.#of, rest)]), ...start.events],
      journal: [journalEntry('reply', this.#replyKey(turn), reply), ...start.journal],
      usage,
    })
    return reply
  }

  get #callOptions(): CallOptions {
    const { tools } = this.#step
    return { step: this.#of, allowed: tools && new Set(tools), begunBefore: this.#begunBefore }
  }

  async #makeCalls({ text, calls }: ReplyEntry): Promise<PersonAsked | undefined> {
    const ends = await Promise.all(calls.map((call) => makeCall(this.#context, call, this.#callOptions)))
    for (const end of ends)
      if (end.outcome === 'person_asked') return { end: 'person_asked', task: this.#task, wait: end.wait }
    this.#conversation.push({
      from: 'assistant',
      text,
      toolCalls: calls.map(({ modelCallId, name, input }) => ({ id: modelCallId, name, input })),
    })
    this.#conversation.push(...calls.map((call, index) => toolMessage(call, ends[index] as CallResultEntry)))
    return undefined
  }

  #failed(failure: Pick<TaskFailed, 'reasonCode' | 'message' | 'retryable'> & Partial<TaskFailed>): TaskFailed {
    const { content, redacted } = this.#said()
    return { rest: '', usage: [], ...failure, end: 'failed', task: this.#task, content, redacted }
  }
}

const toolMessage = (call: JournaledCall, end: CallResultEntry): Message => ({
  from: 'tool',
  callId: call.modelCallId,
  name: call.name,
  result: end.outcome === 'succeeded' ? end.output : end.message,
  failed: end.outcome !== 'succeeded',
})

function failureOf(outcome: Exclude<ModelOutcome, { kind: 'reply' }>) {
  if (outcome.kind === 'failure') {
    const { reasonCode, message, retryable } = outcome
    return { reasonCode, message, retryable }
  }
  return { reasonCode: 'provider_error', message: 'the model stopped by itself', retryable: true }
}
