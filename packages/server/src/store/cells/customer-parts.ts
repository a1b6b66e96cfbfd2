// What belongs to a customer, read from the catalog: a new table is moved without a change here.
import type pg from 'pg'

/** Rows of one table that are copied together. */
export interface Part {
  readonly table: string
  /** Without generated columns: the other cell generates them again. */
  readonly columns: readonly string[]
  /** The column with the id of the run, if the rows belong to a run. */
  readonly runColumn: string | undefined
  /** Which rows of the table; left out: all of the customer. */
  readonly where?: string
}

export interface CustomerParts {
  /** Copied run by run. */
  readonly ofRuns: readonly Part[]
  /** Copied as a whole, in an order that satisfies the foreign keys. */
  readonly ofCustomer: readonly Part[]
}

type TableRow = { name: string; columns: string[]; run_column: string | null }

export async function readCustomerParts(client: pg.PoolClient): Promise<CustomerParts> {
  const { rows } = await client.query<TableRow>(`
select c.relname as name,
  array_agg(a.attname::text order by a.attnum) filter (where a.attgenerated = '' and a.attidentity = '') as columns,
  case when c.relname = 'runs' then 'id' else min(a.attname) filter (where a.attname = 'run_id' and a.attnum = any (i.indkey)) end
    as run_column
from pg_class c
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
left join pg_index i on i.indrelid = c.oid and i.indisprimary
where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
group by c.oid, c.relname
having bool_or(a.attname = 'customer_id')
order by (c.relname = 'api_keys') desc, c.relname`)
  const parts = rows.flatMap(toParts)
  return {
    ofRuns: parts.filter(({ runColumn }) => runColumn !== undefined),
    ofCustomer: parts.filter(({ runColumn }) => runColumn === undefined),
  }
}

function toParts({ name, columns, run_column }: TableRow): Part[] {
  const part = { table: name, columns, runColumn: run_column ?? undefined }
  if (name !== 'memory_items') return [part]
  // There is an episode for each run that succeeded, and it never changes. The notes of agents change with later runs.
  return [
    { ...part, runColumn: 'run_id', where: 'harness and run_id is not null' },
    { ...part, where: 'not (harness and run_id is not null)' },
  ]
}
