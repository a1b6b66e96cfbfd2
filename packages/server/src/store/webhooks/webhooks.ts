// The webhooks of a customer: insert, list, find, rotate, delete. Every statement names the customer.
import type { EventType, WebhookFormat } from '@runwright/contract'
import type pg from 'pg'
import type { Actor } from '../../domain/actor.ts'
import { checkOldSecrets, type OldSecrets } from '../../domain/old-secrets.ts'
import { toWireId } from '../../runtime/ids.ts'
import type { SealedValue } from '../../runtime/secrets/cipher-keyring.ts'
import { lockCustomerFor } from '../keys/lock-customer.ts'
import { type Database, withRetry } from '../postgres/database.ts'
import { changeOnce, type Once, type Repeatable } from '../requests/kept-answers.ts'
import { recordAct } from '../requests/record-act.ts'
import { findSame } from './same-webhook.ts'
import { toWebhookRecord, type WebhookRecord, type WebhookRow, webhookColumns } from './webhook-record.ts'

interface NewWebhook {
  readonly customerId: string
  readonly id: string
  readonly name?: string | null | undefined
  readonly url: string
  /** Default: `standard`. */
  readonly format?: WebhookFormat | undefined
  readonly eventTypes: readonly EventType[]
  readonly sealed: SealedValue
}

/** Who changes it, and how the secret can be shown again. */
export interface WebhookAct {
  readonly by: Actor
  /** What the secret was derived from. */
  readonly seed: Buffer
  readonly repeatable?: Repeatable | undefined
}

type Insertion = WebhookAct & { readonly atMost: number }

/** What became of a create. `exists`: nothing was changed. `full`: the customer has too many already. */
export type Inserted =
  | ({ readonly kind: 'inserted' } & Once<WebhookRecord>)
  | { readonly kind: 'exists'; readonly webhook: WebhookRecord }
  | { readonly kind: 'full' }

/** Can be retried after a lost answer. */
export const insertWebhook = (database: Database, webhook: NewWebhook, insertion: Insertion): Promise<Inserted> =>
  withRetry(() =>
    database.transaction(async (client): Promise<Inserted> => {
      const { customerId, name = null } = webhook
      const { by, seed, repeatable } = insertion
      // Creates of one customer take turns: each one sees the webhooks of those before it.
      await lockCustomerFor(client, customerId, by)
      let existing: WebhookRecord | undefined
      const make = async () => {
        existing = await findSame(client, { ...webhook, name })
        return existing ? undefined : insertOne(client, webhook, insertion)
      }
      const made = await changeOnce(client, { customerId, repeatable, seed, make })
      if (made) return { kind: 'inserted', ...made }
      return existing ? { kind: 'exists', webhook: existing } : { kind: 'full' }
    }),
  )

async function insertOne(
  client: pg.PoolClient,
  { customerId, id, name = null, url, format = 'standard', eventTypes, sealed }: NewWebhook,
  { atMost, by }: Insertion,
): Promise<WebhookRecord | undefined> {
  const values = [customerId, id, url, eventTypes, sealed.bytes, sealed.keyId, atMost, by.keyId, format, name]
  const { rows } = await client.query<WebhookRow>(insertText, values)
  const act = { customerId, by, action: 'webhook.create', target: toWireId('hook', id) } as const
  if (rows[0]) await recordAct(client, { ...act, details: { event_types: eventTypes, format } })
  const row = rows[0] ?? (await findRow(client, [customerId, id]))
  return row && toWebhookRecord(row)
}

const insertText = `
insert into webhooks (customer_id, id, url, event_types, sealed, sealed_key, url_by, format, name)
select $1, $2, $3, $4, $5, $6, $8, $9, $10
where (select count(*) from webhooks where customer_id = $1 and id <> $2 and format <> 'mail') < $7
on conflict (customer_id, id) do nothing
returning ${webhookColumns}`

/** The webhook as an earlier attempt has left it, whose answer was lost. */
async function findRow(
  client: pg.PoolClient,
  [customerId, id]: readonly [string, string],
): Promise<WebhookRow | undefined> {
  const { rows } = await client.query<WebhookRow>(
    `select ${webhookColumns} from webhooks where customer_id = $1 and id = $2`,
    [customerId, id],
  )
  return rows[0]
}

interface WebhookPage {
  readonly customerId: string
  /** The id of the last one of the page before. */
  readonly before?: string | undefined
  readonly limit: number
}

