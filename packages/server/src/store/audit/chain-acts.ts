// Appends recorded acts to the chains of their customers.
import type { AuditEntry } from '@runwright/contract'
import type pg from 'pg'
import { toWireId } from '../../runtime/ids.ts'
import type { Database } from '../postgres/database.ts'
import { encodeJson } from '../postgres/encode-json.ts'
import { heldCustomers } from '../run-log/moving-customers.ts'
import { entryHash } from './entry-hash.ts'

/** Returns how many acts it appended, at most `atMost`. Several processes may do it at once. */
export const chainActs = (database: Database, atMost: number): Promise<number> =>
  // Not retried: the next call appends what is left.
  database.transaction(async (client) => {
    // An erasure of a customer locks this table first, too: it finds either the acts or the whole chain.
    await client.query('lock table audit_heads in row exclusive mode')
    const acts = await takeActs(client, atMost)
    if (acts.length === 0) return 0
    const heads = await lockHeads(client, [...new Set(acts.map((act) => act.customer_id))].sort())
    const entries = acts.toSorted(byTime).map((act) => append(heads, act))
    await write(client, { ids: acts.map(({ id }) => id), entries, heads })
    return acts.length
  })

type ActRow = {
  id: number
  customer_id: string
  at: Date
  action: AuditEntry['action']
  key_id: string | null
  key_name: string | null
  via: AuditEntry['via']
  run_id: string | null
  target: string | null
  details: string | null
}

/**
 * Acts of customers that are being moved stay: the cell that they move to appends them. The name of a key never
 * changes.
 */
async function takeActs(client: pg.PoolClient, atMost: number): Promise<ActRow[]> {
  const { rows } = await client.query<ActRow>(
    `
select q.id, q.customer_id, q.at, q.action, q.key_id, k.name as key_name, q.via, q.run_id, q.target, q.details
from audit_queue q
left join api_keys k on k.id = q.key_id and k.customer_id = q.customer_id
where q.customer_id not in (${heldCustomers})
limit $1
for update of q skip locked`,
    [atMost],
  )
  return rows
}

const byTime = (one: ActRow, other: ActRow): number => one.at.getTime() - other.at.getTime() || one.id - other.id

interface Head {
  seq: number
  hash: string | null
}

type Heads = Map<string, Head>

/** In the order of customers, so that processes wait for each other instead of deadlocking. */
async function lockHeads(client: pg.PoolClient, customerIds: readonly string[]): Promise<Heads> {
  await client.query(
    `
insert into audit_heads (customer_id, seq)
select id, 0
from unnest($1::text[]) with ordinality as c(id, n)
where not exists (select from audit_heads where customer_id = id)
order by n
on conflict (customer_id) do nothing`,
    [customerIds],
  )
  const { rows } = await client.query<Head & { customer_id: string }>(
    `
select customer_id, seq, encode(hash, 'hex') as hash
from audit_heads
where customer_id = any($1::text[])
order by customer_id
for update`,
    [customerIds],
  )
  return new Map(rows.map(({ customer_id, seq, hash }) => [customer_id, { seq, hash }]))
}

type ChainedRow = AuditEntry & { readonly customer_id: string }

/** The entry of an act, which is the head from now on. */
function append(heads: Heads, act: ActRow): ChainedRow {
  const head = heads.get(act.customer_id)
  if (!head) throw new Error('a customer has no head of its audit chain')
  // In the order of their names: that is the canonical form.
  const entry = {
    action: act.action,
    at: act.at.toISOString(),
    details: JSON.parse(act.details ?? '{}'),
    key_id: act.key_id,
    key_name: act.key_name,
    previous_hash: head.hash,
    seq: head.seq + 1,
    target: act.run_id === null ? act.target : toWireId('run', act.run_id),
    via: act.via,
  }
  head.seq = entry.seq
  head.hash = entryHash(entry)
  return { ...entry, hash: head.hash, customer_id: act.customer_id }
}

interface Chained {
  readonly ids: readonly number[]
  readonly entries: readonly ChainedRow[]
  readonly heads: Heads
}

async function write(client: pg.PoolClient, { ids, entries, heads }: Chained): Promise<void> {
  await client.query(
    `
with deleted as (
  delete from audit_queue
  where id = any($1::bigint[])
),
moved_heads as (
  update audit_heads h
  set seq = n.seq,
    hash = decode(n.hash, 'hex')
  from json_to_recordset($3::json) as n(customer_id text, seq bigint, hash text)
  where h.customer_id = n.customer_id
)
insert into audit_entries (customer_id, seq, at, action, key_id, key_name, via, target, details, hash)
select customer_id, seq, at, action, key_id, key_name, via, target, details, decode(hash, 'hex')
from json_to_recordset($2::json) as e(customer_id text, seq bigint, at timestamptz, action text, key_id text,
  key_name text, via text, target text, details json, hash text)`,
    [ids, encodeJson(entries), encodeJson([...heads].map(([customer_id, head]) => ({ customer_id, ...head })))],
  )
}

/** Reclaims the space of deleted rows, as `vacuumDeltas` does: until then every reader of the queue would scan them. */
export async function vacuumQueue(database: Database): Promise<void> {
  await database.run({ text: 'vacuum (skip_locked) audit_queue' })
}
