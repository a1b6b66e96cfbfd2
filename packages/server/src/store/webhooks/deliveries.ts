// The deliveries of a webhook: list them, add a test, send one again, delete those of a deleted webhook.
import { type DeliveryType, escalationType, type RunStatus } from '@runwright/contract'
import type pg from 'pg'
import { newSeed } from '../../runtime/secrets/derived-secret.ts'
import { lockCustomer } from '../keys/lock-customer.ts'
import { type Database, withRetry } from '../postgres/database.ts'
import { changeOnce, type Repeatable } from '../requests/kept-answers.ts'

export interface DeliveryKey {
  readonly customerId: string
  readonly webhookId: string
  readonly runId: string
  readonly seq: number
  readonly type: DeliveryType
}

export interface DeliveryRecord {
  readonly runId: string
  readonly seq: number
  readonly type: DeliveryType
  readonly status: RunStatus
  readonly at: Date
  readonly attempt: number
  /** Null: it was delivered or given up. */
  readonly nextAt: Date | null
  readonly endedAt: Date | null
  readonly delivered: boolean
  readonly attemptedAt: Date | null
  readonly responseStatus: number | null
  readonly error: string | null
}

type DeliveryRow = {
  run_id: string
  seq: number
  type: DeliveryType
  status: RunStatus
  at: Date
  attempt: number
  next_at: Date | null
  ended_at: Date | null
  delivered: boolean
  attempted_at: Date | null
  response_status: number | null
  error: string | null
}

const columns = `run_id, seq, type, status, at, attempt, next_at, ended_at, delivered, attempted_at, response_status, error`

const toRecord = (row: DeliveryRow): DeliveryRecord => ({
  runId: row.run_id,
  seq: row.seq,
  type: row.type,
  status: row.status,
  at: row.at,
  attempt: row.attempt,
  nextAt: row.next_at,
  endedAt: row.ended_at,
  delivered: row.delivered,
  attemptedAt: row.attempted_at,
  responseStatus: row.response_status,
  error: row.error,
})

/** Where a page ended. */
export interface DeliveryPosition {
  readonly atMs: number
  readonly runId: string
  readonly seq: number
}

interface DeliveryPage {
  readonly customerId: string
  readonly webhookId: string
  readonly before: DeliveryPosition | undefined
  readonly limit: number
}

const newestPosition: DeliveryPosition = { atMs: 8.64e15, runId: 'ffffffff-ffff-ffff-ffff-ffffffffffff', seq: 0 }

/** Newest first. */
export async function listDeliveries(database: Database, page: DeliveryPage): Promise<DeliveryRecord[]> {
  const { atMs, runId, seq } = page.before ?? newestPosition
  const rows = await database.query<DeliveryRow>({
    text: `
select ${columns}
from webhook_deliveries
where customer_id = $1 and webhook_id = $2 and (at, run_id, seq) < ($3::timestamptz, $4::uuid, $5::integer)
order by at desc, run_id desc, seq desc
limit $6`,
    values: [page.customerId, page.webhookId, new Date(atMs), runId, seq, page.limit],
  })
  return rows.map(toRecord)
}

/** With an idempotency key, the customer is locked: requests with the same key take turns. */
function sendOnce(
  database: Database,
  { customerId, repeatable }: { readonly customerId: string; readonly repeatable: Repeatable | undefined },
  send: (client: pg.PoolClient) => Promise<DeliveryRecord | undefined>,
): Promise<DeliveryRecord | undefined> {
  if (!repeatable) return withRetry(() => database.withConnection(send))
  const seed = newSeed()
  return withRetry(() =>
    database.transaction(async (client) => {
      await lockCustomer(client, customerId)
      return (await changeOnce(client, { customerId, repeatable, seed, make: () => send(client) }))?.result
    }),
  )
}

/** Can be retried after a lost answer. */
export async function insertTestDelivery(
  database: Database,
  key: Omit<DeliveryKey, 'type'>,
  repeatable?: Repeatable,
): Promise<DeliveryRecord> {
  const { customerId, webhookId, runId, seq } = key
  const delivery = await sendOnce(database, { customerId, repeatable }, async (client) => {
    const { rows } = await client.query<DeliveryRow>(insertTestText, [customerId, webhookId, runId, seq])
    return rows[0] && toRecord(rows[0])
  })
  if (!delivery) throw new Error('a test of a webhook was not inserted')
  return delivery
}

const insertTestText = `
insert into webhook_deliveries (customer_id, webhook_id, run_id, seq, type, status, at, queued_at, next_at)
select $1, $2, $3, $4, 'webhook.test', 'queued', now.at, now.at, now.at
from (select date_trunc('milliseconds', clock_timestamp()) as at) now
on conflict (customer_id, run_id, webhook_id, seq, type) do update
set type = excluded.type
returning ${columns}`

interface Redelivery extends Omit<DeliveryKey, 'type'> {
  readonly isEscalation: boolean
}

/** Sends the message again, with all its attempts. Undefined when the webhook has no such delivery. */
export const redeliver = (
  database: Database,
  { customerId, webhookId, runId, seq, isEscalation }: Redelivery,
  repeatable?: Repeatable,
): Promise<DeliveryRecord | undefined> =>
  sendOnce(database, { customerId, repeatable }, async (client) => {
    const { rows } = await client.query<DeliveryRow>(redeliverText, [customerId, webhookId, runId, seq, isEscalation])
    return rows[0] && toRecord(rows[0])
  })

const redeliverText = `
update webhook_deliveries
set attempt = 0,
  delivered = false,
  ended_at = null,
  next_at = clock_timestamp(),
  queued_at = clock_timestamp()
where customer_id = $1 and webhook_id = $2 and run_id = $3 and seq = $4
  and (type = '${escalationType}') = $5
returning ${columns}`

/** Deletes a limited number of the deliveries of a webhook. Returns how many. */
export async function deleteDeliveriesOf(
  database: Database,
  { customerId, webhookId, atMost }: Pick<DeliveryKey, 'customerId' | 'webhookId'> & { readonly atMost: number },
): Promise<number> {
  const rows = await database.query({
    text: `
delete from webhook_deliveries
where customer_id = $1 and webhook_id = $2 and (run_id, seq) in (
  select run_id, seq
  from webhook_deliveries
  where customer_id = $1 and webhook_id = $2
  limit $3
)
returning 1`,
    values: [customerId, webhookId, atMost],
  })
  return rows.length
}
