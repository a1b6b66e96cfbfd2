// Copies, deletes and compares the rows of a part.
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { type CopyStreamQuery, type CopyToStreamQuery, from as copyFrom, to as copyTo } from 'pg-copy-streams'
import type { Part } from './customer-parts.ts'

export interface Rows {
  readonly customerId: string
  /** Left out: all rows of the part. */
  readonly ids?: readonly string[]
}

export interface Clients {
  readonly source: pg.PoolClient
  readonly target: pg.PoolClient
}

/** Replaces the rows of the target by those of the source. Fails unless both sides then have the same. */
export async function copyRows({ source, target }: Clients, part: Part, rows: Rows): Promise<void> {
  await deleteRows(target, part, rows)
  const columns = part.columns.join(', ')
  const selected = `select ${columns} from ${part.table} where ${conditionOf(source, part, rows)}`
  await pass(
    source.query(copyTo(`copy (${selected}) to stdout`)),
    target.query(copyFrom(`copy ${part.table} (${columns}) from stdin`)),
  )
  const [here, there] = [await digestOf(source, part, rows), await digestOf(target, part, rows)]
  if (here !== there)
    throw new Error(`the copy of ${part.table} differs: ${here} in the source, ${there} in the target`)
}

/** The driver gives each statement a timer, and the streams do not tell it when they end: it would fire much later. */
type Timed<Stream> = Stream & { readonly callback?: () => void }

async function pass(from: Timed<CopyToStreamQuery>, to: Timed<CopyStreamQuery>): Promise<void> {
  try {
    await pipeline(from, to)
  } finally {
    for (const stream of [from, to]) stream.callback?.()
  }
}

export async function deleteRows(client: pg.PoolClient, part: Part, rows: Rows): Promise<void> {
  await client.query(`delete from ${part.table} where ${conditionOf(client, part, rows)}`)
}

/** The count of the rows, and a sum over their contents. */
async function digestOf(client: pg.PoolClient, part: Part, rows: Rows): Promise<string> {
  const { rows: found } = await client.query<{ digest: string }>(`
select count(*) || ' rows, ' || coalesce(sum(hashtextextended(row(${part.columns.join(', ')})::text, 0)), 0) as digest
from ${part.table}
where ${conditionOf(client, part, rows)}`)
  return found[0]?.digest ?? ''
}

/** With literals, because COPY takes no parameters. */
function conditionOf(client: pg.PoolClient, { idColumn }: Part, { customerId, ids }: Rows): string {
  const customer = `customer_id = ${client.escapeLiteral(customerId)}`
  if (ids === undefined) return customer
  return `${customer} and ${idColumn} in (${ids.map((id) => client.escapeLiteral(id)).join(', ')})`
}
