// The filter that the query of a list of runs selects.
import { defaultListPageSize, type ListRunsQuery } from '@runwright/contract'
import { type RunState, runStates, statesBehind } from '../../domain/run/states.ts'
import { ServiceError } from '../../domain/service-error.ts'
import { utcMicroseconds } from '../../domain/utc-instant.ts'
import type { RunFilter } from '../../store/runs/runs.ts'
import { positionOf } from './run-cursor.ts'

export const filterOf = (query: ListRunsQuery): RunFilter => ({
  states: statesOf(query),
  workspaceId: query.workspace_id,
  subjectId: query.subject_id,
  runClass: query.run_class,
  createdAfter: instantOf('created_after', query.created_after),
  createdBefore: instantOf('created_before', query.created_before),
  before: query.cursor === undefined ? undefined : positionOf(query.cursor),
  limit: query.limit ?? defaultListPageSize,
})

/** Converted to UTC, because PostgreSQL does not accept every offset of ISO 8601. */
function instantOf(name: string, instant: string | undefined): string | undefined {
  if (instant === undefined) return undefined
  const utc = utcMicroseconds(instant)
  if (utc !== undefined) return utc
  throw new ServiceError('RUNS_QUERY_PARAMS_INVALID', `Query parameter "${name}": must be in the years 0001 to 9999.`)
}

/** The states that `status` and `awaiting_input` select; undefined means any state. */
function statesOf({ status, awaiting_input }: ListRunsQuery): readonly RunState[] | undefined {
  const byStatus = status && statesBehind(status)
  if (awaiting_input === undefined) return byStatus
  if (awaiting_input) return (byStatus ?? ['awaiting_input']).filter((state) => state === 'awaiting_input')
  return (byStatus ?? runStates).filter((state) => state !== 'awaiting_input')
}
