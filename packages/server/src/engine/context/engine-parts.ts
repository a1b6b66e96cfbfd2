// What a process gives to all its executions: models, tools, limits, and what watches them.
import type { Role } from '@runwright/contract'
import type { RecalledNote } from '../../agents/recall.ts'
import type { Breakers } from '../../models/breaker.ts'
import type { Model } from '../../models/port/model.ts'
import type { BudgetGuard } from '../../runs/budget-guard.ts'
import type { RecoveryRule } from '../../runs/recovery.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { SchemaThreads } from '../../runtime/schemas/schema-threads.ts'
import type { WorkBoard } from '../../runtime/watchdog/work-board.ts'
import type { MemoryScope } from '../../store/memory/area.ts'
import type { OutageRetryBudget } from '../../store/postgres/outage-retry-budget.ts'
import type { FetchFile } from '../../tools/http-fetch/fetch-file.ts'
import type { PolicyRules } from '../../tools/policy/policy.ts'
import type { ToolCatalogue } from '../../tools/port/catalogue.ts'
import type { AgentLimits, ProviderRetry } from './agent-limits.ts'
import type { EngineObserver } from './observer.ts'
import type { AgentSource } from './run-agents.ts'

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
