// What belongs to a customer, read from the catalog: a new table is moved without a change here.
import type pg from 'pg'
import { terminalStates } from '../../domain/run/states.ts'
import { sqlList } from '../postgres/sql-list.ts'

/** The rows of one table. */
export interface Part {
  readonly table: string
  /** Without generated columns: the other cell generates them again. */
  readonly columns: readonly string[]
  /** The column with the id of the run or of the item, if rows are copied by these. */
  readonly idColumn: string | undefined
}

/** What is copied by ids, most of it while the customer is served. */
export interface PartsById {
  /** The table that has a row for each id. */
  readonly table: string
  /** The column with the id. */
  readonly id: string
  /** A few hundred ids that are near each other have the same one. */
  readonly bucket: string
  /** What of that row differs whenever something of the id differs. */
  readonly digested: string
  /** Which rows do not change any more, or rarely. */
  readonly settled: string
  readonly parts: readonly Part[]
}

export interface CustomerParts {
  readonly byId: readonly PartsById[]
  /** Copied as a whole, in an order that satisfies the foreign keys. */
  readonly whole: readonly Part[]
}

type TableRow = { name: string; columns: string[]; id_column: string | null }

export async function readCustomerParts(client: pg.PoolClient): Promise<CustomerParts> {
  const { rows } = await client.query<TableRow>(`
select c.relname as name,
  array_agg(a.attname::text order by a.attnum) filter (where a.attgenerated = '' and a.attidentity = '') as columns,
  case
    when c.relname in ('runs', 'memory_items') then 'id'
    when c.relname = 'audit_entries' then 'seq'
    -- They change after their run has ended, which does not change the run.
    when c.relname = 'webhook_deliveries' then null
    else min(a.attname) filter (where a.attname = 'run_id' and a.attnum = any (i.indkey))
  end as id_column
from pg_class c
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
left join pg_index i on i.indrelid = c.oid and i.indisprimary
where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
  -- It belongs to processes that may still ask this cell what became of a batch.
  and c.relname <> 'log_batches'
group by c.oid, c.relname
having bool_or(a.attname = 'customer_id')
order by (c.relname = 'api_keys') desc, c.relname`)
  const parts = rows.map(({ name, columns, id_column }) => ({ table: name, columns, idColumn: id_column ?? undefined }))
  const own = [memory, audit]
  const isOwn = ({ table }: Part) => own.some((group) => group.table === table)
  return {
    byId: [
      { ...runs, parts: parts.filter((part) => part.idColumn !== undefined && !isOwn(part)) },
      ...own.map((group) => ({ ...group, parts: parts.filter(({ table }) => table === group.table) })),
    ],
    whole: parts.filter(({ idColumn }) => idColumn === undefined),
  }
}

/** About a minute each: the first digits of an id are a time. */
const byMinute = { id: 'id', bucket: 'left(id::text, 8)' }

/** Every change of a run that has ended changes its row. */
const runs = { table: 'runs', ...byMinute, digested: 't::text', settled: `state in (${sqlList(terminalStates)})` }

/** There is an item for each run that succeeded. Their texts and vectors are large, and never change without these. */
const memory = {
  table: 'memory_items',
  ...byMinute,
  digested: 'row(version, status, superseded_by, embedding_model, updated_at)::text',
  settled: 'true',
}

/** They never change. */
const audit = {
  table: 'audit_entries',
  id: 'seq',
  bucket: '(seq / 500)::text',
  digested: 't::text',
  settled: 'true',
}
