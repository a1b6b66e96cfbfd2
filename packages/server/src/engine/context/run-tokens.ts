// The tokens that a run may still use: those of its own limit, and those of budgets that cover more than one run.
import type { Model, TokenUsage } from '../../models/port/model.ts'
import type { SpentBudget } from '../../runs/budget-guard.ts'
import { withRetry } from '../../store/postgres/database.ts'
import type { NewUsage } from '../../store/run-log/run-change.ts'
import type { RunLedger } from '../ledger/run-ledger.ts'
import { tokensConsumed } from '../ledger/token-usage.ts'
import type { EngineParts } from './engine-parts.ts'

export class RunTokens {
  readonly #ledger: RunLedger
  readonly #parts: Pick<EngineParts, 'budgets' | 'retryBudget'>

  constructor(ledger: RunLedger, parts: Pick<EngineParts, 'budgets' | 'retryBudget'>) {
    this.#ledger = ledger
    this.#parts = parts
  }

  /** How many tokens a call may still produce. */
  get left(): number {
    return Math.max(0, this.#ledger.run.tokenLimit - this.#ledger.tokens)
  }

  /** The exhausted budget that forbids another call; undefined if there is none. */
  async spentBudget(): Promise<SpentBudget | undefined> {
    const { budgets, retryBudget } = this.#parts
    return withRetry(async () => budgets?.exceeded(this.#ledger.run), retryBudget)
  }

  /** The usage records of a call to a model. Budgets count them at once. */
  consumed(used: TokenUsage | undefined, model?: Pick<Model, 'name' | 'readsPrompt'>): NewUsage[] {
    const usage = tokensConsumed(used, model?.readsPrompt === false ? undefined : model?.name)
    for (const { quantity } of usage) this.#parts.budgets?.spend(this.#ledger.run, quantity)
    return usage
  }
}
