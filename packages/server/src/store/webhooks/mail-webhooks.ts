// The webhooks of format `mail`: one for each customer that the settings name, so that the change of a run writes a
// mail as it writes any other message. Its URL and its secret are not used.
import { operator } from '../../domain/actor.ts'
import { toWireId } from '../../runtime/ids.ts'
import type { SealedValue } from '../../runtime/secrets/cipher-keyring.ts'
import { type Database, withRetry } from '../postgres/database.ts'
import { recordAct } from '../requests/record-act.ts'

/** The same for each customer: there is one at most. */
export const mailWebhookId = '00000000-0000-7000-8000-00000000a11e'

const eventTypes = ['run.awaiting_input'] as const

/** Makes it, or enables it again. False if nothing had to be done, or the service has no such customer. */
export const enableMail = (database: Database, customerId: string, sealed: SealedValue): Promise<boolean> =>
  withRetry(() =>
    database.transaction(async (client) => {
      const { rows } = await client.query<{ is_new: boolean }>(enableText, [
        ...[customerId, mailWebhookId, eventTypes, sealed.bytes, sealed.keyId],
      ])
      const target = toWireId('hook', mailWebhookId)
      const details = { event_types: eventTypes, format: 'mail' }
      if (rows[0]?.is_new)
        await recordAct(client, { customerId, by: operator, action: 'webhook.create', target, details })
      return rows.length > 0
    }),
  )

const enableText = `
insert into webhooks (customer_id, id, url, format, event_types, sealed, sealed_key)
select id, $2, 'mailto:', 'mail', $3, $4, $5
from customers
where id = $1 and move is null
on conflict (customer_id, id) do update
set disabled_at = null, updated_at = date_trunc('milliseconds', clock_timestamp())
where webhooks.disabled_at is not null
returning xmax = 0 as is_new`

export async function findMailCustomers(database: Database): Promise<string[]> {
  const rows = await database.query<{ customer_id: string }>({
    text: `
select w.customer_id
from webhooks w
join customers c on c.id = w.customer_id and c.move is null
where w.format = 'mail' and w.disabled_at is null`,
  })
  return rows.map(({ customer_id }) => customer_id)
}

/** Which of these the service has. */
export async function findCustomersAmong(database: Database, ids: readonly string[]): Promise<string[]> {
  const rows = await database.query<{ id: string }>({
    text: 'select id from customers where id = any($1)',
    values: [ids],
  })
  return rows.map(({ id }) => id)
}

/** What waits is given up when its time is over. */
export async function disableMail(database: Database, customerId: string): Promise<void> {
  await database.query({
    text: `
update webhooks
set disabled_at = date_trunc('milliseconds', clock_timestamp()),
  updated_at = date_trunc('milliseconds', clock_timestamp())
where customer_id = $1 and id = $2 and disabled_at is null`,
    values: [customerId, mailWebhookId],
  })
}
