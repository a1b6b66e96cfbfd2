// Budgets and what was spent of them: tokens in the current day or month of UTC, by the database's clock.
import { type BudgetLevel, type BudgetPeriod, budgetLevels } from '@runwright/contract'
import type pg from 'pg'
import type { Actor } from '../../domain/actor.ts'
import { type Database, withRetry } from '../postgres/database.ts'
import { sqlList } from '../postgres/sql-list.ts'
import { type ActDetails, recordAct } from '../requests/record-act.ts'
import type { UsageLevel } from './levels.ts'

/** Whose budget it is; the label is null for the customer as a whole. */
export interface BudgetOwner {
  readonly customerId: string
  readonly level: BudgetLevel
  readonly label: string | null
}

export interface Budget extends BudgetOwner {
  readonly period: BudgetPeriod
  readonly tokens: number
  readonly used: number
  readonly resetsAt: Date
  readonly createdAt: Date
  readonly updatedAt: Date
}

type BudgetRow = {
  customer_id: string
  level: BudgetLevel
  label: string | null
  period: BudgetPeriod
  tokens: number
  used: number
  resets_at: Date
  created_at: Date
  updated_at: Date
}

const folded = (level: UsageLevel, labels: string): string => `
    select sum(quantity)
    from usage_totals total
    where total.customer_id = budget.customer_id and grain = budget.period and total.level = '${level}' and ${labels}
      and total.period = since and event_type = 'tokens.consumed'`

/** The customer comes first, then workspaces and subjects. */
const rankOf = (level: string): string => `array_position(array[${sqlList(budgetLevels)}], ${level})`
const rank = rankOf('level')
/** That of the customer has no label. */
const labelText = `coalesce(label, '') collate "C"`

// Each level has its own query, so that the index leads to its few rows.
const budgetsWhere = (condition: string): string => `
select customer_id, level, label, budget.period, tokens, created_at, updated_at,
  (since at time zone 'UTC' + ('1 ' || budget.period)::interval) at time zone 'UTC' as resets_at,
  (coalesce(case level
    when 'customer' then (${folded('customer', 'subject_id is null and workspace_id is null')})
    when 'workspace' then (${folded('workspace', 'subject_id is null and workspace_id = label')})
    when 'subject' then (${folded('both', 'subject_id = label')})
  end, 0) + coalesce((
    select sum(quantity)
    from usage_deltas delta
    where delta.customer_id = budget.customer_id and hour >= since and event_type = 'tokens.consumed'
      and (level = 'customer' or level = 'workspace' and workspace_id = label or level = 'subject' and subject_id = label)
  ), 0))::bigint as used
from budgets budget
cross join lateral (select date_trunc(budget.period, clock_timestamp(), 'UTC')) as clock (since)
where customer_id = $1 and ${condition}
order by ${rank}, ${labelText}`

const isOwner = 'level = $2 and label is not distinct from $3'

