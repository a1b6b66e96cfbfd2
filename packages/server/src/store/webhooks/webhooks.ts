// The webhooks of a customer: insert, list, find, rotate, delete. Every statement names the customer.
import type { EventType } from '@runwright/contract'
import type { SealedValue } from '../../runtime/cipher-keyring.ts'
import { type Database, withRetry } from '../postgres/database.ts'

/** A webhook as its owner may see it: everything but the secret. */
export interface WebhookRecord {
  readonly id: string
  readonly url: string
  readonly eventTypes: readonly EventType[]
  readonly createdAt: Date
  readonly disabledAt: Date | null
  /** Nothing is sent until then, because the endpoint keeps failing. Null also when the time has passed. */
  readonly pausedUntil: Date | null
}

interface NewWebhook {
  readonly customerId: string
  readonly id: string
  readonly url: string
  readonly eventTypes: readonly EventType[]
  readonly sealed: SealedValue
}

type WebhookRow = {
  id: string
  url: string
  event_types: EventType[]
  created_at: Date
  disabled_at: Date | null
  paused_until: Date | null
}

const columns = `id, url, event_types, created_at, disabled_at,
  case when paused_until > clock_timestamp() then paused_until end as paused_until`

const toRecord = (row: WebhookRow): WebhookRecord => ({
  id: row.id,
  url: row.url,
  eventTypes: row.event_types,
  createdAt: row.created_at,
  disabledAt: row.disabled_at,
  pausedUntil: row.paused_until,
})

/** Undefined when the customer has too many already. Can be retried after a lost answer. */
export const insertWebhook = (
  database: Database,
  { customerId, id, url, eventTypes, sealed }: NewWebhook,
  { atMost }: { readonly atMost: number },
): Promise<WebhookRecord | undefined> =>
  withRetry(() =>
    database.transaction(async (client) => {
      // Creates of one customer take turns: each one counts the webhooks of those before it.
      await client.query('select from customers where id = $1 for no key update', [customerId])
      const { rows } = await client.query<WebhookRow>(insertText, [
        customerId,
        id,
        url,
        eventTypes,
        sealed.bytes,
        sealed.keyId,
        atMost,
      ])
      return rows[0] && toRecord(rows[0])
    }),
  )

const insertText = `
insert into webhooks (customer_id, id, url, event_types, sealed, sealed_key)
select $1, $2, $3, $4, $5, $6
where (select count(*) from webhooks where customer_id = $1 and id <> $2) < $7
on conflict (customer_id, id) do update
set url = excluded.url
returning ${columns}`

/** Newest first. */
export async function listWebhooks(database: Database, customerId: string): Promise<WebhookRecord[]> {
  const rows = await database.query<WebhookRow>({
    text: `
select ${columns}
from webhooks
where customer_id = $1
order by id desc`,
    values: [customerId],
  })
  return rows.map(toRecord)
}

export async function findWebhook(
  database: Database,
  customerId: string,
  id: string,
): Promise<WebhookRecord | undefined> {
  const [row] = await database.query<WebhookRow>({
    text: `
select ${columns}
from webhooks
where customer_id = $1 and id = $2`,
    values: [customerId, id],
  })
  return row && toRecord(row)
}

interface Rotation {
  readonly customerId: string
  readonly id: string
  readonly sealed: SealedValue
  readonly overlapSeconds: number
}

/** Undefined when the customer has no such webhook. Can be retried after a lost answer. */
export async function rotateWebhook(database: Database, rotation: Rotation): Promise<WebhookRecord | undefined> {
  const [row] = await database.query<WebhookRow>({
    text: `
update webhooks
set sealed = $3,
  sealed_key = $4,
  previous_sealed = case when sealed = $3 then previous_sealed when $5::float8 > 0 then sealed end,
  previous_sealed_key = case when sealed = $3 then previous_sealed_key when $5::float8 > 0 then sealed_key end,
  previous_until = case
    when sealed = $3 then previous_until
    when $5::float8 > 0 then clock_timestamp() + make_interval(secs => $5::float8)
  end
where customer_id = $1 and id = $2
returning ${columns}`,
    values: [rotation.customerId, rotation.id, rotation.sealed.bytes, rotation.sealed.keyId, rotation.overlapSeconds],
  })
  return row && toRecord(row)
}

/** Undefined when the customer has no such webhook. */
export async function deleteWebhook(
  database: Database,
  customerId: string,
  id: string,
): Promise<WebhookRecord | undefined> {
  const [row] = await database.query<WebhookRow>({
    text: `
delete from webhooks
where customer_id = $1 and id = $2
returning ${columns}`,
    values: [customerId, id],
  })
  return row && toRecord(row)
}
