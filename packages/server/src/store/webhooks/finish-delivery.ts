// Records what became of an attempt, and what it says about the endpoint: the breaker of the webhook counts failures in
// a row, over all processes.
import type { Database } from '../postgres/database.ts'
import { failuresToPause } from './claim-deliveries.ts'
import type { DeliveryKey } from './deliveries.ts'

export interface AttemptResult extends DeliveryKey {
  /** The attempt that was claimed. If another process has claimed it since, nothing is recorded. */
  readonly attempt: number
  readonly outcome: 'delivered' | 'failed' | 'gone' | 'interrupted'
  /** When to send it again. Null: it is not sent again. */
  readonly nextInMs: number | null
  readonly responseStatus: number | null
  readonly error: string | null
}

/** How long nothing is sent to an endpoint that keeps failing. */
export const pauseMs = 60_000

const statement = `
with finished as (
  update webhook_deliveries
  set attempt = attempt - case when $6 = 'interrupted' then 1 else 0 end,
    next_at = clock_timestamp() + $7::double precision * interval '1 ms',
    ended_at = case when $7::double precision is null then clock_timestamp() end,
    delivered = $6 = 'delivered',
    response_status = $8,
    error = $9
  where customer_id = $1 and webhook_id = $2 and run_id = $3 and seq = $4 and attempt = $5 and next_at is not null
  returning webhook_id
),
endpoint as (
  update webhooks
  set failures = case when $6 = 'delivered' then 0 else failures + 1 end,
    paused_until = case
      when $6 in ('failed', 'gone') and failures + 1 >= ${failuresToPause}
      then clock_timestamp() + ${pauseMs} * interval '1 ms'
    end,
    disabled_at = case when $6 = 'gone' then coalesce(disabled_at, clock_timestamp()) else disabled_at end
  where customer_id = $1 and id in (select webhook_id from finished)
    and ($6 in ('failed', 'gone') or ($6 = 'delivered' and failures > 0))
),
others as (
  update webhook_deliveries
  set next_at = null,
    ended_at = clock_timestamp(),
    error = 'The webhook was disabled.'
  where $6 = 'gone' and customer_id = $1 and webhook_id = $2 and next_at is not null and (run_id, seq) <> ($3, $4)
)
select exists (
  select
  from webhook_deliveries
  where customer_id = $1 and webhook_id = $2 and next_at <= now() and (run_id, seq) <> ($3, $4)
) as has_more`

/** Returns whether the webhook has more deliveries that are due. */
export async function finishDelivery(database: Database, result: AttemptResult): Promise<boolean> {
  const [row] = await database.query<{ has_more: boolean }>({
    text: statement,
    values: [
      result.customerId,
      result.webhookId,
      result.runId,
      result.seq,
      result.attempt,
      result.outcome,
      result.nextInMs,
      result.responseStatus,
      result.error,
    ],
  })
  return row?.has_more ?? false
}
