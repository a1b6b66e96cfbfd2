// Reads when runs that have just ended began, and the traces they belong to.
import type { RunClass } from '@runwright/contract'
import { type RunState, terminalStates } from '../../domain/run/states.ts'
import type { Database } from '../postgres/database.ts'
import { lookUp } from '../postgres/look-up.ts'
import type { RunKey } from './run-key.ts'

export interface EndedRun {
  readonly id: string
  readonly runClass: RunClass
  /** The attempt that ended. */
  readonly attempt: number
  /** When that attempt began. */
  readonly startedAt: Date
  readonly traceparent: string | undefined
}

type EndedRow = {
  id: string
  run_class: RunClass
  attempt: number
  state: RunState
  started_at: Date
  traceparent: string | null
}

export async function findEndedRuns(database: Database, runs: readonly RunKey[]): Promise<Map<string, EndedRun>> {
  const rows = await database.query<EndedRow>({
    name: 'find-ended-runs',
    text: `
select r.id, r.run_class, r.attempt, r.state, i.traceparent,
  case
    when r.attempt = 1 then r.created_at
    else (
      select min(e.at)
      from event_rows e
      where e.customer_id = r.customer_id and e.run_id = r.id and e.attempt = r.attempt
    )
  end as started_at
from unnest($1::text[], $2::uuid[]) as k(customer_id, id)
join runs r on ${lookUp({ 'r.customer_id': 'k.customer_id', 'r.id': 'k.id' })}
join run_inputs i on ${lookUp({ 'i.customer_id': 'r.customer_id', 'i.run_id': 'r.id' })}`,
    values: [runs.map(({ customerId }) => customerId), runs.map(({ id }) => id)],
  })
  return new Map(rows.map((row) => [row.id, toEndedRun(row)]))
}

const toEndedRun = ({ id, run_class, attempt, state, started_at, traceparent }: EndedRow): EndedRun => ({
  id,
  runClass: run_class,
  // A client may have retried it meanwhile.
  attempt: terminalStates.includes(state) ? attempt : attempt - 1,
  startedAt: started_at,
  traceparent: traceparent ?? undefined,
})
