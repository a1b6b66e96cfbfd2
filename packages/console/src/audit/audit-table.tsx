// The entries of the audit log as a table.
import { type AuditEntry, visibleText } from '@runwright/contract'
import { Link } from '@tanstack/react-router'
import { type Column, DataTable } from '../parts/layout/data-table.tsx'
import { Instant } from '../parts/values/instant.tsx'

const columns: readonly [Column<AuditEntry>, ...Column<AuditEntry>[]] = [
  { name: 'Action', cell: (entry) => <Act {...entry} /> },
  { name: 'Target', cell: ({ target }) => <Target id={target} /> },
  { name: 'By', from: 'sm', cell: (entry) => <Actor {...entry} /> },
  { name: 'Time', from: 'md', cell: ({ at }) => <Instant at={at} /> },
  { name: 'Details', from: 'xl', cell: ({ details }) => <Details of={details} /> },
  { name: 'No.', from: 'lg', isNumeric: true, cell: ({ seq, hash }) => <span title={`hash ${hash}`}>{seq}</span> },
]

export function AuditTable({ entries }: { readonly entries: readonly AuditEntry[] }) {
  return <DataTable caption="Entries, newest first" columns={columns} rows={entries} keyOf={({ seq }) => seq} />
}

/** On a narrow screen, the other columns stand below the action. */
function Act({ action, at, details, ...entry }: AuditEntry) {
  return (
    <span className="flex flex-col">
      <span className="font-mono text-sm font-medium whitespace-nowrap">{action}</span>
      <span className="text-sm text-muted md:hidden">
        <Instant at={at} />
      </span>
      <span className="text-sm sm:hidden">
        <Actor {...entry} />
      </span>
      <span className="xl:hidden">
        <Details of={details} />
      </span>
    </span>
  )
}

/** Ids of the service fit on one line; a customer's own can be longer. */
const idClassOf = (id: string) => `font-mono text-xs wrap-anywhere ${id.length <= 32 ? 'lg:whitespace-nowrap' : ''}`

function Target({ id }: { readonly id: string | null }) {
  if (id === null) return <span className="text-muted">none</span>
  const link = `${idClassOf(id)} text-accent underline`
  if (id.startsWith('run_')) {
    return (
      <Link to="/runs/$runId" params={{ runId: id }} className={link}>
        {id}
      </Link>
    )
  }
  if (id.startsWith('sched_')) {
    return (
      <Link to="/schedules/$scheduleId" params={{ scheduleId: id }} className={link}>
        {id}
      </Link>
    )
  }
  return <span className={idClassOf(id)}>{visibleText(id)}</span>
}

function Actor({ key_id, key_name, via }: Pick<AuditEntry, 'key_id' | 'key_name' | 'via'>) {
  if (key_id === null) return 'the operator'
  return (
    <span className="flex flex-col">
      <Link to="/audit" search={{ key_id }} className="w-fit text-accent underline wrap-anywhere">
        {key_name === null ? key_id : visibleText(key_name)}
      </Link>
      <span className="text-xs text-muted">by {via}</span>
    </span>
  )
}

const asWords = (value: unknown): string => {
  if (typeof value === 'string') return value
  return Array.isArray(value) ? value.map(asWords).join(' ') : JSON.stringify(value)
}

function Details({ of }: { readonly of: AuditEntry['details'] }) {
  const parts = Object.entries(of).map(([name, value]) => `${name}: ${asWords(value)}`)
  return <span className="text-xs text-muted wrap-anywhere">{visibleText(parts.join(', '))}</span>
}
