// The part of a statement that writes, with its events, the messages to webhooks about them. A question that is to be
// escalated has a second message for people, which is due then.
import { escalationType } from '@runwright/contract'

interface Source {
  /** The customers of the runs, as an array. */
  readonly customers: string
  /** A query for the new events, with the labels and the status of their runs. */
  readonly rows: string
  /** Its rows have `escalates_at`. */
  readonly canEscalate?: boolean
}

/**
 * The common table expressions `webhook` and `new_deliveries`. The webhooks of the customers are read first: if there
 * are none, PostgreSQL does not look at the events.
 */
export const newDeliveries = ({ customers, rows, canEscalate = false }: Source): string => `webhook as materialized (
  select customer_id, id, event_types, format
  from webhooks
  where customer_id = any(${customers}) and disabled_at is null
),
new_deliveries as (
  insert into webhook_deliveries (customer_id, webhook_id, run_id, seq, type, status, workspace_id, subject_id, at,
    queued_at, next_at)
  select e.customer_id, w.id, e.run_id, e.seq, m.type, e.status, e.workspace_id, e.subject_id, m.at, m.at, m.at
  from webhook w
  join (${rows}) e on e.customer_id = w.customer_id and e.type = any(w.event_types)
  cross join lateral (
    select e.type, e.at${canEscalate ? escalation : ''}
  ) m
  returning 1
)`

const escalation = `
    union all
    select '${escalationType}', e.escalates_at
    where e.escalates_at is not null and w.format <> 'standard'`

/** Whether the statement wrote messages. */
export const hasDeliveries = 'exists (select from new_deliveries)'
