// Checks usage month by month and rebuilds totals that differ. Safe while the service runs: each month is one snapshot.
import type { Database } from '../postgres/database.ts'
import { differingTotals, ofMonth } from './differences.ts'
import { listUsageMonths, type UsageMonth } from './months.ts'
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

// Every record that this snapshot sees is counted; every delta that it sees belongs to such a record and is deleted.
// Records that are written meanwhile are in neither, and are folded later. Folding waits for the lock: a delta of this
// month that was folded in between would be counted twice.
const lock = 'lock table usage_totals in share row exclusive mode'

// Totals that are right are not written. Those without a record become zero first, and are deleted then. In the order
// of the key, so that neighbouring rows of the index are written together.
const changes = [
  `delete from usage_deltas where ${ofMonth('hour')}`,
  `
insert into usage_totals as total
  (customer_id, grain, level, period, event_type, workspace_id, subject_id, count, quantity)
select $1, grain, level, period, event_type, workspace_id, subject_id, recorded_count, recorded_quantity
from (${differingTotals}) difference
order by grain, level, subject_id, workspace_id, period, event_type
on conflict (customer_id, grain, level, subject_id, workspace_id, period, event_type) do update
set count = excluded.count,
  quantity = excluded.quantity`,
  `delete from usage_totals where ${ofMonth('period')} and count = 0`,
]

/** Corrects the totals of a month that differ from its records, while the service runs. */
async function repairMonth(database: Database, { customerId, start, end }: UsageMonth): Promise<void> {
  await database.transaction(async (client) => {
    await client.query('set transaction isolation level repeatable read')
    await client.query(lock)
    for (const change of changes) await client.query(change, [customerId, start, end])
  })
}
