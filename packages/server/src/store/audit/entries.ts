// Reads audit entries. They are shown as they were hashed: in the form of the API.
import type { AuditEntry } from '@runwright/contract'
import type { Database } from '../postgres/database.ts'

export interface EntryFilter {
  readonly customerId: string
  readonly action?: AuditEntry['action'] | undefined
  readonly keyId?: string | undefined
  readonly target?: string | undefined
  /** Only entries with a smaller seq. */
  readonly before?: number | undefined
  readonly limit: number
}

type EntryRow = Omit<AuditEntry, 'at' | 'details'> & { at: Date; details: string }

const columns = `e.seq, e.at, e.action, e.key_id, e.key_name, e.via, e.target, e.details, encode(e.hash, 'hex') as hash,
  encode(p.hash, 'hex') as previous_hash`
const withPrevious = 'left join audit_entries p on p.customer_id = e.customer_id and p.seq = e.seq - 1'

const toEntry = ({ at, details, ...row }: EntryRow): AuditEntry => ({
  ...row,
  at: at.toISOString(),
  details: JSON.parse(details),
})

/** Newest first. */
export async function listEntries(database: Database, filter: EntryFilter): Promise<AuditEntry[]> {
  const { customerId, action, keyId, target, before, limit } = filter
  const values: unknown[] = [customerId, limit]
  const conditions = Object.entries({ 'action =': action, 'key_id =': keyId, 'target =': target, 'seq <': before })
    .filter(([, value]) => value !== undefined)
    .map(([condition, value]) => ` and ${condition} $${values.push(value)}`)
  const rows = await database.query<EntryRow>({
    text: `
select ${columns}
from (
  select *
  from audit_entries
  where customer_id = $1${conditions.join('')}
  order by seq desc
  limit $2
) e
${withPrevious}
order by e.seq desc`,
    values,
  })
  return rows.map(toEntry)
}

export interface ChainPage {
  readonly customerId: string
  readonly after: number
  readonly upTo: number
  readonly limit: number
}

/** In the order of the chain. */
export async function readChain(
  database: Database,
  { customerId, after, upTo, limit }: ChainPage,
): Promise<AuditEntry[]> {
  const rows = await database.query<EntryRow>({
    text: `
select ${columns}
from audit_entries e
${withPrevious}
where e.customer_id = $1 and e.seq > $2 and e.seq <= $3
order by e.seq
limit $4`,
    values: [customerId, after, upTo, limit],
  })
  return rows.map(toEntry)
}

export interface ChainHead {
  readonly customerId: string
  readonly seq: number
  readonly hash: string | null
}

/** Of one customer, or of all. Without its row in `audit_heads`, a chain ends with its last entry. */
export async function listHeads(database: Database, customerId?: string): Promise<ChainHead[]> {
  return database.query<{ customerId: string; seq: number; hash: string | null }>({
    text: `
select c.id as "customerId", encode(h.hash, 'hex') as hash,
  coalesce(h.seq, (select max(e.seq) from audit_entries e where e.customer_id = c.id), 0) as seq
from customers c
left join audit_heads h on h.customer_id = c.id
where $1::text is null or c.id = $1
order by c.id`,
    values: [customerId ?? null],
  })
}
