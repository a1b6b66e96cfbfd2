// Budgets: limits on the tokens used per day or month. Changing one requires the scope `keys:admin`.

import { type CallOptions, pathSegment, type Transport } from './transport.ts'
import type { BudgetList, BudgetResult, PutBudget } from './wire.ts'

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

  list(options: CallOptions = {}): Promise<BudgetList> {
    return this.#transport.call({ ...options, path: '/v1/budgets' })
  }

  async get(owner: BudgetOwner, options: CallOptions = {}): Promise<BudgetResult> {
    return this.#transport.call({ ...options, path: pathOf(owner) })
  }

  /** Creates or replaces the budget. */
  async put(owner: BudgetOwner, body: PutBudget, options: CallOptions = {}): Promise<BudgetResult> {
    return this.#transport.call({ ...options, method: 'PUT', path: pathOf(owner), body })
  }

  async delete(owner: BudgetOwner, options: CallOptions = {}): Promise<BudgetResult> {
    return this.#transport.call({ ...options, method: 'DELETE', path: pathOf(owner) })
  }
}
