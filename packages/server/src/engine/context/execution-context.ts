// What all parts of one run's execution share: its ledger, models, tools, clock and abort signal.
import type { Role, SandboxScript } from '@runwright/contract'
import { sandboxScriptSchema } from '@runwright/contract'
import type { Agent } from '../../agents/definitions/agent-set.ts'
import type { ReadAttachment } from '../../agents/describe-attachments.ts'
import type { Recall, RecalledNote } from '../../agents/recall.ts'
import { writeTexts } from '../../agents/value-text.ts'
import type { TemplateScope } from '../../domain/plan/fill-templates.ts'
import { journalEntry, type Touch } from '../../domain/run/journal.ts'
import { showName } from '../../domain/text.ts'
import type { Breakers } from '../../models/breaker.ts'
import type { Model, Rehearsal, TokenUsage } from '../../models/port/model.ts'
import type { BudgetGuard, SpentBudget } from '../../runs/budget-guard.ts'
import type { RecoveryRule } from '../../runs/recovery.ts'
import type { StepOf } from '../../runs/step-events.ts'
import { derivedWireId } from '../../runtime/derived-ids.ts'
import type { Logger } from '../../runtime/logger.ts'
import { type Moment, msSince } from '../../runtime/moment.ts'
import type { SchemaThreads } from '../../runtime/schemas/schema-threads.ts'
import { runSliced, yieldToEventLoop } from '../../runtime/time-slices.ts'
import { type BoardLine, noLine, type WorkBoard } from '../../runtime/watchdog/work-board.ts'
import type { MemoryScope } from '../../store/memory/area.ts'
import { withRetry } from '../../store/postgres/database.ts'
import type { OutageRetryBudget } from '../../store/postgres/outage-retry-budget.ts'
import type { NewUsage } from '../../store/run-log/run-change.ts'
import type { ClaimedRun } from '../../store/run-log/run-claimer.ts'
import type { FetchFile } from '../../tools/http-fetch/fetch-file.ts'
import type { PolicyRules } from '../../tools/policy/policy.ts'
import type { ToolCatalogue, Tools } from '../../tools/port/catalogue.ts'
import type { RunLedger } from '../ledger/run-ledger.ts'
import { TokenReservations } from '../ledger/token-reservations.ts'
import { tokensConsumed } from '../ledger/token-usage.ts'
import type { AbortReason } from './abort-reason.ts'
import type { AgentLimits, ProviderRetry } from './agent-limits.ts'
import { readAttachments } from './attachments.ts'
import type { Lease } from './lease.ts'
import { makeOnce } from './make-once.ts'
import type { EngineObserver } from './observer.ts'
import { readResultTool } from './read-result.ts'
import { type AgentSource, noAgents, openAgents, type RunAgents } from './run-agents.ts'
import { watchedModel, watchedTools } from './watched-calls.ts'

/** The models of a role, in order of preference. The next one is used when those before it are unavailable. */
export type RoleModels = Readonly<Record<Role, readonly Model[]>>

export interface EngineParts {
  readonly models: RoleModels
  /** The models of an agent or a run that names its own: a comma-separated list that was opened at startup. */
  readonly findModels?: (list: string) => readonly Model[] | undefined
  /** The models that a run may choose in its metadata. Default: none. */
  readonly allowedModels?: readonly string[]
  /** The operator's agents. Default: there are none. */
  readonly agents?: AgentSource
  readonly breakers: Breakers
  readonly catalogue: ToolCatalogue
  /** Compiles output schemas, and checks outputs against them. */
  readonly schemas: Pick<SchemaThreads, 'compile' | 'check'>
  /** The operator's rules. Default: each tool's own rule. */
  readonly policy?: PolicyRules
  readonly recovery: RecoveryRule
  readonly stepTimeoutSeconds: number
  readonly limits: AgentLimits
  readonly providerRetry: ProviderRetry
  readonly logger: Logger
  /** Is told what executions do. Default: nothing is. */
  readonly observer?: EngineObserver | undefined
  /** Shows what the runs are doing. Default: nothing does. */
  readonly board?: WorkBoard | undefined
  /** Budgets that cover more than one run. Default: no budgets. */
  readonly budgets?: Pick<BudgetGuard, 'exceeded' | 'spend'>
  /** How long a run waits for a database that is away. It ends with the grace period of a shutdown. */
  readonly retryBudget?: OutageRetryBudget
  /** Fetches attachments. Default: those that must be fetched are only named. */
  readonly fetchFile?: FetchFile
  /** Searches memory for a prompt. Default: no memory. Never rejects. */
  readonly recall?: (
    about: MemoryScope & { readonly text: string },
    signal: AbortSignal,
  ) => Promise<readonly RecalledNote[]>
}

