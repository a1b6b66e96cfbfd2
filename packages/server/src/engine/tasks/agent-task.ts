// Executes an agent step: model turns and the tool calls they ask for. Each one is journaled before the next starts.
//
//   take the journaled turns
//   until the worker loop says done or fail:
//     shorten the conversation if it no longer fits
//     ask the model; journal its reply under task and turn
//     make the calls that it asks for and that have no journaled result
//
// A failed model call is retried by itself, so a finished tool call is never repeated, whatever fails after it.

import type { ReadAttachment } from '../../agents/describe-attachments.ts'
import { prompts } from '../../agents/load-prompt.ts'
import type { LazyContext } from '../../agents/prompt.ts'
import { taskOf } from '../../agents/prompt.ts'
import { recallFor } from '../../agents/recall.ts'
import { isCut, readResultName } from '../../agents/show-result.ts'
import { writeTexts } from '../../agents/value-text.ts'
import { workerMessages } from '../../agents/worker.ts'
import { decideTurn, type LoopDecision, type LoopRules, type WorkerTurn } from '../../agents/worker-loop.ts'
import { describeUnresolved, fillTemplates } from '../../domain/plan/fill-templates.ts'
import type { ResolvedAgentStep } from '../../domain/plan/plan.ts'
import { type JournaledCall, journalEntry, type ReplyEntry } from '../../domain/run/journal.ts'
import type { Task } from '../../domain/run/next-move.ts'
import { turnName } from '../../domain/run/turn-log.ts'
import type { SecretKeeper } from '../../domain/secrets/secret-keeper.ts'
import type { ModelReply } from '../../models/port/model.ts'
import { contentDelta } from '../../runs/step-events.ts'
import { derivedWireId } from '../../runtime/derived-ids.ts'
import { runSliced, yieldToEventLoop } from '../../runtime/time-slices.ts'
import type { NewUsage } from '../../store/run-log/run-change.ts'
import { awaitNamedTools, listTools } from '../calls/await-tools.ts'
import type { CallOptions } from '../calls/call-end.ts'
import { offeredTools } from '../calls/call-policy.ts'
import { orderCalls } from '../calls/once-calls.ts'
import { hideCall } from '../calls/secret-calls.ts'
import { startOf } from '../calls/tool-calls.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import { makeOnce } from '../context/make-once.ts'
import { promptContext } from '../context/prompt-context.ts'
import { type StepAgent, stepAgent } from '../context/step-agent.ts'
import { callModel, type ModelCallEnd } from '../models/call-model.ts'
import { Compaction } from './compaction.ts'
import { DeltaStream } from './delta-stream.ts'
import { isJudgedByModel } from './judge-step.ts'
import { makeCalls } from './make-calls.ts'
import { StepOutput } from './step-output.ts'
import type { TaskEnd, TaskFailed } from './task-end.ts'

/** To handle a text of this length takes milliseconds. */
const longText = 50_000

type Asking = Extract<LoopDecision, { kind: 'ask' }>
type Failing = Extract<LoopDecision, { kind: 'fail' }>

export interface StepTime {
  /** The time left for the step, in milliseconds. */
  readonly msLeft: () => number
}

export class AgentTask {
  readonly #context: ExecutionContext
  readonly #task: Task
  readonly #step: ResolvedAgentStep
  readonly #as: StepAgent
  readonly #time: StepTime
  readonly #deltas: DeltaStream
  readonly #begunBefore: ReadonlySet<string>
  readonly #turns: WorkerTurn[] = []
  readonly #output: StepOutput
  readonly #compaction: Compaction
  readonly #described: LazyContext
  #instruction = ''

