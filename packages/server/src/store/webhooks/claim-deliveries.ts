// Gives deliveries that are due to a process that sends them, fair over customers and webhooks, skipping rows that
// others have locked. A claimed row is due again after the lease: if its sender vanishes, another one sends it.
import { type DeliveryType, escalationType, type RunStatus, type WebhookFormat } from '@runwright/contract'
import type { SealedValue } from '../../runtime/secrets/cipher-keyring.ts'
import type { Database } from '../postgres/database.ts'
import { lookUp } from '../postgres/look-up.ts'
import { heldCustomers } from '../run-log/moving-customers.ts'
import type { DeliveryKey } from './deliveries.ts'

/**
 * After this many failures in a row nothing is sent for a while; then one message at a time. Of mail all that is due:
 * what was one mail stays one, and mail has a pace of its own.
 */
export const failuresToPause = 5

export interface ClaimedDelivery extends DeliveryKey {
  readonly status: RunStatus
  readonly workspaceId: string | null
  readonly subjectId: string | null
  readonly at: Date
  /** 1 for the first attempt. */
  readonly attempt: number
  /** By the clock of the database. All of one claim have the same. */
  readonly claimedAt: Date
  /** `claimedAt` of the attempt before this one. Null: nothing was tried. */
  readonly triedAt: Date | null
  /** The mail that it was sent in. Null: it was in none. */
  readonly mail: string | null
  readonly url: string
  readonly format: WebhookFormat
  /** The secret, and old ones whose overlap has not ended. */
  readonly secrets: readonly SealedValue[]
}

export const isMail = ({ format }: Pick<ClaimedDelivery, 'format'>): boolean => format === 'mail'

export interface DeliveryClaim {
  /** How many more messages to endpoints this process can send. */
  readonly places: number
  /** How many more mails. They have places of their own, so that a mail server that hangs delays no endpoint. */
  readonly mailPlaces: number
  readonly perCustomer: number
  /** The waiting mail of a customer may fill all its places: much of it becomes one message. */
  readonly perWebhook: number
  /** What this process is sending. */
  readonly busy: readonly Pick<ClaimedDelivery, 'customerId' | 'webhookId' | 'format'>[]
  readonly leaseMs: number
  /** How many webhooks with pending deliveries one statement visits, in the order of their customers and ids. */
  readonly visits: number
  /** It begins behind this one. Undefined: at the first. */
  readonly after: WebhookPosition | undefined
}

export interface WebhookPosition {
  readonly customerId: string
  readonly webhookId: string
}

export interface DeliveryClaimed {
  readonly deliveries: readonly ClaimedDelivery[]
  /** Where the next claim continues. Undefined: all webhooks were visited. */
  readonly next: WebhookPosition | undefined
}

const beforeAll: WebhookPosition = { customerId: '', webhookId: '00000000-0000-0000-0000-000000000000' }

