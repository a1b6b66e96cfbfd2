// What every part of one run's execution shares: its ledger, its models and tools, and what may end it.
import type { Role, SandboxScript } from '@runwright/contract'
import { sandboxScriptSchema } from '@runwright/contract'
import type { LazyContext } from '../agents/prompt.ts'
import type { Recall, RecalledNote } from '../agents/recall.ts'
import type { TemplateScope } from '../domain/plan/fill-templates.ts'
import type { BudgetGuard, SpentBudget } from '../lifecycle/budget-guard.ts'
import type { RecoveryRule } from '../lifecycle/recovery.ts'
import type { StepOf } from '../lifecycle/step-events.ts'
import type { Model, Rehearsal } from '../models/port/model.ts'
import { derivedWireId } from '../runtime/derived-ids.ts'
import type { Logger } from '../runtime/logger.ts'
import type { MemoryScope } from '../store/memory/area.ts'
import type { NewUsage } from '../store/run-log/run-change.ts'
import type { ClaimedRun } from '../store/run-log/run-claimer.ts'
import type { PolicyRules } from '../tools/policy/policy.ts'
import type { ToolCatalogue } from '../tools/port/catalogue.ts'
import type { RunLedger } from './run-ledger.ts'
import { TokenPurse } from './token-purse.ts'
import { tokensConsumed } from './token-usage.ts'

export interface EngineParts {
  readonly models: Readonly<Record<Role, Model>>
  readonly catalogue: ToolCatalogue
  /** The operator's rules; left out: each tool's own. */
  readonly policy?: PolicyRules
  readonly recovery: RecoveryRule
  readonly stepTimeoutSeconds: number
  readonly logger: Logger
  /** What customers may spend beyond one run; left out: no budgets. */
  readonly budgets?: Pick<BudgetGuard, 'exceeded' | 'spend'>
  /** Searches memory for a prompt; left out: there is none. Never rejects. */
  readonly recall?: (
    about: MemoryScope & { readonly text: string },
    signal: AbortSignal,
  ) => Promise<readonly RecalledNote[]>
}

export class ExecutionContext {
  readonly parts: EngineParts
  readonly ledger: RunLedger
  readonly signal: AbortSignal
  /** Those of `parts`, each sharing what the run may still spend. */
  readonly models: Readonly<Record<Role, Model>>
  readonly #script: SandboxScript | undefined
  readonly #claimedAt = performance.now()
  /** Waits whose decision has been told already, because something else was executing when it was made. */
  readonly announcedWaits = new Set<string>()
  readonly #recalled = new Map<string, ReturnType<Recall>>()

  constructor(parts: EngineParts, ledger: RunLedger, signal: AbortSignal) {
    this.parts = parts
    this.ledger = ledger
    this.signal = signal
    const purse = new TokenPurse(() => this.tokensLeft)
    const { planner, worker, judge } = parts.models
    this.models = { planner: purse.guard(planner), worker: purse.guard(worker), judge: purse.guard(judge) }
    const script = sandboxScriptSchema.safeParse(ledger.run.input.sandbox)
    this.#script = script.success ? script.data : undefined
  }

  /** Since the run was created, by the database's clock at the claim and this process's since. */
  elapsedSeconds(): number {
    const { durationSeconds, remainingMs } = this.run
    const elapsed = durationSeconds - remainingMs / 1000 + (performance.now() - this.#claimedAt) / 1000
    return Math.max(durationSeconds, Math.round(elapsed * 1000) / 1000)
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

  /** The budget that forbids another call; undefined when there is none, or enough is left. */
  async spentBudget(): Promise<SpentBudget | undefined> {
    return this.parts.budgets?.exceeded(this.run)
  }

  /** The record of what a call has used; budgets hear of it at once. */
  consumed(tokens: number | undefined): NewUsage[] {
    const usage = tokensConsumed(tokens)
    for (const { quantity } of usage) this.parts.budgets?.spend(this.run, quantity)
    return usage
  }

  readonly promptContext: LazyContext = () => ({
    goal: this.ledger.progress.plan?.goal,
    input: this.#shown.input,
    finished: this.ledger.progress.finished,
    signal: this.ledger.progress.lastAnswer,
  })

  /** Asked once for each text: the prompt of a step must stay the same over its turns. */
  readonly recall: Recall = async (text) => {
    const { customerId, workspaceId, subjectId } = this.run
    const known = this.#recalled.get(text)
    const notes = known ?? this.parts.recall?.({ customerId, workspaceId, subjectId, text }, this.signal)
    if (notes) this.#recalled.set(text, notes)
    return notes ?? []
  }

  templateScope(): TemplateScope {
    const { progress } = this.ledger
    const { secrets } = this.run
    return {
      input: this.#shown.input,
      metadata: this.#shown.metadata,
      stepIds: new Set(progress.plan?.steps.map((step) => step.id)),
      steps: progress.results(),
      signal: progress.lastAnswer,
      secretAt: secrets && ((root, path) => secrets.placeholderAt(root, path)),
    }
  }

  /** For what a model says: how much of a text can be shown before the rest is known. Undefined: all of it. */
  get safeLength(): ((text: string) => number) | undefined {
    const { secrets } = this.run
    return secrets && ((text) => secrets.safeLength(text))
  }

  /** As models and templates may see it: with placeholders for secrets. */
  get #shown(): { readonly input: unknown; readonly metadata: unknown } {
    return this.run.secrets?.shown ?? this.run
  }
}
