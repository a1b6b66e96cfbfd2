// `runwright usage verify`: recomputes usage from its records, and repairs totals that differ.
import type { Database } from '../../store/postgres/database.ts'
import { auditMonths, auditUsage, repairUsage, type UsageAudit } from '../../store/usage/audit.ts'
import type { UsageDifference } from '../../store/usage/verify.ts'
import { withLongStatements } from '../database/long-statements.ts'
import type { OpenStore } from '../database/open-store.ts'
import { type Column, renderTable } from '../output/print-table.ts'

export interface VerifyOptions {
  readonly customer?: string
  readonly repair?: true
}

// Groups hundreds of thousands of totals in memory.
const session = { work_mem: "'64MB'" }
const maxShown = 100

export const verifyUsage = (open: OpenStore, options: VerifyOptions): Promise<void> =>
  open(({ database }) => withLongStatements(database, (longRunning) => verify(longRunning, options), { session }))

async function verify(database: Database, { customer, repair }: VerifyOptions): Promise<void> {
  const found = await auditUsage(database, customer)
  print(found)
  if (!repair || found.wrongMonths.length === 0) return
  await repairUsage(database, found.wrongMonths)
  console.log(`Recomputed the totals of ${counted(found.wrongMonths.length, 'month')} from the records.`)
  print(await auditMonths(database, found.differingMonths))
}

function print(audit: UsageAudit): void {
  process.exitCode = audit.differences.length === 0 ? 0 : 1
  console.log([whatWasChecked(audit), whatWasFound(audit)].join('\n'))
}

const whatWasChecked = ({ customers, months, records, totals, runs }: UsageAudit): string =>
  `Checked ${counted(months, 'month')} of ${counted(customers, 'customer')}: ${counted(records, 'record')} ` +
  `against ${counted(totals, 'total')} and ${counted(runs, 'run')}.`

function whatWasFound({ differences }: UsageAudit): string {
  if (differences.length === 0) return 'No differences.'
  const left = differences.length - maxShown
  return [
    `${counted(differences.length, 'difference')} (count / quantity):`,
    renderTable(columns, differences.slice(0, maxShown)),
    ...(left > 0 ? [`… and ${left.toLocaleString('en-US')} more`] : []),
  ].join('\n')
}

const counted = (count: number, what: string): string =>
  `${count.toLocaleString('en-US')} ${what}${count === 1 ? '' : 's'}`

const columns: readonly Column<UsageDifference>[] = [
  { title: 'CUSTOMER', cell: ({ customerId }) => customerId },
  { title: 'TOTAL PER', cell: ({ kept }) => kept },
  { title: 'PERIOD OR RUN', cell: ({ of }) => of },
  { title: 'EVENT TYPE', cell: ({ eventType }) => eventType },
  { title: 'WORKSPACE', cell: ({ workspaceId }) => workspaceId },
  { title: 'SUBJECT', cell: ({ subjectId }) => subjectId },
  { title: 'RECORDED', cell: ({ recorded }) => `${recorded.count} / ${recorded.quantity}` },
  { title: 'FOUND', cell: ({ found }) => `${found.count} / ${found.quantity}` },
]
