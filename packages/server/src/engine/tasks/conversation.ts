// The conversation of an agent step with its model: the prompt, the turns so far, and the next question. It is
// shortened when it no longer fits the model's window.
import type { ReadAttachment } from '../../agents/describe-attachments.ts'
import { cutsResults } from '../../agents/finished-steps.ts'
import type { JudgedCall } from '../../agents/judge.ts'
import { prompts } from '../../agents/load-prompt.ts'
import { type Budget, type LazyContext, type PersonsAnswer, taskOf } from '../../agents/prompt.ts'
import { recallFor } from '../../agents/recall.ts'
import { isCut } from '../../agents/show-result.ts'
import { writeTexts } from '../../agents/value-text.ts'
import { workerMessages } from '../../agents/worker.ts'
import type { LoopDecision, LoopRules, WorkerTurn } from '../../agents/worker-loop.ts'
import type { JournaledCall, ReplyEntry, SeenByStep } from '../../domain/run/journal.ts'
import type { Task } from '../../domain/run/next-move.ts'
import { turnName } from '../../domain/run/turn-log.ts'
import type { Message, ModelReply, ModelRequest } from '../../models/port/model.ts'
import { derivedWireId } from '../../runtime/derived-ids.ts'
import { runSliced, yieldToEventLoop } from '../../runtime/time-slices.ts'
import { hideCall } from '../calls/secret-calls.ts'
import type { CallScope } from '../context/call-scope.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import { makeOnce } from '../context/make-once.ts'
import { promptContext, seenNow, toldAnswer } from '../context/prompt-context.ts'
import type { StepAgent } from '../context/step-agent.ts'
import { callModel, type ModelCallEnd } from '../models/call-model.ts'
import { Compaction } from './compaction.ts'
import type { StepOutput } from './step-output.ts'
import { StepTools } from './step-tools.ts'

/** Less of a limit than this share is little. */
const lowShare = 0.2

export type Asking = Extract<LoopDecision, { kind: 'ask' }>

/** What the conversation is about, and who answers. */
interface Subject {
  readonly as: StepAgent
  readonly output: StepOutput
  readonly instruction: string
}

export class Conversation {
  readonly task: Task
  readonly instruction: string
  readonly #context: ExecutionContext
  readonly #as: StepAgent
  readonly #output: StepOutput
  readonly #tools: StepTools
  readonly #scope: CallScope
  readonly #turns: WorkerTurn[] = []
  readonly #compaction: Compaction
  readonly #seen: () => SeenByStep
  readonly #described: LazyContext
  #memory = ''
  #attachments: readonly ReadAttachment[] = []
  /** A result was too long to be shown whole. */
  #hasCut = false
  /** So was that of an earlier step. */
  #cutsSteps = false

