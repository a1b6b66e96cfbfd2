// Finds the runs that two cells do not have in the same form, by digests of their rows. So a move needs no record of what
// it has copied: after an interruption it continues with what differs. Every change of a run changes its row.
import type pg from 'pg'
import { terminalStates } from '../../domain/run/states.ts'
import { sqlList } from '../postgres/sql-list.ts'
import type { Clients } from './part-rows.ts'

export interface RunDifferences {
  /** Missing in the target, or different there. */
  readonly missing: readonly string[]
  /** Only in the target. */
  readonly extra: readonly string[]
}

/** `ended`: of the source, only runs that have ended. `all`: all of them, and those that have not ended always differ. */
type Selection = 'ended' | 'all'

const hasEnded = `state in (${sqlList(terminalStates)})`

export async function findRunDifferences(
  { source, target }: Clients,
  customerId: string,
  selection: Selection,
): Promise<RunDifferences> {
  const condition = selection === 'ended' ? hasEnded : 'true'
  const here = await readBuckets(source, customerId, condition)
  const there = await readBuckets(target, customerId, 'true')
  const buckets = [...new Set([...here.keys(), ...there.keys()])].filter((key) => here.get(key) !== there.get(key))
  const [ours, theirs] = [
    await readRuns(source, { customerId, buckets, condition }),
    await readRuns(target, { customerId, buckets, condition: 'true' }),
  ]
  const unfinished = selection === 'all' ? await readUnfinished(source, customerId) : []
  const differing = [...ours.keys()].filter((id) => ours.get(id) !== theirs.get(id))
  return {
    missing: [...new Set([...differing, ...unfinished])].sort(),
    extra: [...theirs.keys()].filter((id) => !ours.has(id)),
  }
}

/** Runs of about a minute each: the first digits of an id are a time. */
const bucketOf = 'left(id::text, 8)'

async function readBuckets(client: pg.PoolClient, customerId: string, condition: string): Promise<Map<string, string>> {
  const { rows } = await client.query<{ bucket: string; digest: string }>(
    `
select ${bucketOf} as bucket, count(*) || ' ' || sum(hashtextextended(r::text, 0)) as digest
from runs r
where customer_id = $1 and ${condition}
group by 1`,
    [customerId],
  )
  return new Map(rows.map(({ bucket, digest }) => [bucket, digest]))
}

interface BucketsRead {
  readonly customerId: string
  readonly buckets: readonly string[]
  readonly condition: string
}

async function readRuns(client: pg.PoolClient, { customerId, buckets, condition }: BucketsRead) {
  const { rows } = await client.query<{ id: string; digest: string }>(
    `
select id, hashtextextended(r::text, 0)::text as digest
from runs r
where customer_id = $1 and ${bucketOf} = any($2::text[]) and ${condition}`,
    [customerId, buckets],
  )
  return new Map(rows.map(({ id, digest }) => [id, digest]))
}

/** A worker's notes in the journal do not show in the row of its run. */
async function readUnfinished(client: pg.PoolClient, customerId: string): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `
select id
from runs
where customer_id = $1 and not ${hasEnded}`,
    [customerId],
  )
  return rows.map(({ id }) => id)
}