/** A time in which a call may be sent. */
interface DispatchWindow {
  readonly openedAt: Moment
  readonly ms: number
}

/** What can end the execution. */
interface Grip {
  readonly controller: AbortController
  readonly lease: Lease
}

export class ExecutionContext {
  readonly parts: EngineParts
  readonly ledger: RunLedger
  readonly lease: Lease
  readonly signal: AbortSignal
  /** Stops the execution. The reason decides what happens to the run. */
  readonly abort: (reason: AbortReason) => void
  /** The models of `parts`, or the one that the run chose; they share the tokens that the run may still use. */
  readonly models: RoleModels
  /** The service's tools, and those that exist only within a run. */
  readonly catalogue: Tools
  readonly #script: SandboxScript | undefined
  readonly #claimedAt = performance.now()
  /** Waits whose decision event is already written, because other tasks were executing when the decision was made. */
  readonly announcedWaits = new Set<string>()
  /** By call id: when this execution may send the `once` calls that it has started. */
  readonly dispatchWindows = new Map<string, DispatchWindow>()
  /** By call id: how often this execution has sent the call. */
  readonly sendings = new Map<string, number>()
  readonly #tokenReservations = new TokenReservations(() => this.tokensLeft)
  readonly #choice: ModelChoice
  readonly #modelsOfAgents = new Map<string, readonly Model[]>()
  readonly #line: BoardLine
  #agents: RunAgents = noAgents
  readonly #recalled = new Map<string, ReturnType<Recall>>()

