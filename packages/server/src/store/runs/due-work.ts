// Asks with one statement which sweeps have something to do: an idle fleet sends one statement a second, not one for each.
import { runClasses } from '@runwright/contract'
import type { Database } from '../postgres/database.ts'
import { sqlList } from '../postgres/sql-list.ts'
import { isLeaseOver, isPastDeadline, isWaitOver } from './overdue-runs.ts'

export interface DueWork {
  /** Leases that have expired and steps that are overdue. */
  readonly leases: boolean
  readonly deadlines: boolean
  readonly waits: boolean
  /** Usage that is not in the totals yet. */
  readonly usage: boolean
  /** Runs that can be claimed. */
  readonly ready: boolean
}

const dueStatement = `
select exists (select 1 from runs where ${isLeaseOver('runs')}) as leases,
  exists (select 1 from runs where ${isPastDeadline('runs')}) as deadlines,
  exists (select 1 from runs where ${isWaitOver('runs')}) as waits,
  exists (select 1 from usage_deltas) as usage,
  exists (
    select 1
    from unnest(array[${sqlList(runClasses)}]) as class(name)
    cross join lateral (
      select 1
      from runs
      where run_class = class.name and ready_at <= now()
      limit 1
    ) first
  ) as ready`

export async function findDueWork(database: Database): Promise<DueWork> {
  const [row] = await database.query<DueWork & Record<string, boolean>>({ name: 'find-due-work', text: dueStatement })
  return row ?? { leases: false, deadlines: false, waits: false, usage: false, ready: false }
}