// A loose scan of the index steps from one webhook with pending deliveries to the next: a webhook with 100,000 of them
// costs one probe. An event of a run is taken only if none before it is pending. One that was delivered after the
// snapshot of this statement still looks pending; the process that delivered it looks again. Mail has no order: that
// about a question that was answered holds up no other. Nor does an escalation, which is due later.
//
// A mail is taken whole, beyond the places if need be, and processes take turns at the mail of a customer: what is due
// together is one mail, and comes again as one.
const statement = `
with recursive visit as (
  select $7::text collate "C" as customer_id, $8::uuid as webhook_id, null::timestamptz as next_at, 0 as nth
  union all
  select n.customer_id, n.webhook_id, n.next_at, v.nth + 1
  from visit v
  cross join lateral (
    select customer_id, webhook_id, next_at
    from webhook_deliveries
    where next_at is not null and (customer_id, webhook_id) > (v.customer_id, v.webhook_id)
    order by customer_id, webhook_id, next_at
    limit 1
  ) n
  where v.nth < $9::integer
),
busy as materialized (
  select customer_id, webhook_id, is_mail, count(*) as count
  from unnest($1::text[], $2::uuid[], $10::boolean[]) as b(customer_id, webhook_id, is_mail)
  group by customer_id, webhook_id, is_mail
),
mail_turn as materialized (
  select w.customer_id, w.id
  from visit v
  join webhooks w on ${lookUp({ 'w.customer_id': 'v.customer_id', 'w.id': 'v.webhook_id' })}
  where v.next_at <= now() and w.format = 'mail'
  for no key update of w skip locked
),
endpoint as materialized (
  select w.customer_id, w.id, w.failures, w.url, w.format, w.sealed, w.sealed_key,
    w.old_sealed, w.old_sealed_keys, array(select until > clock_timestamp() from unnest(w.old_until) as until) as old_valid,
    case when w.format = 'mail' then $5::integer when w.failures >= ${failuresToPause} then 1 else $4::integer end
      - coalesce(b.count, 0) as places
  from visit v
  join webhooks w on ${lookUp({ 'w.customer_id': 'v.customer_id', 'w.id': 'v.webhook_id' })}
  left join busy b on b.customer_id = w.customer_id and b.webhook_id = w.id
  where v.next_at <= now() and w.disabled_at is null and w.paused_at is null
    and coalesce(w.paused_until, '-infinity') <= now() and w.customer_id not in (${heldCustomers})
    and (w.format <> 'mail' or (w.customer_id, w.id) in (select customer_id, id from mail_turn))
),
candidate as materialized (
  select e.customer_id, e.id as webhook_id, d.run_id, d.seq, d.type, d.next_at, d.attempted_at as tried_at, d.mail,
    e.format = 'mail' as is_mail,
    row_number() over (partition by e.customer_id, e.id order by d.next_at, d.run_id, d.seq) as nth
  from endpoint e
  cross join lateral (
    select run_id, seq, type, next_at, attempted_at, mail
    from webhook_deliveries d
    where d.customer_id = e.customer_id and d.webhook_id = e.id and d.next_at <= now()
      and (e.format = 'mail' or not exists (
        select
        from webhook_deliveries earlier
        where earlier.customer_id = d.customer_id and earlier.webhook_id = d.webhook_id
          and earlier.run_id = d.run_id and earlier.seq < d.seq and earlier.next_at is not null
          and earlier.type <> '${escalationType}'
      ))
    order by d.next_at
    limit greatest(0, e.places)
    for no key update skip locked
  ) d
),
in_turn as (
  select *, row_number() over (partition by customer_id, is_mail order by nth, next_at) as turn
  from candidate
),
in_order as (
  select *, row_number() over (partition by is_mail order by turn, next_at) as place
  from in_turn i
  where turn <= $5::integer
    - (select coalesce(sum(b.count), 0) from busy b where b.customer_id = i.customer_id and b.is_mail = i.is_mail)
),
chosen as materialized (
  select customer_id, webhook_id, run_id, seq, type, tried_at, mail
  from in_order
  where place <= case when is_mail then $11::integer else $3::integer end
),
rest_of_mail as materialized (
  select d.customer_id, d.webhook_id, d.run_id, d.seq, d.type, d.attempted_at as tried_at
  from (select distinct customer_id, webhook_id, mail from chosen where mail is not null) m
  join webhook_deliveries d on ${lookUp({ 'd.customer_id': 'm.customer_id', 'd.webhook_id': 'm.webhook_id', 'd.mail': 'm.mail' })}
  where d.mail is not null and d.next_at <= now() and (d.run_id, d.seq, d.type) not in (select run_id, seq, type from chosen where mail is not null)
  for no key update of d skip locked
),
clock as materialized (
  select clock_timestamp() as now
),
claimed as (
  update webhook_deliveries d
  set attempt = d.attempt + 1,
    attempted_at = clock.now,
    next_at = clock.now + $6::double precision * interval '1 ms'
  from (
    select customer_id, webhook_id, run_id, seq, type, tried_at from chosen
    union all
    select * from rest_of_mail
  ) c
  cross join clock
  where ${lookUp({ 'd.customer_id': 'c.customer_id', 'd.webhook_id': 'c.webhook_id', 'd.run_id': 'c.run_id', 'd.seq': 'c.seq', 'd.type': 'c.type' })}
  returning d.*, c.tried_at
),
probed as (
  update webhooks w
  set paused_until = clock_timestamp() + $6::double precision * interval '1 ms'
  from (select distinct customer_id, webhook_id from chosen) c
  where ${lookUp({ 'w.customer_id': 'c.customer_id', 'w.id': 'c.webhook_id' })} and w.failures >= ${failuresToPause}
)
select c.customer_id, c.webhook_id, c.run_id, c.seq, c.type, c.status, c.workspace_id, c.subject_id, c.at, c.attempt,
  c.attempted_at, c.tried_at, c.mail, e.url, e.format, e.sealed, e.sealed_key, e.old_sealed, e.old_sealed_keys, e.old_valid,
  l.nth as visits, l.customer_id as last_customer, l.webhook_id as last_webhook
from (
  select *
  from visit
  order by nth desc
  limit 1
) l
left join claimed c on true
left join endpoint e on e.customer_id = c.customer_id and e.id = c.webhook_id`

