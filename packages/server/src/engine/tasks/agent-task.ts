// Executes an agent step: model turns and the tool calls they ask for. Each one is journaled before the next starts.
//
//   take the journaled turns
//   until the worker loop says done or fail:
//     ask the model; journal its reply under task and turn
//     make the calls that it asks for and that have no journaled result
//
// A failed model call is retried by itself, so a finished tool call is never repeated, whatever fails after it.
import { decideTurn, type LoopDecision, type WorkerTurn } from '../../agents/worker-loop.ts'
import { describeUnresolved } from '../../domain/plan/fill-templates.ts'
import type { ResolvedAgentStep } from '../../domain/plan/plan.ts'
import { journalEntry, type ReplyEntry } from '../../domain/run/journal.ts'
import type { Task } from '../../domain/run/next-move.ts'
import { contentDelta } from '../../runs/step-events.ts'
import { runSliced, yieldToEventLoop } from '../../runtime/time-slices.ts'
import type { NewUsage } from '../../store/run-log/run-change.ts'
import { awaitNamedTools, listTools } from '../calls/await-tools.ts'
import type { CallOptions } from '../calls/call-end.ts'
import { orderCalls } from '../calls/once-calls.ts'
import { startOf, writeStart } from '../calls/tool-calls.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import { type StepAgent, stepAgent } from '../context/step-agent.ts'
import { mayBeGraded } from '../context/step-rubrics.ts'
import type { StepTime } from '../context/step-times.ts'
import type { LedgerChange } from '../ledger/run-ledger.ts'
import type { ModelCallEnd } from '../models/call-model.ts'
import { stepFailed, stepSucceeded, stepUnavailable } from './agent-end.ts'
import { type Asking, Conversation } from './conversation.ts'
import { DeltaStream } from './delta-stream.ts'
import { isJudgedByModel } from './judge-step.ts'
import { makeCalls } from './make-calls.ts'
import { StepOutput } from './step-output.ts'
import type { TaskEnd } from './task-end.ts'

/** To handle a text of this length takes milliseconds. */
const longText = 50_000

type Reply = Extract<ModelCallEnd, { kind: 'reply' }>

interface AgentStep {
  readonly step: ResolvedAgentStep
  readonly time: StepTime
}

export async function executeAgentTask(
  context: ExecutionContext,
  task: Task,
  { step, time }: AgentStep,
): Promise<TaskEnd> {
  const as = stepAgent(context, step)
  if (as.problem !== undefined) return stepUnavailable(context, task, as.problem)
  const filled = context.inputs.fill(step.instruction)
  if (!filled.ok) {
    const content = `${describeUnresolved(filled)}.`
    return stepFailed(context, task, { ...permanently, reasonCode: 'template_unresolved', content, misplanned: true })
  }
  const output = new StepOutput(context, task, step)
  const unusable = await output.open()
  if (unusable) {
    const { reasonCode, message: explanation } = unusable
    return stepFailed(context, task, { ...permanently, reasonCode, explanation, keptTurns: 0 })
  }
  const conversation = new Conversation(context, task, { as, output, instruction: String(filled.value) })
  await conversation.open()
  return new AgentLoop(context, conversation, { as, output, step, time }).run()
}

/** The step fails for a reason of its own: no provider failed, and another attempt would end the same way. */
const permanently = { message: undefined, retryable: false } as const

interface LoopParts {
  readonly as: StepAgent
  readonly output: StepOutput
  readonly step: ResolvedAgentStep
  readonly time: StepTime
}

class AgentLoop {
  readonly #context: ExecutionContext
  readonly #conversation: Conversation
  readonly #as: StepAgent
  readonly #output: StepOutput
  readonly #step: ResolvedAgentStep
  readonly #time: StepTime
  readonly #deltas: DeltaStream
  readonly #begunBefore: ReadonlySet<string>

  constructor(context: ExecutionContext, conversation: Conversation, { as, output, step, time }: LoopParts) {
    this.#context = context
    this.#conversation = conversation
    this.#as = as
    this.#output = output
    this.#step = step
    this.#time = time
    this.#begunBefore = new Set(context.ledger.progress.turns.startedCalls.keys())
    this.#deltas = new DeltaStream({
      enabled: context.run.streaming,
      safeLength: context.safeLength,
      send: async (text) => void (await context.ledger.apply({ events: [contentDelta(this.#of, text)] })),
    })
  }

  async run(): Promise<TaskEnd> {
    try {
      return await this.#loop()
    } finally {
      await this.#deltas.discard()
    }
  }

  get #task(): Task {
    return this.#conversation.task
  }

  get #of() {
    return this.#context.stepOf(this.#task.key)
  }

  async #loop(): Promise<TaskEnd> {
    for (;;) {
      const { turns } = this.#conversation
      const replies = this.#context.ledger.progress.turns.repliesOf(this.#task.key)
      while (turns.length < replies.length) {
        const reply = replies[turns.length] as ReplyEntry
        this.#deltas.recall(reply.text)
        const end = await this.#finishTurn(reply)
        if (end) return end
      }
      const decision = await this.#decide(turns)
      const end = decision.kind === 'ask' ? await this.#takeTurn(decision) : await this.#ended(decision)
      if (end) return end
    }
  }

