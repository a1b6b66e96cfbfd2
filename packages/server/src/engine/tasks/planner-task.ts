// Executes a planner step: its plan becomes the current one. An unusable reply gets one repair turn; after that the run
// continues without a plan, because a bad plan must not end a run.
import { defaultMaxAttempts } from '@runwright/contract'
import type { ReadAttachment } from '../../agents/describe-attachments.ts'
import {
  type MadePlan,
  plannerMessages,
  plannerPrompt,
  planOutputSchema,
  planProblem,
  readPlan,
} from '../../agents/planner.ts'
import { taskOf } from '../../agents/prompt.ts'
import { repairRequest } from '../../agents/read-output.ts'
import { recallFor } from '../../agents/recall.ts'
import { journalEntry, plannerStepId } from '../../domain/run/journal.ts'
import type { NextMove, Task } from '../../domain/run/progress.ts'
import { ServiceError } from '../../domain/service-error.ts'
import { compileSchemas } from '../../lifecycle/compile-schemas.ts'
import { contentDelta, coordinationDecision, stepDone } from '../../lifecycle/step-events.ts'
import type { Message, ModelReply } from '../../models/port/model.ts'
import { inTurns } from '../../runtime/turns.ts'
import { awaitNamedTools, listTools } from '../calls/await-tools.ts'
import { offeredTools } from '../calls/call-policy.ts'
import { throwIfAborted } from '../context/abort-reason.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import { logFields } from '../context/log-fields.ts'
import { makeOnce } from '../context/make-once.ts'
import type { EndedPlan } from '../context/observer.ts'
import { promptContext } from '../context/prompt-context.ts'
import { taskCompleted } from '../ledger/token-usage.ts'
import { callModel, type ModelCallEnd } from '../models/call-model.ts'
import { DeltaStream } from './delta-stream.ts'
import { settleTask } from './settle-task.ts'
import type { Settled, TaskEnd } from './task-end.ts'

export type PlanMove = Extract<NextMove, { move: 'plan' }>

export async function planNext(context: ExecutionContext, move: PlanMove): Promise<Settled> {
  const of = context.stepOf(move.key)
  const deltas = new DeltaStream({
    enabled: context.run.streaming,
    safeLength: context.safeLength,
    send: async (text) => void (await context.ledger.apply({ events: [contentDelta(of, text)] })),
  })
  try {
    return await new PlannerTask(context, move, deltas).execute()
  } finally {
    await deltas.discard()
  }
}

type Reply = Extract<ModelCallEnd, { end: 'reply' }>

class PlannerTask {
  readonly #context: ExecutionContext
  readonly #move: PlanMove
  readonly #deltas: DeltaStream
  readonly #startedMs = Date.now()

  constructor(context: ExecutionContext, move: PlanMove, deltas: DeltaStream) {
    this.#context = context
    this.#move = move
    this.#deltas = deltas
  }

  async execute(): Promise<Settled> {
    await this.#context.openAgents('planner')
    const { agents, modelProblem } = this.#context
    if (modelProblem !== undefined) return this.#settle(unavailable('model_unavailable', modelProblem))
    if (agents.problem !== undefined) return this.#settle(unavailable('agent_unavailable', agents.problem))
    const missing = await this.#awaitTools()
    if (missing) return this.#settle(missing)
    const memory = await this.#recall()
    const attachments = await this.#context.attachmentsFor(this.#context.models.planner)
    const asked = makeOnce(() => this.#messages(memory, attachments))
    const first = await this.#ask('0', asked)
    if (first.end !== 'reply') return this.#settle(first)
    const plan = await this.#read(first.reply)
    if (typeof plan !== 'string') return this.#adopt(plan, first)
    return this.#repair(asked, first, plan)
  }

  async #repair(asked: () => Message[], first: Reply, problem: string): Promise<Settled> {
    await this.#context.ledger.record({ usage: first.usage })
    const said: Message[] = [
      { from: 'assistant', text: first.reply.text, toolCalls: [] },
      { from: 'user', text: repairRequest(problem) },
    ]
    const second = await this.#ask('repair', () => [...asked(), ...said])
    if (second.end !== 'reply') return this.#settle(second)
    const plan = await this.#read(second.reply)
    if (typeof plan !== 'string') return this.#adopt(plan, second)
    const { parts, run } = this.#context
    parts.logger.warn({ ...logFields(run, parts.observer), problem: plan }, 'the planner made no usable plan')
    return this.#goUnplanned(second)
  }

