// The grains and levels at which usage is summed up in advance, and which of them answers a question.

export type UsageLevel = 'customer' | 'workspace' | 'both'

export interface LabelsTold {
  readonly workspace: boolean
  readonly subject: boolean
}

/**
 * The level whose rows keep these labels apart. There is none for subjects alone: it would have about as many rows as
 * the level of both labels, because a subject is usually part of one workspace.
 */
export function levelOf({ workspace, subject }: LabelsTold): UsageLevel {
  if (subject) return 'both'
  return workspace ? 'workspace' : 'customer'
}

/** Sums up usage per hour and both labels to the rows of the totals: one for each grain and level that is kept. */
export const spreadOverTotals = (source: string): string => `
select
  customer_id,
  grain collate "C" as grain,
  level collate "C" as level,
  date_trunc(grain, hour, 'UTC') as period,
  event_type collate "C" as event_type,
  (case when names_workspace then workspace_id end) collate "C" as workspace_id,
  (case when names_subject then subject_id end) collate "C" as subject_id,
  sum(count)::bigint as count,
  sum(quantity)::bigint as quantity
from (${source}) as usage (customer_id, hour, event_type, workspace_id, subject_id, count, quantity)
cross join (values ('hour'), ('day'), ('month')) as grains (grain)
cross join (values
  ('customer', false, false),
  ('workspace', true, false),
  ('both', true, true)
) as levels (level, names_workspace, names_subject)
group by 1, 2, 3, 4, 5, 6, 7`

/** Records and the usage of removed runs, summed up per hour and both labels as the log writes deltas. */
export const recordsByHour = (condition: string): string => `
select customer_id, date_trunc('hour', at, 'UTC'), event_type, workspace_id, subject_id, sum(count), sum(quantity)
from counted_usage
where ${condition}
group by 1, 2, 3, 4, 5`