  /** What follows from the turns, once the answer that they end with was checked. */
  async #decide(turns: readonly WorkerTurn[]): Promise<Exclude<LoopDecision, { kind: 'check' }>> {
    for (;;) {
      // To read the JSON of a long answer takes a while.
      if ((turns.at(-1)?.reply.text.length ?? 0) > longText) await yieldToEventLoop()
      const decision = decideTurn(turns, this.#conversation.rules)
      if (decision.kind !== 'check') return decision
      await this.#output.check((turns.at(-1) as WorkerTurn).reply, decision.output)
    }
  }

  /** Takes one more turn. Returns undefined when the loop continues. */
  async #takeTurn(asking: Asking): Promise<TaskEnd | undefined> {
    const missing = asking.offersTools ? await this.#awaitTools() : undefined
    if (missing?.kind === 'parked') return { ...missing, task: this.#task }
    if (missing) return this.#toolUnavailable(missing.message)
    const end = await this.#conversation.ask(asking, (text) => this.#deltas.write(text))
    if (end === undefined) return undefined
    return end.kind === 'reply' ? this.#takeReply(end) : this.#callEnded(end)
  }

  /** A model is never asked with fewer tools than the step names. */
  async #awaitTools() {
    const { tools } = this.#as
    if (tools === undefined) return void (await listTools(this.#context))
    return awaitNamedTools(this.#context, `tools:${this.#conversation.turnKey}`, tools)
  }

  #toolUnavailable(message: string): TaskEnd {
    return stepUnavailable(this.#context, this.#task, { reasonCode: 'tool_unavailable', message })
  }

  async #takeReply({ reply, model, usage }: Reply): Promise<TaskEnd | undefined> {
    await this.#context.yieldToEventLoop()
    const entry = await runSliced(this.#conversation.entryOf(reply, model))
    // A reply without calls needs no results, so the next decision is known at once. A model's judgement takes time,
    // and a grade belongs to a journaled turn: then the reply is journaled first, so that it is not lost meanwhile.
    if (entry.calls.length === 0) {
      const done = await this.#decide([...this.#conversation.turns, { reply: entry, results: [] }])
      if (done.kind === 'done' && !this.#isJudged) {
        return stepSucceeded(this.#context, this.#conversation, { done, usage, deltas: this.#deltas, last: entry })
      }
    }
    await this.#journalReply(entry, usage)
    return this.#finishTurn(entry)
  }

  get #isJudged(): boolean {
    return mayBeGraded(this.#context, this.#step) || isJudgedByModel(this.#context, this.#task)
  }

  async #journalReply(entry: ReplyEntry, usage: readonly NewUsage[]): Promise<void> {
    const rest = await this.#deltas.pause()
    const { groups } = await orderCalls(this.#context, entry.calls)
    const start = await startOf(this.#context, groups[0]?.calls ?? [], this.#callOptions)
    const { events, journal } = start.change
    const change: LedgerChange = {
      events: [...(rest === '' ? [] : [contentDelta(this.#of, rest)]), ...events],
      journal: [journalEntry('reply', this.#conversation.turnKey, entry), ...journal],
      usage,
      // A finished turn is not repeated, so it is progress.
      ...(this.#conversation.turns.length > 0 && { resetsRecoveries: true }),
    }
    await writeStart(this.#context, { change, onlyReads: start.onlyReads })
  }

  get #callOptions(): CallOptions {
    const { tools } = this.#as
    return {
      step: this.#of,
      allowed: this.#conversation.allowedTools,
      begunBefore: this.#begunBefore,
      stepMsLeft: this.#time.msLeft,
      needsTools: tools !== undefined,
    }
  }

  /** Makes the calls of a reply. Returns undefined when all have results. */
  async #finishTurn(reply: ReplyEntry): Promise<TaskEnd | undefined> {
    this.#conversation.openCalls(reply)
    const ends = await makeCalls(this.#context, reply.calls, this.#callOptions)
    if (ends.kind === 'person_asked' || ends.kind === 'parked') return { ...ends, task: this.#task }
    if (ends.kind === 'unavailable') return this.#toolUnavailable(ends.message)
    await this.#conversation.add({ reply, results: ends.results })
    // Later decisions depend on what followed from each of the turns.
    await this.#decide(this.#conversation.turns)
    return undefined
  }

  async #ended(decision: Extract<LoopDecision, { kind: 'done' | 'fail' }>): Promise<TaskEnd> {
    if (decision.kind === 'done') {
      return stepSucceeded(this.#context, this.#conversation, { done: decision, usage: [], deltas: this.#deltas })
    }
    const { reasonCode, message: explanation } = decision
    const { turns, turnsWithCalls: keptTurns } = this.#conversation
    const content = turns.at(-1)?.reply.text ?? ''
    return stepFailed(this.#context, this.#task, { ...permanently, reasonCode, explanation, content, keptTurns })
  }

  async #callEnded(end: Exclude<ModelCallEnd, Reply>): Promise<TaskEnd> {
    if (end.kind !== 'failed') return { ...end, task: this.#task }
    const { reasonCode, message, retry, text: content } = end.failure
    const said = this.#context.run.secrets?.scrubCut(message) ?? message
    const words = end.isOwn ? { message: undefined, explanation: said } : { message: said }
    const failure = { reasonCode, ...words, retryable: retry === 'step', usage: end.usage }
    return stepFailed(this.#context, this.#task, { ...failure, rest: await this.#deltas.end(), content })
  }
}
