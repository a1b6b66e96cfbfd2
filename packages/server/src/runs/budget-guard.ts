// Checks whether a run has budget left without a query per run. Customers without budgets cost nothing, and the usage
// of each budget is read at most once a second. In between, the usage of this process is added.
//
// The usage of other processes shows up with the next reading, so several concurrent calls can overshoot a budget.
// Nothing is counted twice: a new reading replaces everything that was added before.
import type { BudgetLevel } from '@runwright/contract'
import type { Database } from '../store/postgres/database.ts'
import { type Budget, findBudgetsOfRun, listCustomersWithBudgets } from '../store/usage/budgets.ts'

interface BudgetedRun {
  readonly customerId: string
  readonly workspaceId: string | null
  readonly subjectId: string | null
}

export interface SpentBudget {
  /** Tokens used in the period. */
  readonly currentValue: number
  /** The size of the budget. */
  readonly threshold: number
}

interface Reading {
  /** Undefined if the owner has no budget. */
  readonly budget: Budget | undefined
  readonly readAt: number
  spentSince: number
}

interface Options {
  readonly database: Database
  readonly maxAgeMs?: number
}

export class BudgetGuard {
  readonly #database: Database
  readonly #maxAgeMs: number
  #customers: ReadonlySet<string> | undefined
  /** Incremented when budgets change. Readings requested before that are not kept. */
  #generation = 0
  readonly #readings = new Map<string, Reading>()
  #learning: Promise<unknown> | undefined
  readonly #underWay = new Map<string, Promise<Reading[]>>()

  constructor({ database, maxAgeMs = 1_000 }: Options) {
    this.#database = database
    this.#maxAgeMs = maxAgeMs
  }

  /** Reads which customers have budgets, and drops old readings. */
  async runOnce(): Promise<{ customers: number }> {
    const generation = this.#generation
    const customers = new Set(await listCustomersWithBudgets(this.#database))
    if (generation !== this.#generation) return this.runOnce()
    this.#customers = customers
    for (const [owner, reading] of this.#readings) if (!this.#isFresh(reading)) this.#readings.delete(owner)
    return { customers: customers.size }
  }

  /** Call it after budgets change: drops all earlier readings. */
  forget(): void {
    this.#generation += 1
    this.#customers = undefined
    this.#readings.clear()
    this.#underWay.clear()
  }

  /**
   * The exhausted budget of the run, or undefined if it may continue. Answers synchronously if the customer has no
   * budgets.
   */
  exceeded(run: BudgetedRun): Promise<SpentBudget | undefined> | undefined {
    if (this.#customers && !this.#customers.has(run.customerId)) return undefined
    return this.#look(run)
  }

  /** Adds usage of this process until the next reading includes it. */
  spend(run: BudgetedRun, tokens: number): void {
    if (!this.#customers?.has(run.customerId)) return
    for (const owner of ownersOf(run)) {
      const reading = this.#readings.get(owner)
      if (reading) reading.spentSince += tokens
    }
  }

  async #look(run: BudgetedRun): Promise<SpentBudget | undefined> {
    if (!this.#customers) await this.#learn()
    if (!this.#customers?.has(run.customerId)) return undefined
    return (await this.#read(run)).map(spentOf).find((spent) => spent !== undefined)
  }

  /** Once for all runs that ask meanwhile. */
  #learn(): Promise<unknown> {
    this.#learning ??= this.runOnce().finally(() => {
      this.#learning = undefined
    })
    return this.#learning
  }

  async #read(run: BudgetedRun): Promise<Reading[]> {
    const owners = ownersOf(run)
    const known = owners.flatMap((owner) => this.#readings.get(owner) ?? [])
    if (known.length === owners.length && known.every((reading) => this.#isFresh(reading))) return known
    return this.#readOnce(run, owners)
  }

  /** Shares one read among all concurrent runs with the same labels. */
  #readOnce(run: BudgetedRun, owners: readonly string[]): Promise<Reading[]> {
    const key = owners.join()
    const reading = this.#underWay.get(key) ?? this.#readNow(run, owners).finally(() => this.#underWay.delete(key))
    this.#underWay.set(key, reading)
    return reading
  }

  async #readNow(run: BudgetedRun, owners: readonly string[]): Promise<Reading[]> {
    const generation = this.#generation
    const budgets = await findBudgetsOfRun(this.#database, run)
    if (generation !== this.#generation) return this.#readNow(run, owners)
    const byOwner = new Map(budgets.map((budget) => [ownerKey(budget.customerId, budget.level, budget.label), budget]))
    return owners.map((owner) => {
      const reading = { budget: byOwner.get(owner), readAt: performance.now(), spentSince: 0 }
      this.#readings.set(owner, reading)
      return reading
    })
  }

  #isFresh({ readAt }: Reading): boolean {
    return performance.now() - readAt < this.#maxAgeMs
  }
}

const ownerKey = (customerId: string, level: BudgetLevel, label: string | null): string =>
  JSON.stringify([customerId, level, label])

function ownersOf({ customerId, workspaceId, subjectId }: BudgetedRun): string[] {
  return [
    ownerKey(customerId, 'customer', null),
    ...(workspaceId === null ? [] : [ownerKey(customerId, 'workspace', workspaceId)]),
    ...(subjectId === null ? [] : [ownerKey(customerId, 'subject', subjectId)]),
  ]
}

function spentOf({ budget, spentSince }: Reading): SpentBudget | undefined {
  if (!budget || budget.used + spentSince < budget.tokens) return undefined
  return { currentValue: budget.used + spentSince, threshold: budget.tokens }
}
