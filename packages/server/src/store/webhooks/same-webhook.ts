// Which webhook a request means: the one with its name, or without a name the one that has none and the same URL. So a
// request that is sent twice makes one webhook, not two that receive each message.
import type pg from 'pg'
import { ServiceError } from '../../domain/service-error.ts'
import { toWireId } from '../../runtime/ids.ts'
import { toWebhookRecord, type WebhookRecord, type WebhookRow, webhookColumns } from './webhook-record.ts'

interface Meant {
  readonly customerId: string
  /** Not this one. */
  readonly id: string
  readonly name: string | null
  readonly url: string
}

/** In a transaction that holds the lock of the customer. */
export async function findSame(
  client: pg.PoolClient,
  { customerId, id, name, url }: Meant,
): Promise<WebhookRecord | undefined> {
  const { rows } = await client.query<WebhookRow>(findText, [customerId, id, name, url])
  return rows[0] && toWebhookRecord(rows[0])
}

const findText = `
select ${webhookColumns}
from webhooks
where customer_id = $1
  and id <> $2
  and format <> 'mail'
  and case when $3::text is null then name is null and url = $4 else name = $3 end`

/** `differing`: the fields in which the webhook that is there differs from the one that was to be created. */
export function refuseSame({ id, name }: WebhookRecord, differing?: readonly string[]): never {
  const hook = toWireId('hook', id)
  const [has, wayOut] =
    name === null
      ? [`${hook} has this URL and no name`, 'give one of the two a name']
      : [`${hook} has this name`, 'choose another name']
  throw new ServiceError(
    'WEBHOOK_EXISTS',
    differing === undefined
      ? `${has}. Nothing was changed; ${wayOut}.`
      : `${has}, but another ${differing.join(' and ')}. Change it with PATCH /v1/webhooks/${hook}, or ${wayOut}.`,
  )
}
