// Checks usage month by month and rebuilds totals that differ. Safe while the service runs: each month is one snapshot.
import type { Database } from '../postgres/database.ts'
import { listUsageMonths, type UsageMonth } from './months.ts'
import { repairMonth } from './repair.ts'
import { type CheckedMonth, type UsageDifference, verifyMonth } from './verify.ts'

export interface UsageAudit extends CheckedMonth {
  readonly customers: number
  readonly months: number
  /** Months with differences. */
  readonly differingMonths: readonly UsageMonth[]
  /** Those whose totals differ from their records. */
  readonly wrongMonths: readonly UsageMonth[]
}

/** Checks one customer, or all. */
export const auditUsage = async (database: Database, customerId?: string): Promise<UsageAudit> =>
  auditMonths(database, await listUsageMonths(database, customerId))

export async function auditMonths(database: Database, months: readonly UsageMonth[]): Promise<UsageAudit> {
  const checked: [UsageMonth, CheckedMonth][] = []
  for (const month of months) checked.push([month, await verifyMonth(database, month)])
  const sum = (name: 'records' | 'totals' | 'runs') => checked.reduce((total, [, one]) => total + one[name], 0)
  return {
    customers: new Set(months.map((month) => month.customerId)).size,
    months: months.length,
    records: sum('records'),
    totals: sum('totals'),
    runs: sum('runs'),
    differences: checked.flatMap(([, { differences }]) => differences),
    differingMonths: monthsWith(checked, () => true),
    wrongMonths: monthsWith(checked, isOfTotals),
  }
}

const monthsWith = (
  checked: readonly (readonly [UsageMonth, CheckedMonth])[],
  isMeant: (difference: UsageDifference) => boolean,
): UsageMonth[] => checked.filter(([, { differences }]) => differences.some(isMeant)).map(([month]) => month)

const isOfTotals = ({ kept }: UsageDifference): boolean => kept !== 'run'

export async function repairUsage(database: Database, months: readonly UsageMonth[]): Promise<void> {
  for (const month of months) await repairMonth(database, month)
}
