// Executes a planner step: its plan becomes the current one. An unusable reply gets one repair turn; after that the run
// continues without a plan, because a bad plan must not end a run.
import { defaultMaxAttempts, listProblems } from '@runwright/contract'
import { toolInputProblems } from '../../agents/check-tool-inputs.ts'
import type { AgentSet } from '../../agents/definitions/agent-set.ts'
import type { ReadAttachment } from '../../agents/describe-attachments.ts'
import type { Shown } from '../../agents/finished-steps.ts'
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
import type { ResolvedAgentStep, ResolvedStep } from '../../domain/plan/plan.ts'
import { type JoinedPlan, type KeptSteps, keepsPlan, keptSteps, samePlan } from '../../domain/plan/plan-again.ts'
import { journalEntry, plannerStepId, taskKey } from '../../domain/run/journal.ts'
import type { NextMove, Task } from '../../domain/run/next-move.ts'
import { ServiceError } from '../../domain/service-error.ts'
import type { Message, ModelReply } from '../../models/port/model.ts'
import { compileSchemas } from '../../runs/compile-schemas.ts'
import { contentDelta, coordinationDecision, stepDone } from '../../runs/step-events.ts'
import { runSliced } from '../../runtime/time-slices.ts'
import { awaitNamedTools, listTools } from '../calls/await-tools.ts'
import { asksPerson, offeredTools } from '../calls/call-policy.ts'
import { idsOfStepCall } from '../calls/step-call.ts'
import { throwIfAborted } from '../context/abort-reason.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import { logFields } from '../context/log-fields.ts'
import { makeOnce } from '../context/make-once.ts'
import type { EndedPlan } from '../context/observer.ts'
import { promptContext, whatOf } from '../context/prompt-context.ts'
import { taskCompleted } from '../ledger/token-usage.ts'
import { callModel, type ModelCallEnd } from '../models/call-model.ts'
import { DeltaStream } from './delta-stream.ts'
import { finishStep } from './finish-step.ts'
import { FittingPrompt } from './fitting-prompt.ts'
import { goOn, type Settled } from './settled.ts'
import { noOtherTasks, type TaskEnd } from './task-end.ts'

export type PlanMove = Extract<NextMove, { kind: 'plan' }>

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

type Reply = Extract<ModelCallEnd, { kind: 'reply' }>

interface Prompted {
  readonly memory: string
  readonly attachments: readonly ReadAttachment[]
  readonly shown: Shown | undefined
}

class PlannerTask {
  readonly #context: ExecutionContext
  readonly #move: PlanMove
  readonly #deltas: DeltaStream
  readonly #kept: KeptSteps | undefined
  readonly #prompt: FittingPrompt
  readonly #startedMs = Date.now()

  constructor(context: ExecutionContext, move: PlanMove, deltas: DeltaStream) {
    this.#context = context
    this.#move = move
    this.#deltas = deltas
    this.#kept = stepsToKeep(context)
    this.#prompt = new FittingPrompt(context, context.models.planner)
  }

