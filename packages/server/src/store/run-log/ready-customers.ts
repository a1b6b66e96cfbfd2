// The part of a statement that finds the customers with ready runs, for claims and for looks at the queue.
import { leavingCustomers } from './moving-customers.ts'

/** How many customers of a class one statement visits. */
export const customersPerVisit = 32

/** The parameters of a statement that say which runs the worker may have. */
export interface Claimable {
  /** The newest version of a journal that the worker can read. */
  readonly readable: string
  /** Runs that have lost so many workers are suspects, which are claimed by a statement of their own. */
  readonly suspectFrom: string
}

/** The condition that a ready run of a table or an alias is for such a claim. */
export const isClaimable = (run: string, { readable, suspectFrom }: Claimable): string =>
  `${run}.journal_version <= ${readable} and ${run}.lost_workers < ${suspectFrom}`

/**
 * The common table expression `customer (run_class, customer_id, nth)`. It needs one `lane (run_class, after_customer,
 * since)` and the names of parameters: how many customers it visits, and which runs the worker may have. Runs that were
 * ready before `since` are left out. It visits the customers in circular order,
 * starting behind `after_customer`: a loose scan of the index `runs_ready` steps from one customer to the next, so that
 * a customer with 100,000 queued runs costs one probe, not 100,000. The class is compared together with the customer,
 * as in that index: no other index has both. Customers that leave for another cell are left out.
 */
export const readyCustomers = (limit: string, claimable: Claimable): string => `
visit as (
  select run_class, after_customer, since, after_customer as customer_id, false as wrapped, 0 as nth
  from lane
  union all
  select v.run_class, v.after_customer, v.since, next.customer_id, next.wrapped, v.nth + 1
  from visit v
  cross join lateral (
    select found.customer_id, found.wrapped
    from (
      (
        select r.customer_id, v.wrapped
        from runs r
        where r.run_class = v.run_class and r.ready_at between v.since and now()
          and (r.run_class, r.customer_id) > (v.run_class, v.customer_id) and ${isClaimable('r', claimable)}
        order by r.customer_id
        limit 1
      )
      union all
      (
        select r.customer_id, true
        from runs r
        where not v.wrapped and r.run_class = v.run_class and r.ready_at between v.since and now()
          and (r.run_class, r.customer_id) <= (v.run_class, v.after_customer) and ${isClaimable('r', claimable)}
        order by r.customer_id
        limit 1
      )
    ) found
    limit 1
  ) next
  where v.nth < ${limit} and not (next.wrapped and next.customer_id > v.after_customer)
),
customer as materialized (
  select run_class, customer_id, nth
  from visit
  where nth > 0 and customer_id not in (${leavingCustomers})
)`

/** The lanes of a statement. `lookBackMs` is the parameter that says how far back it looks; null means everything. */
export const lanesOf = (lookBackMs: string): string => `
lane as (
  select run_class, slots, after_customer collate "C" as after_customer,
    coalesce(now() - look_back_ms * interval '1 ms', '-infinity') as since
  from unnest($1::text[], $2::integer[], $3::text[], ${lookBackMs}::double precision[])
    as l(run_class, slots, after_customer, look_back_ms)
)`