/** Newest first. */
export async function listWebhooks(database: Database, page: WebhookPage): Promise<WebhookRecord[]> {
  const rows = await database.query<WebhookRow>({
    text: `
select ${webhookColumns}
from webhooks
where customer_id = $1 and id < $2
order by id desc
limit $3`,
    values: [page.customerId, page.before ?? 'ffffffff-ffff-ffff-ffff-ffffffffffff', page.limit],
  })
  return rows.map(toWebhookRecord)
}

export async function findWebhook(
  database: Database,
  customerId: string,
  id: string,
): Promise<WebhookRecord | undefined> {
  const [row] = await database.query<WebhookRow>({
    text: `
select ${webhookColumns}
from webhooks
where customer_id = $1 and id = $2`,
    values: [customerId, id],
  })
  return row && toWebhookRecord(row)
}

interface Rotation extends WebhookAct {
  readonly customerId: string
  readonly id: string
  readonly sealed: SealedValue
  readonly overlapSeconds: number
}

/**
 * Undefined when the customer has no such webhook. Old secrets stay valid until their own time. Can be retried after a
 * lost answer.
 */
export const rotateWebhook = (database: Database, rotation: Rotation): Promise<Once<WebhookRecord> | undefined> =>
  withRetry(() =>
    database.transaction(async (client) => {
      const { customerId, by, seed, repeatable } = rotation
      await lockCustomerFor(client, customerId, by)
      return changeOnce(client, { customerId, repeatable, seed, make: () => rotateOne(client, rotation) })
    }),
  )

async function rotateOne(client: pg.PoolClient, rotation: Rotation): Promise<WebhookRecord | undefined> {
  const { customerId, id, sealed, overlapSeconds, by } = rotation
  checkOldSecrets(await findOldSecrets(client, [customerId, id, sealed.bytes]), overlapSeconds, 'A webhook')
  const values = [customerId, id, sealed.bytes, sealed.keyId, overlapSeconds]
  const { rows } = await client.query<WebhookRow>(rotateText, values)
  const act = { customerId, by, action: 'webhook.rotate', target: toWireId('hook', id) } as const
  if (rows[0]) await recordAct(client, { ...act, details: { overlap_seconds: overlapSeconds } })
  const row = rows[0] ?? (await findRow(client, [customerId, id]))
  return row && toWebhookRecord(row)
}

async function findOldSecrets(client: pg.PoolClient, values: unknown[]): Promise<OldSecrets> {
  const { rows } = await client.query<{ count: number; first_end: Date | null }>(
    `
select count(*), min(until) as first_end
from webhooks
cross join unnest(old_until) as until
where customer_id = $1 and id = $2 and sealed <> $3 and until > clock_timestamp()`,
    values,
  )
  return { count: rows[0]?.count ?? 0, firstEnd: rows[0]?.first_end ?? null }
}

// Old secrets whose time is over are dropped. Without an overlap, all of them are.
const rotateText = `
update webhooks w
set sealed = $3,
  sealed_key = $4,
  old_sealed = case when $5::float8 > 0 then w.sealed || valid.sealed else '{}' end,
  old_sealed_keys = case when $5::float8 > 0 then w.sealed_key || valid.sealed_keys else '{}' end,
  old_until = case
    when $5::float8 > 0 then clock_timestamp() + make_interval(secs => $5::float8) || valid.untils
    else '{}'
  end,
  updated_at = date_trunc('milliseconds', clock_timestamp())
from (
  select coalesce(array_agg(old.sealed order by n), '{}') as sealed,
    coalesce(array_agg(old.sealed_key order by n), '{}') as sealed_keys,
    coalesce(array_agg(old.until order by n), '{}') as untils
  from webhooks
  cross join unnest(old_sealed, old_sealed_keys, old_until) with ordinality as old(sealed, sealed_key, until, n)
  where customer_id = $1 and id = $2 and old.until > clock_timestamp()
) valid
where w.customer_id = $1 and w.id = $2 and w.sealed <> $3
returning ${webhookColumns}`

interface Deletion {
  readonly customerId: string
  readonly id: string
  readonly by: Actor
}

/** False when the customer has no such webhook. An attempt whose answer was lost counts. */
export const deleteWebhook = (database: Database, { customerId, id, by }: Deletion): Promise<boolean> => {
  let isDeleted = false
  return withRetry(() =>
    database.transaction(async (client) => {
      const text = 'delete from webhooks where customer_id = $1 and id = $2'
      const { rowCount } = await client.query(text, [customerId, id])
      const target = toWireId('hook', id)
      if (rowCount === 1) await recordAct(client, { customerId, by, action: 'webhook.delete', target })
      isDeleted ||= rowCount === 1
      return isDeleted
    }),
  )
}
