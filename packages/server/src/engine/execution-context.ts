// What every part of one run's execution shares: its ledger, its models and tools, and what may end it.
import type { Role, SandboxScript } from '@runwright/contract'
import { sandboxScriptSchema } from '@runwright/contract'
import type { LazyContext } from '../agents/prompt.ts'
import type { TemplateScope } from '../domain/template-fill.ts'
import type { RecoveryRule } from '../lifecycle/recovery.ts'
import type { StepOf } from '../lifecycle/step-events.ts'
import type { Model, Rehearsal } from '../models/model.ts'
import { derivedWireId } from '../runtime/derived-ids.ts'
import type { Logger } from '../runtime/logger.ts'
import type { ClaimedRun } from '../store/run-log/run-claimer.ts'
import type { ToolCatalogue } from '../tools/catalogue.ts'
import { type RedactedInput, redactInput } from './redacted-input.ts'
import type { RunLedger } from './run-ledger.ts'

export interface EngineParts {
  readonly models: Readonly<Record<Role, Model>>
  readonly catalogue: ToolCatalogue
  readonly recovery: RecoveryRule
  readonly stepTimeoutSeconds: number
  readonly logger: Logger
}

export class ExecutionContext {
  readonly parts: EngineParts
  readonly ledger: RunLedger
  readonly signal: AbortSignal
  readonly #script: SandboxScript | undefined
  readonly #claimedAt = performance.now()
  /** Waits whose decision has been told already, because something else was executing when it was made. */
  readonly announcedWaits = new Set<string>()
  #redacted: RedactedInput | undefined

  constructor(parts: EngineParts, ledger: RunLedger, signal: AbortSignal) {
    this.parts = parts
    this.ledger = ledger
    this.signal = signal
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

  readonly promptContext: LazyContext = () => ({
    goal: this.ledger.progress.plan?.goal,
    input: this.#input.input,
    finished: this.ledger.progress.finished,
    signal: this.ledger.progress.lastAnswer,
  })

  templateScope(): TemplateScope {
    const { progress } = this.ledger
    return {
      input: this.#input.input,
      metadata: this.#input.metadata,
      stepIds: new Set(progress.plan?.steps.map((step) => step.id)),
      steps: progress.results(),
      signal: progress.lastAnswer,
    }
  }

  get #input(): RedactedInput {
    this.#redacted ??= redactInput(this.run)
    return this.#redacted
  }
}