  constructor(context: ExecutionContext, task: Task, { as, output, instruction }: Subject) {
    this.instruction = instruction
    this.#context = context
    this.task = task
    this.#as = as
    this.#output = output
    this.#tools = new StepTools(context, task, as)
    const tools = this.#tools
    this.#scope = {
      get searched() {
        return tools.searched
      },
      skills: as.skills,
    }
    this.#compaction = new Compaction(context, task, as.models)
    // The prompt of a step must stay the same over its turns: providers cache its beginning.
    this.#seen = makeOnce(() => this.#journaled?.seen ?? seenNow(context.ledger))
    this.#described = makeOnce(() => promptContext(context, { current: task.key, seen: this.#seen() })())
  }

  get turns(): readonly WorkerTurn[] {
    return this.#turns
  }

  get rules(): LoopRules {
    const { turns } = this.#context.ledger.progress
    return { maxTurns: this.#as.maxTurns, ...this.#output.rules, notesOn: (reply) => turns.notesOn(reply) }
  }

  /** Names the next turn in the journal. */
  get turnKey(): string {
    const round = this.#context.ledger.progress.turns.roundOf(this.task.key)
    return turnName(this.task.key, this.#turns.length, round)
  }

  /**
   * The number of turns up to the last one with tool calls. Tool effects stay; the answers after them can be asked for
   * again.
   */
  get turnsWithCalls(): number {
    return this.#turns.findLastIndex(({ reply }) => reply.calls.length > 0) + 1
  }

  /** The tools that the model may call. Undefined: all that the policy allows. */
  get allowedTools(): ReadonlySet<string> | undefined {
    return this.#tools.allowed(this.#readsOn)
  }

  /** Whether a result was too long to be shown whole. */
  get #readsOn(): boolean {
    return this.#hasCut || this.#cutsSteps
  }

  /** The first reply of the step, also if it was written by an earlier execution. */
  get #journaled(): ReplyEntry | undefined {
    return this.#context.ledger.progress.turns.repliesOf(this.task.key)[0]
  }

  get #canReadOn(): boolean {
    const { tools } = this.#as
    return tools?.length !== 0 && this.#readsPrompt
  }

  get #readsPrompt(): boolean {
    return this.#as.models.some(({ readsPrompt }) => readsPrompt !== false)
  }

  /** Without tools, the provider's structured output can be used from the first turn on. */
  get #sendsSchema(): boolean {
    const { tools, skills } = this.#as
    return tools?.length === 0 && skills.length === 0
  }

  get #firstSeen(): SeenByStep {
    return { ...this.#seen(), ...(this.#memory !== '' && { memory: this.#memory }) }
  }

  /** Called before the first turn: finds out which results of earlier steps are not shown whole. */
  async open(): Promise<void> {
    if (!this.#canReadOn) return
    await this.#context.inputs.writeTexts()
    this.#noteCutSteps()
  }

  #noteCutSteps(): void {
    this.#cutsSteps = this.#canReadOn && cutsResults(this.#described().finished, this.#compaction.shown)
  }

  /** What the calls of a reply can look for, when they are made. */
  openCalls({ calls }: ReplyEntry): void {
    for (const { callId } of calls) this.#context.scopes.set(callId, this.#scope)
  }

  /** For the judge. */
  get calls(): JudgedCall[] {
    return this.#turns.flatMap(({ reply, results }) =>
      reply.calls.map(({ name, input }, index) => {
        const end = results[index]
        const result = end?.outcome === 'succeeded' ? end.output : end?.message
        return { name, input, outcome: end?.outcome ?? 'failed', result }
      }),
    )
  }

  /** Adds a turn whose calls all have results. Writes the texts of the results, so that prompts find them. */
  async add(turn: WorkerTurn): Promise<void> {
    const { results } = turn
    this.#turns.push(turn)
    await runSliced(writeTexts(results.map((end) => (end.outcome === 'succeeded' ? end.output : end.message))))
    await yieldToEventLoop()
    this.#hasCut ||= results.some((end) => end.outcome === 'succeeded' && isCut(end.output))
  }

  /** Asks for the next turn. Returns undefined when the conversation was too long, and can be asked again now. */
  async ask(asking: Asking, onText: ModelRequest['onText']): Promise<ModelCallEnd | undefined> {
    const { models } = this.#as
    const { inputs } = this.#context
    this.#attachments = await inputs.attachmentsFor(models)
    if (this.#readsPrompt) await inputs.writeTexts()
    const failed = await this.#compaction.shortenIfNeeded(() => this.#messages(), this.#turns, this.instruction)
    if (failed) return failed
    const end = await this.#call(asking, onText)
    if (end.kind !== 'failed' || end.failure.reasonCode !== 'context_exceeded') return end
    const shortened = await this.#compaction.shortenHarder(this.#turns, this.instruction, end.usage)
    if (shortened.kind === 'shortened') return undefined
    return shortened.kind === 'cannot_shorten' ? end : shortened
  }

  /** A reply as it is journaled: without secrets, and with ids of calls that are the same in every execution. */
  *entryOf(reply: ModelReply, model: string): Generator<void, ReplyEntry> {
    const { run } = this.#context
    const calls: JournaledCall[] = []
    for (const [index, asked] of reply.toolCalls.entries()) {
      const callId = derivedWireId('call', run.id, this.turnKey, String(index))
      const { id: modelCallId, via } = asked
      calls.push({ callId, modelCallId, ...(yield* hideCall(this.#context, asked)), ...(via && { via }) })
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
      ...(this.#turns.length === 0 && this.#readsPrompt && { seen: this.#firstSeen }),
    }
  }

  async #call({ offersTools, wantsJson }: Asking, onText: ModelRequest['onText']): Promise<ModelCallEnd> {
    const { ledger, inputs } = this.#context
    const { models, agent } = this.#as
    const [model] = models
    if (offersTools) await this.#tools.prepare()
    const about = () => this.instruction || taskOf(this.#described())
    this.#noteCutSteps()
    const before = this.#journaled?.seen
    if (model) this.#memory = before ? (before.memory ?? '') : await recallFor(model, inputs.recall, about)
    return callModel(this.#context, {
      role: 'worker',
      models,
      agent: agent?.name,
      key: this.turnKey,
      request: {
        messages: () => this.#messages(),
        tools: offersTools ? this.#tools.offers(this.#readsOn) : [],
        outputSchema: wantsJson || this.#sendsSchema ? this.rules.outputSchema : undefined,
        parameters: agent?.parameters,
        onText,
        rehearsal: inputs.rehearsal({
          agentStep: this.task.agentStep,
          failures: ledger.progress.failuresOf(this.task.key).total,
          turn: this.#turns.length,
          revision: ledger.progress.turns.revisionsOf(this.task.key),
          isLast: ledger.progress.isLast(this.task.key),
        }),
      },
    })
  }

  #answersAbout(callId: string): PersonsAnswer[] {
    const { progress } = this.#context.ledger
    const edited = progress.turns.startedCalls.get(callId)?.edited
    return progress.answers.about(callId).map((answer) => {
      const told = toldAnswer(progress, answer)
      // Sensitive values were masked in the question. The call has the placeholders that the model knows.
      const isMade = told.call?.arguments !== undefined && edited !== undefined
      return isMade ? { ...told, call: { arguments: edited as Record<string, unknown> } } : told
    })
  }

  /** The model is told only when little is left: it changes with every turn. */
  get #lowBudget(): Budget | undefined {
    const { tokens, clock, run } = this.#context
    const isLow = tokens.left < run.tokenLimit * lowShare || clock.secondsLeft < run.durationSeconds * lowShare
    return isLow ? { tokensLeft: tokens.left, secondsLeft: clock.secondsLeft } : undefined
  }

  #messages(): Message[] {
    return workerMessages({
      agent: this.#as.agent,
      skills: this.#as.skills,
      context: this.#described(),
      instruction: this.instruction,
      memory: this.#memory,
      attachments: this.#attachments,
      turns: this.#turns,
      answersAbout: (callId) => this.#answersAbout(callId),
      budget: this.#lowBudget,
      rules: this.rules,
      sendsSchema: this.#sendsSchema,
      summary: this.#context.ledger.progress.turns.summaryOf(this.task.key),
      shown: { ...this.#compaction.shown, canReadOn: this.#canReadOn },
    })
  }
}
