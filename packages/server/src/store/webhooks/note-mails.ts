// Notes which deliveries are one mail, before it is sent: whatever happens then, it is sent again as it was. A mail
// server may take longer than other receivers, so the deliveries get another lease.
import type { Database } from '../postgres/database.ts'
import { lookUp } from '../postgres/look-up.ts'
import type { DeliveryKey } from './deliveries.ts'

interface MailedDelivery extends DeliveryKey {
  /** The attempt that was claimed. */
  readonly attempt: number
  readonly mail: string
}

const statement = `
with noted as (
  update webhook_deliveries d
  set mail = m.mail,
    next_at = clock_timestamp() + $7::double precision * interval '1 ms'
  from unnest($1::text[], $2::uuid[], $3::uuid[], $4::integer[], $5::integer[], $6::uuid[], $8::text[])
    as m(customer_id, webhook_id, run_id, seq, attempt, mail, type)
  where ${lookUp({
    'd.customer_id': 'm.customer_id',
    'd.run_id': 'm.run_id',
    'd.webhook_id': 'm.webhook_id',
    'd.seq': 'm.seq',
    'd.type': 'm.type',
  })} and d.attempt = m.attempt and d.ended_at is null
  returning d.mail
)
select mail, count(*)::integer as deliveries
from noted
group by mail`

/** Returns how many deliveries of each mail still belong to this attempt. */
export async function noteMails(
  database: Database,
  deliveries: readonly MailedDelivery[],
  leaseMs: number,
): Promise<ReadonlyMap<string, number>> {
  if (deliveries.length === 0) return new Map()
  const rows = await database.query<{ mail: string; deliveries: number }>({
    text: statement,
    values: [
      deliveries.map(({ customerId }) => customerId),
      deliveries.map(({ webhookId }) => webhookId),
      deliveries.map(({ runId }) => runId),
      deliveries.map(({ seq }) => seq),
      deliveries.map(({ attempt }) => attempt),
      deliveries.map(({ mail }) => mail),
      leaseMs,
      deliveries.map(({ type }) => type),
    ],
  })
  return new Map(rows.map(({ mail, deliveries: count }) => [mail, count]))
}
