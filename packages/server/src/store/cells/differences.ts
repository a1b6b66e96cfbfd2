// Finds what two cells do not have in the same form, by digests of rows. So a move needs no record of what it has
// copied: after an interruption it continues with what differs.
import type pg from 'pg'
import type { PartsById } from './customer-parts.ts'
import type { Clients } from './part-rows.ts'

export interface Differences {
  /** Missing in the target, or different there. */
  readonly missing: readonly string[]
  /** Only in the target. */
  readonly extra: readonly string[]
}

/**
 * `settled`: of the source, only what hardly changes any more. `all`: everything; what is not settled always differs.
 */
type Selection = 'settled' | 'all'

export async function findDifferences(
  { source, target }: Clients,
  customerId: string,
  { settled, ...group }: Omit<PartsById, 'parts'>,
  selection: Selection,
): Promise<Differences> {
  const ours = { ...group, customerId, condition: selection === 'settled' ? settled : 'true' }
  const theirs = { ...ours, condition: 'true' }
  const [here, there] = await Promise.all([readBuckets(source, ours), readBuckets(target, theirs)])
  const buckets = [...new Set([...here.keys(), ...there.keys()])].filter((key) => here.get(key) !== there.get(key))
  const [mine, yours] = await Promise.all([readIds(source, ours, buckets), readIds(target, theirs, buckets)])
  const open = selection === 'all' ? await readIds(source, { ...ours, condition: `not (${settled})` }) : new Map()
  const differing = [...mine.keys()].filter((id) => mine.get(id) !== yours.get(id))
  return {
    missing: [...new Set([...differing, ...open.keys()])].sort(),
    extra: [...yours.keys()].filter((id) => !mine.has(id)),
  }
}

interface Digested extends Pick<PartsById, 'table' | 'id' | 'bucket' | 'digested'> {
  readonly customerId: string
  readonly condition: string
}

async function readBuckets(client: pg.PoolClient, rows: Digested): Promise<Map<string, string>> {
  const { rows: found } = await client.query<{ bucket: string; digest: string }>(
    `
select ${rows.bucket} as bucket, count(*) || ' ' || sum(hashtextextended(${rows.digested}, 0)) as digest
from ${rows.table} t
where customer_id = $1 and ${rows.condition}
group by 1`,
    [rows.customerId],
  )
  return new Map(found.map(({ bucket, digest }) => [bucket, digest]))
}

async function readIds(
  client: pg.PoolClient,
  rows: Digested,
  buckets?: readonly string[],
): Promise<Map<string, string>> {
  const { rows: found } = await client.query<{ id: string; digest: string }>(
    `
select ${rows.id}::text as id, hashtextextended(${rows.digested}, 0)::text as digest
from ${rows.table} t
where customer_id = $1 and ${rows.condition} and ($2::text[] is null or ${rows.bucket} = any ($2))`,
    [rows.customerId, buckets ?? null],
  )
  return new Map(found.map(({ id, digest }) => [id, digest]))
}