const toBudget = (row: BudgetRow): Budget => ({
  customerId: row.customer_id,
  level: row.level,
  label: row.label,
  period: row.period,
  tokens: row.tokens,
  used: row.used,
  resetsAt: row.resets_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

/** Where a page ended. */
export type BudgetPosition = Pick<BudgetOwner, 'level' | 'label'>

interface BudgetPage {
  readonly customerId: string
  readonly before: BudgetPosition | undefined
  readonly limit: number
}

/** That of the customer first, then those of workspaces and subjects. Only for the page the tokens are counted. */
export async function listBudgets(database: Database, { customerId, before, limit }: BudgetPage): Promise<Budget[]> {
  const behind = `(${rank}, ${labelText}) > (${rankOf('$2')}, $3)`
  const rows = await database.query<BudgetRow>({
    text: `${budgetsWhere(`($2::text is null or ${behind})`)}
limit $4`,
    values: [customerId, before?.level, before?.label ?? '', limit],
  })
  return rows.map(toBudget)
}

export async function findBudget(
  database: Database,
  { customerId, level, label }: BudgetOwner,
): Promise<Budget | undefined> {
  const text = budgetsWhere(isOwner)
  const [row] = await database.query<BudgetRow>({ text, values: [customerId, level, label] })
  return row && toBudget(row)
}

/** The budgets that apply to a run with these labels. */
export async function findBudgetsOfRun(
  database: Database,
  run: { readonly customerId: string; readonly workspaceId: string | null; readonly subjectId: string | null },
): Promise<Budget[]> {
  const rows = await database.query<BudgetRow>({
    name: 'budgets-of-run',
    text: budgetsWhere(
      "(level = 'customer' or level = 'workspace' and label = $2 or level = 'subject' and label = $3)",
    ),
    values: [run.customerId, run.workspaceId, run.subjectId],
  })
  return rows.map(toBudget)
}

export async function listCustomersWithBudgets(database: Database): Promise<string[]> {
  const text = 'select distinct customer_id from budgets'
  const rows = await database.query<{ customer_id: string }>({ name: 'customers-with-budgets', text })
  return rows.map((row) => row.customer_id)
}

interface NewBudget {
  readonly period: BudgetPeriod
  readonly tokens: number
  readonly atMost: number
  readonly by: Actor
}

/**
 * Creates or replaces a budget, and returns what it wrote, whatever becomes of it a moment later. Undefined when the
 * customer already has `atMost` budgets.
 */
export const putBudget = (database: Database, owner: BudgetOwner, budget: NewBudget): Promise<Budget | undefined> =>
  withRetry(() =>
    database.transaction(async (client) => {
      const { period, tokens, by } = budget
      const before = await lockBudget(client, owner)
      if (!(await upsert(client, owner, budget))) return undefined
      // The same budget again is not a change. Neither is a second attempt after a lost answer.
      const isChange = before?.period !== period || before.tokens !== tokens
      if (isChange) await recordAct(client, { ...actOn(owner, { period, tokens }), by, action: 'budget.set' })
      const { rows } = await client.query<BudgetRow>(budgetsWhere(isOwner), ownerValues(owner))
      return rows[0] && toBudget(rows[0])
    }),
  )

async function upsert(client: pg.PoolClient, owner: BudgetOwner, budget: NewBudget): Promise<boolean> {
  const { rowCount } = await client.query(
    `
insert into budgets (customer_id, level, label, period, tokens, created_at, updated_at)
select $1, $2, $3, $4, $5, at, at
from date_trunc('milliseconds', clock_timestamp()) as at
where (select count(*) from budgets where customer_id = $1) < $6
  or exists (select from budgets where customer_id = $1 and level = $2 and label is not distinct from $3)
on conflict (customer_id, level, label) do update
set period = excluded.period,
  tokens = excluded.tokens,
  updated_at = excluded.updated_at`,
    [...ownerValues(owner), budget.period, budget.tokens, budget.atMost],
  )
  return rowCount === 1
}

/** False when there is no such budget. An attempt whose answer was lost counts. */
export const deleteBudget = (database: Database, owner: BudgetOwner, by: Actor): Promise<boolean> => {
  let isDeleted = false
  return withRetry(() =>
    database.transaction(async (client) => {
      const { rowCount } = await client.query(
        'delete from budgets where customer_id = $1 and level = $2 and label is not distinct from $3',
        ownerValues(owner),
      )
      if (rowCount === 1) await recordAct(client, { ...actOn(owner), by, action: 'budget.delete' })
      isDeleted ||= rowCount === 1
      return isDeleted
    }),
  )
}

const ownerValues = ({ customerId, level, label }: BudgetOwner) => [customerId, level, label]

async function lockBudget(
  client: pg.PoolClient,
  owner: BudgetOwner,
): Promise<Pick<Budget, 'period' | 'tokens'> | undefined> {
  const { rows } = await client.query<Pick<Budget, 'period' | 'tokens'>>(
    `
select period, tokens
from budgets
where customer_id = $1 and level = $2 and label is not distinct from $3
for update`,
    ownerValues(owner),
  )
  return rows[0]
}

/** Without the label of a subject: see `ActDetails`. */
const actOn = ({ customerId, level, label }: BudgetOwner, more: ActDetails = {}) => ({
  customerId,
  details: { level, ...(level === 'workspace' && { workspace_id: label }), ...more },
})