  constructor(parts: EngineParts, ledger: RunLedger, { controller, lease }: Grip) {
    this.parts = parts
    this.ledger = ledger
    this.lease = lease
    this.signal = controller.signal
    this.abort = (reason) => controller.abort(reason)
    this.#line = parts.board?.lineOf(ledger.run.id) ?? noLine
    this.#choice = modelChoice(parts, ledger.run)
    const { planner, worker, judge } = parts.models
    const guard = (models: readonly Model[]) => this.#guard(models)
    const { models: chosen } = this.#choice
    this.models = {
      planner: guard(chosen ?? planner),
      worker: guard(chosen ?? worker),
      judge: guard(judge),
    }
    const tools = parts.catalogue.with(readResultTool(ledger.progress.turns.results))
    this.catalogue = watchedTools(tools, this.#line)
    const script = sandboxScriptSchema.safeParse(ledger.run.input.sandbox)
    this.#script = script.success ? script.data : undefined
  }

  #guard(models: readonly Model[]): readonly Model[] {
    return models.map((model) => watchedModel(this.#tokenReservations.guard(model), this.#line))
  }

  get agents(): RunAgents {
    return this.#agents
  }

  /** Called before the first step. A planner may use agents although the run and its plan name none. */
  async openAgents(user: 'run' | 'planner' = 'run'): Promise<void> {
    if (this.#agents !== noAgents) return
    // The sandbox reads no prompt, so it is not told about agents.
    const plans = user === 'planner' && this.models.planner.some(({ readsPrompt }) => readsPrompt !== false)
    this.#agents = await openAgents({ ledger: this.ledger, source: this.parts.agents, plans })
  }

  /** Why the model that the run chose cannot be used. Undefined: it can, or the run chose none. */
  get modelProblem(): string | undefined {
    return this.#choice.problem
  }

  /**
   * The models for the steps of an agent: the one that the run chose, else the agent's, else the worker's. Undefined if
   * this process has not opened them.
   */
  modelsOf(agent: Agent | undefined): readonly Model[] | undefined {
    if (this.#choice.models || agent?.model === undefined) return this.models.worker
    const known = this.#modelsOfAgents.get(agent.model)
    if (known) return known
    const opened = this.parts.findModels?.(agent.model)
    if (!opened) return undefined
    const models = this.#guard(opened)
    this.#modelsOfAgents.set(agent.model, models)
    return models
  }

  /**
   * Time since the run was created: by the database's clock up to the claim, by this process's clock after it. The
   * answer to the claim took time, so this is never more than the database's own.
   */
  get elapsedMs(): number {
    const { durationSeconds, remainingMs } = this.run
    return durationSeconds * 1000 - remainingMs + performance.now() - this.#claimedAt
  }

  /** The most that it can be by the database's clock, which was read after the claim was sent. */
  get elapsedAtMostMs(): number {
    const { durationSeconds, remainingMs } = this.run
    return durationSeconds * 1000 - remainingMs + msSince(this.lease.claimedAt)
  }

  /** For the event of a run that exceeded its duration: never less than the limit. */
  elapsedSeconds(): number {
    return Math.max(this.run.durationSeconds, Math.round(this.elapsedMs) / 1000)
  }

  get secondsLeft(): number {
    return this.run.durationSeconds - this.elapsedMs / 1000
  }

  get run(): ClaimedRun {
    return this.ledger.run
  }

  stepOf(taskKey: string): StepOf {
    return { requestId: this.run.requestId, taskId: derivedWireId('task', this.run.id, taskKey) }
  }

  rehearsal(of: Omit<Rehearsal, 'script'>): Rehearsal {
    return { ...of, script: this.#script }
  }

  /** How many tokens a call may still produce. */
  get tokensLeft(): number {
    return Math.max(0, this.run.tokenLimit - this.ledger.tokens)
  }

  /** The exhausted budget that forbids another call; undefined if there is none. */
  async spentBudget(): Promise<SpentBudget | undefined> {
    return withRetry(async () => this.parts.budgets?.exceeded(this.run), this.parts.retryBudget)
  }

  /** The usage records of a call. Budgets count them at once. */
  consumed(used: TokenUsage | undefined): NewUsage[] {
    const usage = tokensConsumed(used)
    for (const { quantity } of usage) this.parts.budgets?.spend(this.run, quantity)
    return usage
  }

  /** Cached per text: the prompt of a step must not change between its turns. */
  readonly recall: Recall = async (text) => {
    const { customerId, workspaceId, subjectId } = this.run
    const known = this.#recalled.get(text)
    const search = known ?? this.parts.recall?.({ customerId, workspaceId, subjectId, text }, this.signal)
    if (search) this.#recalled.set(text, search)
    const notes = (await search) ?? []
    if (notes.length > 0) await this.touch('memory', ['private', 'untrusted'])
    return notes
  }

  /** Read when a model first needs them, and kept for all prompts of this execution. */
  readonly #attachments = makeOnce(() => readAttachments(this))

  /** None for models that read no prompts, such as the sandbox: it costs no time and no traffic. */
  async attachmentsFor(models: readonly Model[]): Promise<readonly ReadAttachment[]> {
    return models.some(({ readsPrompt }) => readsPrompt !== false) ? this.#attachments() : []
  }

  /** Journals what came into the run other than by a call, so that the policy knows it after a recovery, too. */
  async touch(source: string, touches: readonly Touch[]): Promise<void> {
    const { touched } = this.ledger.progress.turns
    if (touches.every((touch) => touched.has(touch))) return
    await this.ledger.record({ journal: [journalEntry('touch', source, { touches })] })
  }

  /** Called before the first step: to hide the secrets of a large input takes long. */
  async hideSecrets(): Promise<void> {
    const { secrets } = this.run
    if (!secrets) return
    await yieldToEventLoop()
    await runSliced(secrets.prepareShown())
  }

  /** To search a large value for many secrets takes long. Other requests are served before the next search. */
  async yieldToEventLoop(): Promise<void> {
    if (this.run.secrets) await yieldToEventLoop()
  }

  /** Writes the texts that a prompt shows, in turns: the results of many steps may be large. */
  async writeTexts(): Promise<void> {
    await yieldToEventLoop()
    await runSliced(writeTexts([this.shown.input, ...this.ledger.progress.finished.map(({ output }) => output)]))
    await yieldToEventLoop()
  }

  templateScope(): TemplateScope {
    const { progress } = this.ledger
    const { secrets, attachmentRefs } = this.run
    return {
      ...this.shown,
      attachmentRefs,
      literalBraces: progress.isPlannersPlan,
      stepIds: new Set(progress.plan?.steps.map((step) => step.id)),
      steps: progress.results(),
      signal: progress.lastSignal,
      secretAt: secrets && ((root, path) => secrets.placeholderAt(root, path)),
    }
  }

  /** How much of a streamed text can be shown before the rest is known. Undefined: all of it. */
  get safeLength(): ((text: string) => number) | undefined {
    const { secrets } = this.run
    return secrets && ((text) => secrets.safeLength(text))
  }

  /** As models and templates may see it: with placeholders for secrets. */
  get shown(): { readonly input: unknown; readonly metadata: unknown } {
    const { input, metadata } = this.run.secrets?.shown ?? this.run
    return { input, metadata }
  }
}

interface ModelChoice {
  readonly models?: readonly Model[] | undefined
  readonly problem?: string
}

/** The model that the client chose. It was allowed when the run was created, and may be gone since. */
function modelChoice({ allowedModels = [], findModels }: EngineParts, { metadata }: ClaimedRun): ModelChoice {
  const { model } = metadata
  if (typeof model !== 'string') return {}
  const models = allowedModels.includes(model) ? findModels?.(model) : undefined
  return models
    ? { models }
    : { problem: `This worker does not allow the model ${showName(model)}, which the run chose.` }
}