  constructor(context: ExecutionContext, task: Task, { step, time }: { step: ResolvedAgentStep; time: StepTime }) {
    this.#context = context
    this.#task = task
    this.#step = step
    this.#time = time
    this.#begunBefore = new Set(context.ledger.progress.turns.startedCalls.keys())
    this.#as = stepAgent(context, step)
    this.#output = new StepOutput(context, task, step)
    this.#compaction = new Compaction(context, task, this.#as.models)
    // The prompt of a step must stay the same over its turns: providers cache its beginning.
    this.#described = makeOnce(promptContext(context, task.key))
    this.#deltas = new DeltaStream({
      enabled: context.run.streaming,
      safeLength: context.safeLength,
      send: async (text) => void (await context.ledger.apply({ events: [contentDelta(this.#of, text)] })),
    })
  }

  async execute(): Promise<TaskEnd> {
    const { problem } = this.#as
    if (problem !== undefined) return this.#unavailable(problem.reasonCode, problem.message)
    const instruction = fillTemplates(this.#step.instruction, this.#context.inputs.templateScope())
    if (!instruction.ok) {
      const content = `${describeUnresolved(instruction)}.`
      return this.#failed({ reasonCode: 'template_unresolved', message: undefined, retryable: false, content })
    }
    this.#instruction = String(instruction.value)
    const unusable = await this.#output.open()
    if (unusable) return this.#failedLoop(unusable)
    try {
      return await this.#loop()
    } finally {
      await this.#deltas.discard()
    }
  }

  /** A retry of the run finds the agent, the model or the tool once the operator has provided it. */
  #unavailable(reasonCode: `${'agent' | 'model' | 'tool'}_unavailable`, explanation: string): TaskEnd {
    return this.#failed({ reasonCode, message: undefined, explanation, retryable: false, content: explanation })
  }

  #failedLoop({ reasonCode, message: explanation }: Pick<Failing, 'reasonCode' | 'message'>): TaskEnd {
    const keptTurns = this.#turnsWithCalls
    return this.#failed({ reasonCode, message: undefined, explanation, retryable: false, keptTurns })
  }

  get #rules(): LoopRules {
    return { maxTurns: this.#as.maxTurns, ...this.#output.rules }
  }

  get #of() {
    return this.#context.stepOf(this.#task.key)
  }

  async #loop(): Promise<TaskEnd> {
    for (;;) {
      const replies = this.#context.ledger.progress.turns.repliesOf(this.#task.key)
      while (this.#turns.length < replies.length) {
        const reply = replies[this.#turns.length] as ReplyEntry
        this.#deltas.recall(reply.text)
        const end = await this.#finishTurn(reply)
        if (end) return end
      }
      const decision = await this.#decide(this.#turns)
      if (decision.kind === 'done') return this.#succeeded(decision, [])
      if (decision.kind === 'fail') return this.#failedLoop(decision)
      const end = await this.#takeTurn(decision)
      if (end) return end
    }
  }

  /** What follows from the turns, once the answer that they end with was checked. */
  async #decide(turns: readonly WorkerTurn[]): Promise<Exclude<LoopDecision, { kind: 'check' }>> {
    for (;;) {
      // To read the JSON of a long answer takes a while.
      if ((turns.at(-1)?.reply.text.length ?? 0) > longText) await yieldToEventLoop()
      const decision = decideTurn(turns, this.#rules)
      if (decision.kind !== 'check') return decision
      await this.#output.check((turns.at(-1) as WorkerTurn).reply, decision.output)
    }
  }

  /** Takes one more turn. Returns undefined when the loop continues. */
  async #takeTurn(asking: Asking): Promise<TaskEnd | undefined> {
    const missing = asking.offersTools ? await this.#awaitTools() : undefined
    if (missing?.kind === 'parked') return { ...missing, task: this.#task }
    if (missing) return this.#unavailable('tool_unavailable', missing.message)
    this.#attachments = await this.#context.inputs.attachmentsFor(this.#as.models)
    if (this.#as.models.some(({ readsPrompt }) => readsPrompt !== false)) await this.#context.inputs.writeTexts()
    const shortened = await this.#compaction.shortenIfNeeded(() => this.#messages(), this.#turns, this.#instruction)
    if (shortened) return this.#ended(shortened)
    const end = await this.#ask(asking)
    if (end.kind === 'reply') return this.#takeReply(end)
    if (end.kind === 'failed' && end.failure.reasonCode === 'context_exceeded') {
      const again = await this.#compaction.shortenHarder(this.#turns, this.#instruction, end.usage)
      if (again !== 'cannot') return again && this.#ended(again)
    }
    return this.#ended(end)
  }

  /** A model is never asked with fewer tools than the step names. */
  async #awaitTools() {
    const { tools } = this.#as
    if (tools === undefined) return void (await listTools(this.#context))
    return awaitNamedTools(this.#context, `tools:${this.#turnKey}`, tools)
  }

  #messages() {
    return workerMessages({
      agent: this.#as.agent,
      context: this.#described(),
      instruction: this.#instruction,
      memory: this.#memory,
      attachments: this.#attachments,
      turns: this.#turns,
      rules: this.#rules,
      summary: this.#context.ledger.progress.turns.summaryOf(this.#task.key),
      shown: this.#compaction.shown,
    })
  }

  #memory = ''
  #attachments: readonly ReadAttachment[] = []

  async #ask({ offersTools, wantsJson }: Asking): Promise<ModelCallEnd> {
    const { ledger, inputs } = this.#context
    const { models, agent } = this.#as
    const [model] = models
    if (model)
      this.#memory = await recallFor(model, inputs.recall, () => this.#instruction || taskOf(this.#described()))
    const messages = () => this.#messages()
    return callModel(this.#context, {
      role: 'worker',
      models,
      agent: agent?.name,
      key: this.#turnKey,
      request: {
        get messages() {
          return messages()
        },
        tools: offersTools ? offeredTools(this.#context, this.#toolNames) : [],
        outputSchema: wantsJson || this.#isPlainOutput ? this.#rules.outputSchema : undefined,
        parameters: agent?.parameters,
        onText: (text) => this.#deltas.write(text),
        rehearsal: this.#context.inputs.rehearsal({
          agentStep: this.#task.agentStep,
          failures: ledger.progress.failuresOf(this.#task.key).total,
          turn: this.#turns.length,
          isLast: ledger.progress.isLast(this.#task.key),
        }),
      },
    })
  }

  get #turnKey(): string {
    const round = this.#context.ledger.progress.turns.roundOf(this.#task.key)
    return turnName(this.#task.key, this.#turns.length, round)
  }

  /**
   * The number of turns up to the last one with tool calls. Tool effects stay; the answers after them can be asked for
   * again.
   */
  get #turnsWithCalls(): number {
    return this.#turns.findLastIndex(({ reply }) => reply.calls.length > 0) + 1
  }

  /** Without tools, the provider's structured output can be used from the first turn on. */
  get #isPlainOutput(): boolean {
    return this.#as.tools?.length === 0
  }

