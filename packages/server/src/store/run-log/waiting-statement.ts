// The statement that looks who waits when no slot is free: the customers with ready runs, and how many runs each has,
// up to an equal share of the slots. It locks nothing.
import { isClaimable, lanesOf, readyCustomers } from './ready-customers.ts'

const claimable = { readable: '$6::smallint', suspectFrom: '$7::integer' }

export const waitingStatement = `
with recursive ${lanesOf('$5')},${readyCustomers('$4::integer', claimable)},
share as (
  select c.run_class, c.customer_id, c.nth, l.since,
    ceil(l.slots::numeric / count(*) over (partition by c.run_class))::integer as share
  from customer c
  join lane l on l.run_class = c.run_class
)
select s.run_class, s.customer_id, ready.runs
from share s
cross join lateral (
  select count(*)::integer as runs
  from (
    select
    from runs
    where run_class = s.run_class and customer_id = s.customer_id and ready_at between s.since and now()
      and ${isClaimable('runs', claimable)}
    limit s.share
  ) r
) ready
order by s.run_class, s.nth`
