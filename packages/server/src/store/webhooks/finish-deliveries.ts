// Records what became of attempts, many in one statement, and what they say about their endpoints: the breaker of a
// webhook counts failures in a row, over all processes.
import type { Database } from '../postgres/database.ts'
import { lookUp } from '../postgres/look-up.ts'
import { failuresToPause } from './claim-deliveries.ts'
import type { DeliveryKey } from './deliveries.ts'

export interface AttemptResult extends DeliveryKey {
  /** The attempt that was claimed. If another process has claimed it since, nothing is recorded. */
  readonly attempt: number
  /** When the attempt before it was. */
  readonly triedAt: Date | null
  /**
   * Skipped: there was nothing to say any more. It says nothing about the endpoint. Held: nothing was sent yet.
   * Interrupted: the message may have been sent. Neither counts as an attempt.
   */
  readonly outcome: 'delivered' | 'failed' | 'gone' | 'held' | 'interrupted' | 'skipped'
  /** When to send it again, from the claim: what was claimed together is due together. Null: it is not sent again. */
  readonly nextInMs: number | null
  readonly responseStatus: number | null
  readonly error: string | null
  /** Of mail: this attempt has certainly sent nothing, and none before it. It is in no mail then. */
  readonly wasNotSent?: boolean
}

/** How long nothing is sent to an endpoint that keeps failing. */
export const pauseMs = 60_000

const deliveryOf = lookUp({
  'd.customer_id': 'r.customer_id',
  'd.run_id': 'r.run_id',
  'd.webhook_id': 'r.webhook_id',
  'd.seq': 'r.seq',
  'd.type': 'r.type',
})
const isFinishedNow = `
    select
    from result r
    where r.customer_id = d.customer_id and r.webhook_id = d.webhook_id and r.run_id = d.run_id and r.seq = d.seq
      and r.type = d.type`

// The order of attempts that end at the same time says nothing: one that succeeded shows that the endpoint works.
const statement = `
with result as materialized (
  select *
  from unnest($1::text[], $2::uuid[], $3::uuid[], $4::integer[], $5::integer[], $6::text[], $7::double precision[],
    $8::integer[], $9::text[], $10::timestamptz[], $11::boolean[], $12::text[])
    as r(customer_id, webhook_id, run_id, seq, attempt, outcome, next_in_ms, response_status, error, tried_at, not_sent,
      type)
),
finished as (
  update webhook_deliveries d
  set attempt = d.attempt - case when r.outcome in ('held', 'interrupted') then 1 else 0 end,
    attempted_at = case when r.outcome = 'held' then r.tried_at else d.attempted_at end,
    next_at = d.attempted_at + r.next_in_ms * interval '1 ms',
    ended_at = case when r.next_in_ms is null then clock_timestamp() end,
    delivered = r.outcome = 'delivered',
    response_status = case when r.outcome in ('held', 'interrupted') then d.response_status else r.response_status end,
    error = case when r.outcome in ('held', 'interrupted') then d.error else r.error end,
    mail = case when not r.not_sent then d.mail end
  from result r
  where ${deliveryOf} and d.attempt = r.attempt and d.ended_at is null
  returning d.customer_id, d.webhook_id, r.outcome
),
verdict as materialized (
  select customer_id, webhook_id, bool_or(outcome = 'delivered') as is_delivered,
    count(*) filter (where outcome in ('failed', 'gone')) as failed, bool_or(outcome = 'gone') as is_gone
  from finished
  group by customer_id, webhook_id
),
endpoint as (
  update webhooks w
  set failures = case when v.is_delivered then 0 else w.failures + v.failed end,
    paused_until = case
      when not v.is_delivered and w.failures + v.failed >= ${failuresToPause}
      then clock_timestamp() + ${pauseMs} * interval '1 ms'
    end,
    disabled_at = case when v.is_gone then coalesce(w.disabled_at, date_trunc('milliseconds', clock_timestamp())) else w.disabled_at end,
    updated_at = case when v.is_gone and w.disabled_at is null then date_trunc('milliseconds', clock_timestamp()) else w.updated_at end
  from verdict v
  where ${lookUp({ 'w.customer_id': 'v.customer_id', 'w.id': 'v.webhook_id' })}
    and (v.failed > 0 or (v.is_delivered and w.failures > 0))
),
others as (
  update webhook_deliveries d
  set next_at = null,
    ended_at = clock_timestamp(),
    error = 'The webhook was disabled.'
  from verdict v
  where v.is_gone and ${lookUp({ 'd.customer_id': 'v.customer_id', 'd.webhook_id': 'v.webhook_id' })}
    and d.next_at is not null and not exists (${isFinishedNow}
  )
)
select exists (
  select
  from (select distinct customer_id, webhook_id from result) w
  join webhook_deliveries d on ${lookUp({ 'd.customer_id': 'w.customer_id', 'd.webhook_id': 'w.webhook_id' })}
  where d.next_at <= now() and not exists (${isFinishedNow}
  )
) as has_more`

/**
 * Returns whether one of the webhooks has more deliveries that are due. Each delivery may be in the list once. Not
 * prepared: a plan that was made for a small table would stay when the table has grown.
 */
export async function finishDeliveries(database: Database, results: readonly AttemptResult[]): Promise<boolean> {
  const [row] = await database.query<{ has_more: boolean }>({
    text: statement,
    values: [
      results.map(({ customerId }) => customerId),
      results.map(({ webhookId }) => webhookId),
      results.map(({ runId }) => runId),
      results.map(({ seq }) => seq),
      results.map(({ attempt }) => attempt),
      results.map(({ outcome }) => outcome),
      results.map(({ nextInMs }) => nextInMs),
      results.map(({ responseStatus }) => responseStatus),
      results.map(({ error }) => error),
      results.map(({ triedAt }) => triedAt),
      results.map(({ wasNotSent = false }) => wasNotSent),
      results.map(({ type }) => type),
    ],
  })
  return row?.has_more ?? false
}