  /** The planner knows all tools that its agent names, also if their server is away. */
  async #awaitTools(): Promise<Exclude<ModelCallEnd, { end: 'reply' }> | undefined> {
    const { own } = this.#context.agents
    if (own?.tools === undefined) return void (await listTools(this.#context))
    const found = await awaitNamedTools(this.#context, `tools:${this.#move.key}`, own.tools)
    return found?.end === 'missing' ? unavailable('tool_unavailable', found.message) : found
  }

  async #recall(): Promise<string> {
    const [model] = this.#context.models.planner
    if (model && model.readsPrompt !== false) await this.#context.writeTexts()
    const about = () => taskOf(promptContext(this.#context)())
    return model ? recallFor(model, this.#context.recall, about) : ''
  }

  #messages(memory: string, attachments: readonly ReadAttachment[]): Message[] {
    const { progress } = this.#context.ledger
    const { set, own } = this.#context.agents
    const isReplan = progress.replans > 0
    return plannerMessages({
      context: promptContext(this.#context)(),
      tools: offeredTools(this.#context, own?.tools),
      agents: set?.agents ?? [],
      runAgent: own,
      memory,
      attachments,
      replan: isReplan ? { reason: progress.replanReason } : undefined,
    })
  }

  #ask(turn: string, messages: () => Message[]): Promise<ModelCallEnd> {
    const { ledger } = this.#context
    return callModel(this.#context, {
      role: 'planner',
      promptVersion: this.#promptVersion,
      key: `${this.#move.key}:${turn}`,
      request: {
        get messages() {
          return messages()
        },
        tools: [],
        outputSchema: planOutputSchema(this.#context.agents.set?.names),
        onText: (text) => this.#deltas.write(text),
        rehearsal: this.#context.rehearsal({
          agentStep: this.#move.agentStep,
          failures: ledger.progress.failuresOf(this.#move.key).total,
          turn: 0,
          isLast: false,
        }),
      },
    })
  }

  get #promptVersion(): string {
    const hasAgents = (this.#context.agents.set?.agents.length ?? 0) > 0
    return plannerPrompt(hasAgents).version
  }

  async #read(reply: ModelReply): Promise<MadePlan | string> {
    const { catalogue, agents, parts, run, signal } = this.#context
    const mayUse = (name: string) => agents.own?.tools?.includes(name) ?? true
    const knownTools = { has: (name: string) => mayUse(name) && catalogue.find(name) !== undefined }
    const plan = await inTurns(readPlan(reply, knownTools, agents.set))
    if (typeof plan === 'string') return plan
    try {
      await compileSchemas(parts.schemas, plan.schemas, { customerId: run.customerId, signal })
      return plan
    } catch (error) {
      throwIfAborted(signal)
      if (error instanceof ServiceError) return planProblem(error)
      throw error
    }
  }

  #adopt({ wire }: MadePlan, said: Reply): Promise<Settled> {
    const plan = journalEntry('plan', String(this.#move.generation), wire)
    return this.#finish(said, { entry: plan, reasonCode: 'plan_ready' })
  }

  #goUnplanned(said: Reply): Promise<Settled> {
    const unplanned = journalEntry('unplanned', String(this.#move.generation), {})
    return this.#finish(said, { entry: unplanned, reasonCode: 'plan_unusable' })
  }

  async #finish({ reply, model, usage }: Reply, { entry, reasonCode }: Finish): Promise<Settled> {
    const { ledger, run } = this.#context
    const of = this.#context.stepOf(this.#move.key)
    const rest = await this.#deltas.end()
    const plannedBy = { model, promptVersion: this.#promptVersion }
    const step = { stepId: plannerStepId, kind: 'planner', output: null, redacted: false, plannedBy } as const
    const done = { ...step, content: reply.text }
    this.#tellEnd('succeeded')
    await ledger.record({
      resetsRecoveries: true,
      events: [
        ...(rest === '' ? [] : [contentDelta(of, rest)]),
        stepDone(of, { content: reply.text, outcome: 'succeeded' }),
        coordinationDecision(run.requestId, { decision: 'continue', reasonCode, role: 'planner' }),
      ],
      journal: [journalEntry('done', this.#move.key, { ...done, order: ledger.progress.done.size }), entry],
      usage: [...usage, taskCompleted(this.#move.key)],
    })
    return 'go on'
  }

  async #settle(end: Exclude<ModelCallEnd, { end: 'reply' }>): Promise<Settled> {
    const task = plannerTask(this.#move)
    if (end.end !== 'parked') this.#tellEnd(end.end)
    return settleTask(this.#context, await this.#endOf(task, end), { alone: true, isQuiet: true })
  }

  #tellEnd(outcome: EndedPlan['outcome']): void {
    const { run, ledger, parts } = this.#context
    const { key: taskKey } = this.#move
    const failures = ledger.progress.failuresOf(taskKey).total
    const plan = { kind: 'planner', run, taskKey, failures, startedMs: this.#startedMs, outcome } as const
    parts.observer?.stepEnded?.(plan)
    parts.observer?.planEnded?.(plan)
  }

  async #endOf(task: Task, end: Exclude<ModelCallEnd, { end: 'reply' }>): Promise<TaskEnd> {
    if (end.end !== 'failed') return { ...end, task }
    const { reasonCode, message: said, retry, text: content } = end.failure
    const rest = await this.#deltas.end()
    const words = end.isOwn ? { message: undefined, explanation: said } : { message: said }
    return { end: 'failed', task, reasonCode, ...words, retryable: retry === 'step', content, rest, usage: end.usage }
  }
}

const unavailable = (reasonCode: string, message: string): Extract<ModelCallEnd, { end: 'failed' }> => ({
  end: 'failed',
  isOwn: true,
  failure: {
    kind: 'failure',
    reasonCode,
    message,
    retry: 'never',
    text: message,
    usage: undefined,
  },
  usage: [],
})

interface Finish {
  readonly entry: ReturnType<typeof journalEntry>
  readonly reasonCode: 'plan_ready' | 'plan_unusable'
}

/** A planner step as a task, so that its failures are settled like those of any other step. */
const plannerTask = ({ key, agentStep }: PlanMove): Task => ({
  key,
  stepId: plannerStepId,
  agentStep,
  planned: false,
  step: {
    kind: 'agent',
    id: plannerStepId,
    dependsOn: [],
    wire: { id: plannerStepId, instruction: 'plan' },
    instruction: 'plan',
    tools: [],
    outputSchema: undefined,
    maxAttempts: defaultMaxAttempts,
    timeoutSeconds: undefined,
    approvalRequired: false,
  },
})
