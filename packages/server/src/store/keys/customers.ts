// The customers of an installation: list, create, suspend, resume, set the retention. For its operator.
import { operator } from '../../domain/actor.ts'
import { type Database, withRetry } from '../postgres/database.ts'
import { type Act, recordAct } from '../requests/record-act.ts'

export interface CustomerRecord {
  readonly id: string
  readonly createdAt: Date
  readonly suspendedAt: Date | null
  /** Null: as the settings of the service say. */
  readonly retentionDays: number | null
}

interface CustomerWithKeys extends CustomerRecord {
  /** Keys that are neither revoked nor expired. */
  readonly liveKeys: number
}

const columns = 'id, created_at, suspended_at, retention_days'

type CustomerRow = { id: string; created_at: Date; suspended_at: Date | null; retention_days: number | null }

const toRecord = (row: CustomerRow): CustomerRecord => ({
  id: row.id,
  createdAt: row.created_at,
  suspendedAt: row.suspended_at,
  retentionDays: row.retention_days,
})

/** Those that live in this cell. */
export async function listCustomers(database: Database): Promise<CustomerWithKeys[]> {
  const rows = await database.query<CustomerRow & { live_keys: number }>({
    text: `
select c.id, c.created_at, c.suspended_at, c.retention_days, count(k.id) as live_keys
from customers c
left join api_keys k
  on k.customer_id = c.id and k.issuer is null and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > clock_timestamp())
where c.move is null or c.move not in ('moved', 'gone', 'arriving')
group by c.id
order by c.id`,
  })
  return rows.map((row) => ({ ...toRecord(row), liveKeys: row.live_keys }))
}

export async function findCustomer(database: Database, id: string): Promise<CustomerRecord | undefined> {
  const [row] = await database.query<CustomerRow>({
    text: `select ${columns} from customers where id = $1`,
    values: [id],
  })
  return row && toRecord(row)
}

/** Undefined when the id is used. Not retried: after a lost answer, a second attempt would find its own customer. */
export const insertCustomer = (database: Database, id: string): Promise<CustomerRecord | undefined> =>
  database.transaction(async (client) => {
    const { rows } = await client.query<CustomerRow>(
      `insert into customers (id) values ($1) on conflict (id) do nothing returning ${columns}`,
      [id],
    )
    if (rows[0]) await recordAct(client, { customerId: id, by: operator, action: 'customer.create' })
    return rows[0] && toRecord(rows[0])
  })

/** Undefined when there is no such customer. A customer that is suspended already keeps its time. */
export const suspendCustomer = (database: Database, id: string): Promise<CustomerRecord | undefined> =>
  change(database, id, {
    set: "suspended_at = date_trunc('milliseconds', clock_timestamp())",
    where: 'suspended_at is null',
    action: 'customer.suspend',
  })

export const resumeCustomer = (database: Database, id: string): Promise<CustomerRecord | undefined> =>
  change(database, id, {
    set: 'suspended_at = null',
    where: 'suspended_at is not null',
    action: 'customer.resume',
  })

/** Undefined when there is no such customer. */
export const setCustomerRetention = (
  database: Database,
  id: string,
  days: number | null,
): Promise<CustomerRecord | undefined> =>
  change(database, id, {
    set: 'retention_days = $2',
    where: 'retention_days is distinct from $2',
    values: [days],
    action: 'customer.set_retention',
    details: { retention_days: days },
  })

interface CustomerChange extends Pick<Act, 'action' | 'details'> {
  readonly set: string
  /** Whether it changes anything. If not, it is not recorded. */
  readonly where: string
  readonly values?: readonly unknown[]
}

const change = (
  database: Database,
  id: string,
  { set, where, values = [], ...act }: CustomerChange,
): Promise<CustomerRecord | undefined> =>
  withRetry(() =>
    database.transaction(async (client) => {
      const { rows } = await client.query<CustomerRow>(
        `update customers set ${set} where id = $1 and ${where} returning ${columns}`,
        [id, ...values],
      )
      if (rows[0]) await recordAct(client, { customerId: id, by: operator, ...act })
      const { rows: found } = await client.query<CustomerRow>(`select ${columns} from customers where id = $1`, [id])
      return found[0] && toRecord(found[0])
    }),
  )