/** Every row says where the visits ended. If nothing was claimed, there is one row that says only that. */
type VisitRow = { visits: number; last_customer: string; last_webhook: string }

type ClaimedRow = {
  customer_id: string
  webhook_id: string
  run_id: string
  seq: number
  type: DeliveryType
  status: RunStatus
  workspace_id: string | null
  subject_id: string | null
  at: Date
  attempt: number
  attempted_at: Date
  tried_at: Date | null
  mail: string | null
  url: string
  format: WebhookFormat
  sealed: Buffer
  sealed_key: number
  old_sealed: Buffer[]
  old_sealed_keys: number[]
  old_valid: boolean[]
}

/**
 * Not prepared: a plan that was made for a small table would stay when the table has grown. A claim whose answer is
 * lost is not repeated: its rows are due again after the lease.
 */
export async function claimDeliveries(database: Database, claim: DeliveryClaim): Promise<DeliveryClaimed> {
  const after = claim.after ?? beforeAll
  const rows = await database.run<VisitRow & (ClaimedRow | NoneClaimed)>({
    text: statement,
    values: [
      claim.busy.map(({ customerId }) => customerId),
      claim.busy.map(({ webhookId }) => webhookId),
      claim.places,
      claim.perWebhook,
      claim.perCustomer,
      claim.leaseMs,
      after.customerId,
      after.webhookId,
      claim.visits,
      claim.busy.map(isMail),
      claim.mailPlaces,
    ],
  })
  return {
    deliveries: rows.flatMap((row) => (row.run_id === null ? [] : [toClaimed(row)])),
    next: rows[0]?.visits === claim.visits ? lastOf(rows[0]) : undefined,
  }
}

type NoneClaimed = { run_id: null }

const lastOf = (row: VisitRow): WebhookPosition => ({ customerId: row.last_customer, webhookId: row.last_webhook })

const toClaimed = (row: ClaimedRow): ClaimedDelivery => ({
  customerId: row.customer_id,
  webhookId: row.webhook_id,
  runId: row.run_id,
  seq: row.seq,
  type: row.type,
  status: row.status,
  workspaceId: row.workspace_id,
  subjectId: row.subject_id,
  at: row.at,
  attempt: row.attempt,
  claimedAt: row.attempted_at,
  triedAt: row.tried_at,
  mail: row.mail,
  url: row.url,
  format: row.format,
  secrets: [
    { bytes: row.sealed, keyId: row.sealed_key },
    ...row.old_sealed
      .map((bytes, index) => ({ bytes, keyId: row.old_sealed_keys[index] ?? 0, isValid: row.old_valid[index] }))
      .flatMap(({ isValid, ...sealed }) => (isValid ? [sealed] : [])),
  ],
})
