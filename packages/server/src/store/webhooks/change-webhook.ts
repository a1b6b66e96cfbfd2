// Changes, pauses and resumes a webhook.
import type { EventType } from '@runwright/contract'
import type pg from 'pg'
import type { Actor } from '../../domain/actor.ts'
import { toWireId } from '../../runtime/ids.ts'
import { lockCustomerFor } from '../keys/lock-customer.ts'
import { type Database, withRetry } from '../postgres/database.ts'
import { recordAct } from '../requests/record-act.ts'
import { findSame, refuseSame } from './same-webhook.ts'
import { toWebhookRecord, type WebhookRecord, type WebhookRow, webhookColumns } from './webhook-record.ts'

/** What is left out stays as it is. */
export interface WebhookChange {
  /** Null takes the name away. */
  readonly name?: string | null | undefined
  readonly url?: string | undefined
  readonly eventTypes?: readonly EventType[] | undefined
  /** False also ends what the answers of the endpoint have led to. */
  readonly paused?: boolean | undefined
}

interface ChangedWebhook {
  readonly customerId: string
  readonly id: string
  readonly by: Actor
}

/**
 * Undefined when the customer has no such webhook. Can be retried after a lost answer: what is changed already is not
 * recorded again.
 */
export const changeWebhook = (
  database: Database,
  { customerId, id, by }: ChangedWebhook,
  change: WebhookChange,
): Promise<WebhookRecord | undefined> =>
  withRetry(() =>
    database.transaction(async (client) => {
      await lockCustomerFor(client, customerId, by)
      const was = await lockWebhook(client, customerId, id)
      if (!was) return undefined
      const changed = changedFields(was, change)
      if (changed.length === 0) return was
      const { name = was.name, url = was.url } = change
      const same =
        name === was.name && url === was.url ? undefined : await findSame(client, { customerId, id, name, url })
      if (same) refuseSame(same)
      const target = toWireId('hook', id)
      await recordAct(client, { customerId, by, action: 'webhook.update', target, details: { changed } })
      const values = [customerId, id, url, change.eventTypes, change.paused, by.keyId, name]
      const { rows } = await client.query<WebhookRow>(changeText, values)
      return rows[0] && toWebhookRecord(rows[0])
    }),
  )

async function lockWebhook(client: pg.PoolClient, customerId: string, id: string): Promise<WebhookRecord | undefined> {
  const text = `select ${webhookColumns} from webhooks where customer_id = $1 and id = $2 for update`
  const { rows } = await client.query<WebhookRow>(text, [customerId, id])
  return rows[0] && toWebhookRecord(rows[0])
}

/** The names of the fields in the API. */
function changedFields(was: WebhookRecord, { name, url, eventTypes, paused }: WebhookChange): string[] {
  const isSilent = was.pausedAt !== null || was.disabledAt !== null || was.pausedUntil !== null
  const isChanged = {
    name: name !== undefined && name !== was.name,
    url: url !== undefined && url !== was.url,
    event_types: eventTypes !== undefined && eventTypes.join() !== was.eventTypes.join(),
    paused: paused === true ? was.pausedAt === null : paused === false && isSilent,
  }
  return Object.entries(isChanged).flatMap(([field, changed]) => (changed ? [field] : []))
}

// Another URL is another endpoint: what the one before has answered does not count against it.
const changeText = `
update webhooks
set name = $7,
  url = $3,
  event_types = coalesce($4, event_types),
  paused_at = case
    when $5::boolean then coalesce(paused_at, date_trunc('milliseconds', clock_timestamp()))
    when not $5::boolean then null
    else paused_at
  end,
  disabled_at = case when not $5::boolean then null else disabled_at end,
  failures = case when not $5::boolean or $3 <> url then 0 else failures end,
  paused_until = case when not $5::boolean or $3 <> url then null else paused_until end,
  url_by = case when $3 <> url then $6 else url_by end,
  updated_at = date_trunc('milliseconds', clock_timestamp())
where customer_id = $1 and id = $2
returning ${webhookColumns}`