  async execute(): Promise<Settled> {
    await this.#context.openAgents('planner')
    const { agents, models } = this.#context
    if (models.problem !== undefined) return this.#endStep(unavailable('model_unavailable', models.problem))
    if (agents.problem !== undefined) return this.#endStep(unavailable('agent_unavailable', agents.problem))
    if (this.#isOverLimit) return this.#endStep(unavailable('replan_limit', tooManyPlans))
    const missing = await this.#awaitTools()
    if (missing) return this.#endStep(missing)
    const memory = await this.#recall()
    const attachments = await this.#context.inputs.attachmentsFor(this.#context.models.planner)
    const asked = (shown?: Shown) => this.#messages({ memory, attachments, shown })
    const first = await this.#prompt.ask(asked, (messages) => this.#ask('0', makeOnce(messages)))
    if (first.kind !== 'reply') return this.#endStep(first)
    const plan = await this.#read(first.reply)
    if (typeof plan !== 'string') return this.#adopt(plan, first)
    return this.#repair(asked, first, plan)
  }

  /** Waits without an answer can ask for plans without end. A retry of the run allows one more. */
  get #isOverLimit(): boolean {
    const { ledger, models, parts } = this.#context
    const { replans } = ledger.progress
    const isRetried = ledger.progress.failuresOf(this.#move.key).total > 0
    return models.planner[0]?.readsPrompt !== false && replans > parts.limits.maxReplans && !isRetried
  }

  async #repair(asked: (shown?: Shown) => Message[], first: Reply, problem: string): Promise<Settled> {
    await this.#context.ledger.record({ usage: first.usage })
    const said: Message[] = [
      { from: 'assistant', text: first.reply.text, toolCalls: [] },
      { from: 'user', text: repairRequest(problem) },
    ]
    const second = await this.#prompt.ask(
      (shown) => [...asked(shown), ...said],
      (messages) => this.#ask('repair', makeOnce(messages)),
    )
    if (second.kind !== 'reply') return this.#endStep(second)
    const plan = await this.#read(second.reply)
    if (typeof plan !== 'string') return this.#adopt(plan, second)
    const { parts, run } = this.#context
    parts.logger.warn({ ...logFields(run, parts.observer), problem: plan }, 'the planner made no usable plan')
    return this.#kept && keepsPlan(this.#kept) ? this.#goOnAsBefore(this.#kept, second) : this.#goUnplanned(second)
  }

  /** The planner knows all tools that its agent names, also if their server is away. */
  async #awaitTools(): Promise<Exclude<ModelCallEnd, { kind: 'reply' }> | undefined> {
    const { own } = this.#context.agents
    if (own?.tools === undefined) return void (await listTools(this.#context))
    const found = await awaitNamedTools(this.#context, `tools:${this.#move.key}`, own.tools)
    return found?.kind === 'missing' ? unavailable('tool_unavailable', found.message) : found
  }

  async #recall(): Promise<string> {
    const [model] = this.#context.models.planner
    if (model && model.readsPrompt !== false) await this.#context.inputs.writeTexts()
    const about = () => taskOf(promptContext(this.#context)())
    return model ? recallFor(model, this.#context.inputs.recall, about) : ''
  }

  #messages({ memory, attachments, shown }: Prompted): Message[] {
    const { progress } = this.#context.ledger
    const { set, own } = this.#context.agents
    const isReplan = progress.replans > 0
    const { staying, needed, broken } = this.#kept ?? { staying: [], needed: [], broken: [] }
    const listed = (steps: readonly ResolvedStep[]) => steps.map((step) => ({ id: step.id, what: whatOf(step) }))
    return plannerMessages({
      context: promptContext(this.#context)(),
      tools: offeredTools(this.#context, own?.tools ?? 'all').map((tool) => ({
        ...tool,
        asksPerson: asksPerson(this.#context, tool.name),
      })),
      agents: set?.agents ?? [],
      runAgent: own,
      memory,
      attachments,
      shown,
      replan: isReplan
        ? {
            reason: progress.replanReasons.join(' ') || undefined,
            past: progress.pastPlans().map(({ steps, reason }) => ({
              reason,
              steps: steps.map(({ step, isDone }) => ({ id: step.id, what: whatOf(step), isDone })),
            })),
            staying: listed(staying),
            needed: listed(needed),
            broken: listed(broken),
          }
        : undefined,
    })
  }

  #ask(turn: string, messages: () => Message[]): Promise<ModelCallEnd> {
    const { ledger } = this.#context
    return callModel(this.#context, {
      role: 'planner',
      promptVersion: this.#promptVersion,
      key: `${this.#move.key}:${turn}`,
      request: {
        messages,
        tools: [],
        outputSchema: planOutputSchema(this.#context.agents.set?.names),
        onText: (text) => this.#deltas.write(text),
        rehearsal: this.#context.inputs.rehearsal({
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
    const { agents, parts, run, signal } = this.#context
    // Tools that exist only within the run are for models.
    const { catalogue } = parts
    const schemaOf = ({ outputSchema, agent }: ResolvedAgentStep) =>
      outputSchema ?? (agent === undefined ? undefined : agents.set?.find(agent)?.outputSchema)
    const givers = { scope: this.#context.inputs.templateScope(), schemaOf }
    const mayUse = (name: string) => agents.own?.tools?.includes(name) ?? true
    const knownTools = { has: (name: string) => mayUse(name) && catalogue.find(name) !== undefined }
    const plan = await runSliced(readPlan(reply, { knownTools, agents: this.#knownAgents, kept: this.#kept, givers }))
    if (typeof plan === 'string') return plan
    const isKept = (id: string) => plan.kept.includes(id)
    const caller = { customerId: run.customerId, signal }
    const inputs = { schemas: parts.schemas, caller }
    const inputProblems = listProblems(await toolInputProblems(plan.resolved, { tools: catalogue, isKept, inputs }))
    throwIfAborted(signal)
    const problems = [...plan.problems, ...inputProblems]
    if (problems.length > 0) return problems.join('; ')
    try {
      await compileSchemas(parts.schemas, plan.schemas, caller)
      return plan
    } catch (error) {
      throwIfAborted(signal)
      if (error instanceof ServiceError) return planProblem(error)
      throw error
    }
  }

  /** A set may have skills only. Then the planner is not told about agents. */
  get #knownAgents(): AgentSet | undefined {
    const { set } = this.#context.agents
    return set && set.agents.length > 0 ? set : undefined
  }

  #adopt(plan: MadePlan, said: Reply): Promise<Settled> {
    return this.#finish(said, { entries: this.#entriesOf(plan), reasonCode: 'plan_ready' })
  }

  /** What people rely on happens, whatever the planner says. */
  #goOnAsBefore(kept: KeptSteps, said: Reply): Promise<Settled> {
    return this.#finish(said, { entries: this.#entriesOf(samePlan(kept)), reasonCode: 'plan_unusable' })
  }

  #goUnplanned(said: Reply): Promise<Settled> {
    const unplanned = journalEntry('unplanned', String(this.#move.generation), {})
    return this.#finish(said, { entries: [unplanned], reasonCode: 'plan_unusable' })
  }

  /** The steps of the plan before keep their generation: what they have done and what was answered still counts. */
  #entriesOf({ wire, kept }: JoinedPlan) {
    const generation = String(this.#move.generation)
    const { generationOf } = this.#kept?.before ?? { generationOf: () => this.#move.generation }
    const steps = kept.map((id) => [id, generationOf(id)] as const)
    return [
      ...(steps.length > 0 ? [journalEntry('carried', generation, { steps })] : []),
      journalEntry('plan', generation, wire),
    ]
  }

  async #finish({ reply, model, usage }: Reply, { entries, reasonCode }: Finish): Promise<Settled> {
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
      journal: [journalEntry('done', this.#move.key, { ...done, order: ledger.progress.done.size }), ...entries],
      usage: [...usage, taskCompleted(this.#move.key)],
    })
    return goOn
  }

  async #endStep(end: Exclude<ModelCallEnd, { kind: 'reply' }>): Promise<Settled> {
    const task = plannerTask(this.#move)
    if (end.kind !== 'parked') this.#tellEnd(end.kind)
    return finishStep(this.#context, await this.#endOf(task, end), noOtherTasks)
  }

  #tellEnd(outcome: EndedPlan['outcome']): void {
    const { run, ledger, parts } = this.#context
    const { key: taskKey } = this.#move
    const failures = ledger.progress.failuresOf(taskKey).total
    const plan = { kind: 'planner', run, taskKey, failures, startedMs: this.#startedMs, outcome } as const
    parts.observer?.stepEnded?.(plan)
    parts.observer?.planEnded?.(plan)
  }

  async #endOf(task: Task, end: Exclude<ModelCallEnd, { kind: 'reply' }>): Promise<TaskEnd> {
    if (end.kind !== 'failed') return { ...end, task }
    const { reasonCode, message: said, retry, text: content } = end.failure
    const rest = await this.#deltas.end()
    const words = end.isOwn ? { message: undefined, explanation: said } : { message: said }
    return { kind: 'failed', task, reasonCode, ...words, retryable: retry === 'step', content, rest, usage: end.usage }
  }
}

const tooManyPlans = 'The run was planned again as often as is allowed.'

/** What the planner cannot change. Undefined if there is no plan before. */
function stepsToKeep(context: ExecutionContext): KeptSteps | undefined {
  const { progress } = context.ledger
  const before = progress.planBefore()
  if (!before) return undefined
  const { startedCalls } = progress.turns
  const hasCalled = (id: string) =>
    startedCalls.has(idsOfStepCall(context, taskKey(before.generationOf(id), id)).callId)
  return keptSteps({ ...before, hasBegun: (id) => before.hasBegun(id) || hasCalled(id) })
}

const unavailable = (reasonCode: string, message: string): Extract<ModelCallEnd, { kind: 'failed' }> => ({
  kind: 'failed',
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
  readonly entries: readonly ReturnType<typeof journalEntry>[]
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
