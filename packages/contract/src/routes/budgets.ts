// The budget routes: for the customer, its workspaces and its subjects.
import { budgetListSchema, budgetResultSchema, budgetsQuerySchema, putBudgetSchema } from '../schemas/budgets.ts'
import { deletedBudgetSchema } from '../schemas/deletions.ts'

const ok = { 200: budgetResultSchema }

const get = (owner: string) =>
  ({
    method: 'GET',
    scope: 'usage:read',
    summary: `Get the budget of ${owner}`,
    ok,
    reasons: ['BUDGETS_QUERY_PARAMS_INVALID', 'BUDGET_NOT_FOUND'],
    extension: true,
  }) as const

const put = (owner: string) =>
  ({
    method: 'PUT',
    scope: 'keys:admin',
    summary: `Set the budget of ${owner}`,
    body: putBudgetSchema,
    bodyRequired: true,
    ok,
    reasons: ['BUDGET_PAYLOAD_INVALID', 'LIMIT_REACHED'],
    extension: true,
  }) as const

const remove = (owner: string) =>
  ({
    method: 'DELETE',
    scope: 'keys:admin',
    summary: `Delete the budget of ${owner}`,
    ok: { 200: deletedBudgetSchema },
    reasons: ['BUDGET_NOT_FOUND'],
    extension: true,
  }) as const

const ofCustomer = { path: '/v1/budgets/customer' } as const
const ofWorkspace = { path: '/v1/budgets/workspaces/{id}', idOf: 'workspace' } as const
const ofSubject = { path: '/v1/budgets/subjects/{id}', idOf: 'subject' } as const

export const budgetRoutes = {
  listBudgets: {
    method: 'GET',
    path: '/v1/budgets',
    scope: 'usage:read',
    summary: 'List the budgets of the customer',
    query: budgetsQuerySchema,
    ok: { 200: budgetListSchema },
    reasons: ['BUDGETS_QUERY_PARAMS_INVALID', 'QUERY_TOO_EXPENSIVE'],
    extension: true,
  },
  getCustomerBudget: { ...get('the customer'), ...ofCustomer },
  putCustomerBudget: { ...put('the customer'), ...ofCustomer },
  deleteCustomerBudget: { ...remove('the customer'), ...ofCustomer },
  getWorkspaceBudget: { ...get('a workspace'), ...ofWorkspace },
  putWorkspaceBudget: { ...put('a workspace'), ...ofWorkspace },
  deleteWorkspaceBudget: { ...remove('a workspace'), ...ofWorkspace },
  getSubjectBudget: { ...get('a subject'), ...ofSubject },
  putSubjectBudget: { ...put('a subject'), ...ofSubject },
  deleteSubjectBudget: { ...remove('a subject'), ...ofSubject },
} as const
