// The models of a run: those of each role and of its agents. They share the tokens that the run may still use.
import { showName } from '@runwright/contract'
import type { Agent } from '../../agents/definitions/agent-set.ts'
import type { Model } from '../../models/port/model.ts'
import type { BoardLine } from '../../runtime/watchdog/work-board.ts'
import type { ClaimedRun } from '../../store/run-log/run-claimer.ts'
import { TokenReservations } from '../ledger/token-reservations.ts'
import type { EngineParts, RoleModels } from './engine-parts.ts'
import type { RunTokens } from './run-tokens.ts'
import { watchedModel } from './watched-calls.ts'

type ModelParts = Pick<EngineParts, 'models' | 'findModels' | 'allowedModels'>

interface Owner {
  readonly run: ClaimedRun
  readonly tokens: RunTokens
  readonly line: BoardLine
}

export class RunModels implements RoleModels {
  readonly planner: readonly Model[]
  readonly worker: readonly Model[]
  readonly judge: readonly Model[]
  readonly #findModels: ModelParts['findModels']
  readonly #choice: ModelChoice
  readonly #reservations: TokenReservations
  readonly #line: BoardLine
  readonly #ofAgents = new Map<string, readonly Model[]>()

  constructor(parts: ModelParts, { run, tokens, line }: Owner) {
    const { planner, worker, judge } = parts.models
    this.#findModels = parts.findModels
    this.#choice = modelChoice(parts, run)
    this.#reservations = new TokenReservations(() => tokens.left)
    this.#line = line
    const { models: chosen } = this.#choice
    this.planner = this.#guard(chosen ?? planner)
    this.worker = this.#guard(chosen ?? worker)
    this.judge = this.#guard(judge)
  }

  #guard(models: readonly Model[]): readonly Model[] {
    return models.map((model) => watchedModel(this.#reservations.guard(model), this.#line))
  }

  /** Why the model that the run chose cannot be used. Undefined: it can, or the run chose none. */
  get problem(): string | undefined {
    return this.#choice.problem
  }

  /**
   * The models for the steps of an agent: the one that the run chose, else the agent's, else the worker's. Undefined if
   * this process has not opened them.
   */
  of(agent: Agent | undefined): readonly Model[] | undefined {
    if (this.#choice.models || agent?.model === undefined) return this.worker
    const known = this.#ofAgents.get(agent.model)
    if (known) return known
    const opened = this.#findModels?.(agent.model)
    if (!opened) return undefined
    const models = this.#guard(opened)
    this.#ofAgents.set(agent.model, models)
    return models
  }
}

interface ModelChoice {
  readonly models?: readonly Model[] | undefined
  readonly problem?: string
}

/** The model that the client chose. It was allowed when the run was created, and may be gone since. */
function modelChoice({ allowedModels = [], findModels }: ModelParts, { metadata }: ClaimedRun): ModelChoice {
  const { model } = metadata
  if (typeof model !== 'string') return {}
  const models = allowedModels.includes(model) ? findModels?.(model) : undefined
  return models
    ? { models }
    : { problem: `This worker does not allow the model ${showName(model)}, which the run chose.` }
}