  /** Undefined: all tools that the policy allows. */
  get #toolNames(): readonly string[] | undefined {
    const hasCut = this.#turns.some(({ results }) =>
      results.some((end) => end.outcome === 'succeeded' && isCut(end.output)),
    )
    const { tools } = this.#as
    if (!hasCut) return tools
    const names = tools ?? this.#context.catalogue.offers().map(({ name }) => name)
    return [...names, readResultName]
  }

  async #takeReply({ reply, model, usage }: Extract<ModelCallEnd, { kind: 'reply' }>): Promise<TaskEnd | undefined> {
    await this.#context.yieldToEventLoop()
    const entry = await runSliced(this.#entryOf(reply, model))
    // A reply without calls needs no results, so the next decision is known at once. A model's judgement takes time:
    // then the reply is journaled first, so that it is not lost meanwhile.
    if (entry.calls.length === 0) {
      const decision = await this.#decide([...this.#turns, { reply: entry, results: [] }])
      if (decision.kind === 'done' && !isJudgedByModel(this.#context, this.#task))
        return this.#succeeded(decision, usage, entry)
    }
    await this.#journalReply(entry, usage)
    return this.#finishTurn(entry)
  }

  *#entryOf(reply: ModelReply, model: string): Generator<void, ReplyEntry> {
    const { run } = this.#context
    const calls: JournaledCall[] = []
    for (const [index, asked] of reply.toolCalls.entries()) {
      const callId = derivedWireId('call', run.id, this.#turnKey, String(index))
      calls.push({ callId, modelCallId: asked.id, ...(yield* hideCall(this.#context, asked)) })
    }
    // Scrubbed as in the journal, so that every execution of the run shows the model the same text.
    const text = run.secrets ? yield* run.secrets.scrub(reply.text) : reply.text
    return {
      text,
      ...(text !== reply.text && { redacted: true as const }),
      ...(reply.output !== undefined && { output: reply.output }),
      calls,
      ...(reply.finish === 'length' && { finish: 'length' as const }),
      model,
      promptVersion: prompts.worker.version,
      ...(reply.echo !== undefined && { echo: reply.echo }),
    }
  }

  async #journalReply(entry: ReplyEntry, usage: readonly NewUsage[]): Promise<void> {
    const rest = await this.#deltas.pause()
    const { groups } = await orderCalls(this.#context, entry.calls)
    const start = await startOf(this.#context, groups[0]?.calls ?? [], this.#callOptions)
    await this.#context.ledger.apply({
      events: [...(rest === '' ? [] : [contentDelta(this.#of, rest)]), ...start.events],
      journal: [journalEntry('reply', this.#turnKey, entry), ...start.journal],
      usage,
      // A finished turn is not repeated, so it is progress.
      ...(this.#turns.length > 0 && { resetsRecoveries: true }),
    })
  }

  get #callOptions(): CallOptions {
    const names = this.#toolNames
    return {
      step: this.#of,
      allowed: this.#as.tools === undefined ? undefined : new Set(names),
      begunBefore: this.#begunBefore,
      stepMsLeft: this.#time.msLeft,
      needsTools: this.#as.tools !== undefined,
    }
  }

  /** Makes the calls of a reply. Returns undefined when all have results. */
  async #finishTurn(reply: ReplyEntry): Promise<TaskEnd | undefined> {
    const ends = await makeCalls(this.#context, reply.calls, this.#callOptions)
    if (ends.kind === 'person_asked' || ends.kind === 'parked') return { ...ends, task: this.#task }
    if (ends.kind === 'unavailable') return this.#unavailable('tool_unavailable', ends.message)
    this.#turns.push({ reply, results: ends.results })
    await runSliced(writeTexts(ends.results.map((end) => (end.outcome === 'succeeded' ? end.output : end.message))))
    await yieldToEventLoop()
    // Later decisions depend on what followed from each of the turns.
    await this.#decide(this.#turns)
    return undefined
  }

  async #succeeded(
    done: Extract<LoopDecision, { kind: 'done' }>,
    usage: readonly NewUsage[],
    last?: ReplyEntry,
  ): Promise<TaskEnd> {
    const { secrets } = this.#context.run
    await this.#context.yieldToEventLoop()
    const output = secrets ? await runSliced(secrets.scrub(done.output)) : done.output
    await this.#context.yieldToEventLoop()
    const content = secrets ? await runSliced(this.#scrubbedContent(secrets, done.content)) : done.content
    const wasMasked = (last ?? this.#turns.at(-1)?.reply)?.redacted === true
    return {
      kind: 'succeeded',
      task: this.#task,
      content,
      output,
      redacted: wasMasked || content !== done.content || output !== done.output,
      rest: await this.#deltas.end(),
      usage,
      evidence: { instruction: this.#instruction, calls: this.#evidence(), keptTurns: this.#turnsWithCalls },
      ...(done.note && { note: done.note }),
    }
  }

  /** A secret may start in an earlier turn, and its second half alone would not be recognized. */
  *#scrubbedContent(secrets: SecretKeeper, content: string): Generator<void, string> {
    const before = this.#turns.map(({ reply }) => reply.text).join('')
    const earlier = before.endsWith(content) ? before.slice(0, -content.length || undefined) : before
    const held = earlier.slice(secrets.safeLength(earlier))
    const [alone, together] = [yield* secrets.scrub(content), yield* secrets.scrub(held + content)]
    return together === held + alone ? alone : together
  }

  #evidence() {
    return this.#turns.flatMap(({ reply, results }) =>
      reply.calls.map(({ name, input }, index) => {
        const end = results[index]
        const result = end?.outcome === 'succeeded' ? end.output : end?.message
        return { name, input, outcome: end?.outcome ?? 'failed', result }
      }),
    )
  }

  async #ended(end: Exclude<ModelCallEnd, { kind: 'reply' }>): Promise<TaskEnd> {
    if (end.kind !== 'failed') return { ...end, task: this.#task }
    const { reasonCode, message, retry, text } = end.failure
    const said = this.#context.run.secrets?.scrubCut(message) ?? message
    const words = end.isOwn ? { message: undefined, explanation: said } : { message: said }
    const failure = { reasonCode, ...words, retryable: retry === 'step', usage: end.usage }
    return this.#failed({ ...failure, rest: await this.#deltas.end(), content: text })
  }

  #failed(failure: Pick<TaskFailed, 'reasonCode' | 'message' | 'retryable'> & Partial<TaskFailed>): TaskFailed {
    const { secrets } = this.#context.run
    const said = failure.content ?? this.#turns.at(-1)?.reply.text ?? ''
    const content = secrets ? secrets.scrubText(said) : said
    const { reasonCode, message, explanation, retryable, rest = '', usage = [], keptTurns } = failure
    return {
      kind: 'failed',
      task: this.#task,
      reasonCode,
      message,
      ...(explanation !== undefined && { explanation: secrets?.scrubText(explanation) ?? explanation }),
      retryable,
      content,
      redacted: content !== said,
      rest,
      usage,
      ...(keptTurns !== undefined && { keptTurns }),
    }
  }
}
