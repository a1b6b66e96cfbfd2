// Tells whether a run has budget left, without asking the database for every run: customers without budgets cost nothing,
// and what was spent is read at most once a second for each budget. In between, what this process spends is added.
//
// What other processes spend shows with the next reading, so several calls that are under way at once can overshoot a
// budget. What was spent is never counted twice: a reading that comes in replaces all that was added before.
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
  /** The budget. */
  readonly threshold: number
}

interface Reading {
  /** Undefined: the owner has none. */
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
  /** Rises whenever budgets have changed: what was asked before is not kept. */
  #generation = 0
  readonly #readings = new Map<string, Reading>()
  #learning: Promise<unknown> | undefined
  readonly #underWay = new Map<string, Promise<Reading[]>>()

  constructor({ database, maxAgeMs = 1_000 }: Options) {
    this.#database = database
    this.#maxAgeMs = maxAgeMs
  }

  /** Learns which customers have budgets, and forgets what has aged. */
  async runOnce(): Promise<{ customers: number }> {
    const generation = this.#generation
    const customers = new Set(await listCustomersWithBudgets(this.#database))
    if (generation !== this.#generation) return this.runOnce()
    this.#customers = customers
    for (const [owner, reading] of this.#readings) if (!this.#isFresh(reading)) this.#readings.delete(owner)
    return { customers: customers.size }
  }

  /** After a change of budgets: nothing older than this moment counts any more. */
  forget(): void {
    this.#generation += 1
    this.#customers = undefined
    this.#readings.clear()
    this.#underWay.clear()
  }

  /** The budget of the run that is spent; undefined when it may go on: at once if its customer has none. */
  exceeded(run: BudgetedRun): Promise<SpentBudget | undefined> | undefined {
    if (this.#customers && !this.#customers.has(run.customerId)) return undefined
    return this.#look(run)
  }

  /** Counts tokens of this process until they are read. */
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

  /** Once for all runs with the same labels that ask meanwhile. */
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
