// Converts a budget to its wire form, and the cursor of the list of budgets.
import { budgetLabelSchema, budgetLevels, type Budget as WireBudget } from '@runwright/contract'
import { z } from 'zod'
import type { Budget, BudgetOwner, BudgetPosition } from '../../store/usage/budgets.ts'
import { badCursor } from '../answers/list-page.ts'

/** The path below /v1/budgets/. */
export const budgetIdOf = ({ level, label }: Pick<BudgetOwner, 'level' | 'label'>): string =>
  label === null ? level : `${level}s/${encodeURIComponent(label)}`

export const toWireBudget = (budget: Budget): WireBudget => ({
  id: budgetIdOf(budget),
  level: budget.level,
  workspace_id: budget.level === 'workspace' ? budget.label : null,
  subject_id: budget.level === 'subject' ? budget.label : null,
  period: budget.period,
  tokens: budget.tokens,
  used: budget.used,
  remaining: Math.max(0, budget.tokens - budget.used),
  resets_at: budget.resetsAt.toISOString(),
  created_at: budget.createdAt.toISOString(),
  updated_at: budget.updatedAt.toISOString(),
})

export const budgetCursorOf = ({ level, label }: Budget): string =>
  Buffer.from(JSON.stringify([level, label])).toString('base64url')

const positionSchema = z.tuple([z.enum(budgetLevels), budgetLabelSchema.nullable()])

export function budgetPositionOf(cursor: string): BudgetPosition {
  try {
    const [level, label] = positionSchema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
    return { level, label }
  } catch {
    throw badCursor('BUDGETS_QUERY_PARAMS_INVALID')
  }
}
