// Budgets: limits on the tokens used per day or month. Changing one requires the scope `keys:admin`.

import { pagesOf } from './pages.ts'
import { type CallOptions, pathSegment, type Transport } from './transport.ts'
import type { Budget, BudgetList, BudgetResult, BudgetsQuery, DeletedBudget, PutBudget } from './wire.ts'

/** The owner of a budget. */
export type BudgetOwner = 'customer' | { readonly workspace_id: string } | { readonly subject_id: string }

const pathOf = (owner: BudgetOwner): string => {
  if (owner === 'customer') return '/v1/budgets/customer'
  return 'workspace_id' in owner
    ? `/v1/budgets/workspaces/${pathSegment(owner.workspace_id)}`
    : `/v1/budgets/subjects/${pathSegment(owner.subject_id)}`
}

export class Budgets {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Returns one page: the budget of the customer first, then those of workspaces and subjects. */
  list(query: BudgetsQuery = {}, options: CallOptions = {}): Promise<BudgetList> {
    return this.#transport.call({ ...options, path: '/v1/budgets', query })
  }

  /** Yields all budgets, over all pages. */
  async *all(options: CallOptions = {}): AsyncGenerator<Budget, void, undefined> {
    for await (const page of pagesOf((cursor) => this.list({ limit: 200, cursor }, options))) yield* page.budgets
  }

  async get(owner: BudgetOwner, options: CallOptions = {}): Promise<BudgetResult> {
    return this.#transport.call({ ...options, path: pathOf(owner) })
  }

  /** Creates or replaces the budget. */
  async put(owner: BudgetOwner, body: PutBudget, options: CallOptions = {}): Promise<BudgetResult> {
    return this.#transport.call({ ...options, method: 'PUT', path: pathOf(owner), body })
  }

  async delete(owner: BudgetOwner, options: CallOptions = {}): Promise<DeletedBudget> {
    return this.#transport.call({ ...options, method: 'DELETE', path: pathOf(owner) })
  }
}
