// Converts a budget to its wire form.
import type { Budget as WireBudget } from '@runwright/contract'
import type { Budget } from '../../store/usage/budgets.ts'

export const toWireBudget = (budget: Budget): WireBudget => ({
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
