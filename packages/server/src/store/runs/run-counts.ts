// Counts the runs of a customer by state. Looks at the newest runs only, so that a long history costs no more.
import { type RunState, runStates } from '../../domain/run/states.ts'
import type { Database } from '../postgres/database.ts'
import { ofClass, type RunScope, scopeConditions } from './run-list.ts'

export interface RunCounts {
  readonly counts: Readonly<Record<RunState, number>>
  /** False if there are older runs that were not looked at. */
  readonly isComplete: boolean
}

/** How many runs are looked at. */
export const maxCountedRuns = 10_000
/** How many waiting and stalled runs are counted beyond those. */
export const maxCountedByState = 1_000

type Range = Omit<RunScope, 'states'>

export async function countRuns(database: Database, customerId: string, range: Range): Promise<RunCounts> {
  const { counts, isComplete } = await countNewest(database, customerId, range)
  const hasLabel = [range.workspaceId, range.subjectId, range.runClass].some((label) => label !== undefined)
  if (isComplete || hasLabel) return { counts, isComplete }
  const exact = await Promise.all(countedByState.map((state) => countState(database, customerId, { ...range, state })))
  for (const [n, state] of countedByState.entries()) counts[state] = Math.max(counts[state], exact[n] ?? 0)
  return { counts, isComplete }
}

/** Few runs are in these states, and people look for them. An index has them. */
const countedByState = ['awaiting_input', 'stalled'] as const satisfies readonly RunState[]

/** The class has no index: it selects among the runs that are looked at. */
async function countNewest(database: Database, customerId: string, range: Range) {
  const values: unknown[] = []
  const bind = (value: unknown) => `$${values.push(value)}`
  const looked = scopeConditions(customerId, { ...range, runClass: undefined, states: undefined }, bind)
  const counted = [`r.n <= ${maxCountedRuns}`, ...(range.runClass ? [ofClass(range.runClass, bind)] : [])]
  const rows = await database.query<{ state: RunState; count: number; has_more: boolean }>({
    text: `
select r.state,
  count(*) filter (where ${counted.join(' and ')}) as count,
  bool_or(r.n > ${maxCountedRuns}) as has_more
from (
  select *, row_number() over (order by created_at desc, id desc) as n
  from (
    select r.id, r.state, r.run_class, r.created_at
    from runs r
    where ${looked.join(' and ')}
    order by r.created_at desc, r.id desc
    limit ${maxCountedRuns + 1}
  ) newest
) r
group by r.state`,
    values,
  })
  const counts = Object.fromEntries(runStates.map((state) => [state, 0])) as Record<RunState, number>
  for (const { state, count } of rows) counts[state] = count
  return { counts, isComplete: !rows.some(({ has_more }) => has_more) }
}

async function countState(
  database: Database,
  customerId: string,
  { state, ...range }: Range & { readonly state: RunState },
): Promise<number> {
  const values: unknown[] = []
  const conditions = scopeConditions(customerId, { ...range, states: [state] }, (value) => `$${values.push(value)}`)
  const [row] = await database.query<{ count: number }>({
    text: `
select count(*) as count
from (
  select 1
  from runs r
  where ${conditions.join(' and ')}
  limit ${maxCountedByState}
) counted`,
    values,
  })
  return row?.count ?? 0
}
