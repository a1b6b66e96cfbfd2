// Budgets on the wire: how many tokens a customer, workspace or subject may use per UTC day or month.
import { z } from 'zod'
import { budgetLevels, budgetPeriods } from '../vocabulary/vocabulary.ts'
import { instant, label, nextCursor, openEnum, pageFields, requestId } from './wire.ts'

/** The workspace or subject id in the path of a budget. */
export const budgetLabelSchema = label

export const putBudgetSchema = z
  .strictObject({
    period: z.enum(budgetPeriods),
    tokens: z.int().min(0).describe('0 stops every run'),
  })
  .meta({ id: 'PutBudget' })
export type PutBudget = z.infer<typeof putBudgetSchema>

export const budgetId = z
  .string()
  .describe('Its path below `/v1/budgets/`: `customer`, or such as `workspaces/acme-finance` and `subjects/user-42`')

export const budgetSchema = z
  .object({
    id: budgetId,
    level: openEnum(budgetLevels),
    workspace_id: label.nullable(),
    subject_id: label.nullable(),
    period: openEnum(budgetPeriods),
    tokens: z.int(),
    used: z.int().describe('Tokens used in the current period'),
    remaining: z.int().describe('Never below 0'),
    resets_at: instant.describe('When the current period ends'),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'Budget' })
export type Budget = z.infer<typeof budgetSchema>

export const budgetResultSchema = z.object({ budget: budgetSchema, request_id: requestId }).meta({ id: 'BudgetResult' })
export type BudgetResult = z.infer<typeof budgetResultSchema>

export const budgetsQuerySchema = z.strictObject(pageFields)
export type BudgetsQuery = z.infer<typeof budgetsQuerySchema>

export const budgetListSchema = z
  .object({ budgets: z.array(budgetSchema), next_cursor: nextCursor, request_id: requestId })
  .meta({ id: 'BudgetList' })
export type BudgetList = z.infer<typeof budgetListSchema>
