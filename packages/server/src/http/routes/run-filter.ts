// The filter that the query of a list of runs selects.
import { defaultListPageSize, type ListRunsQuery } from '@runwright/contract'
import type { CurrentAgents } from '../../agents/definitions/agent-set.ts'
import { actorOf, type Caller } from '../../domain/actor.ts'
import { type RunState, runStates, statesBehind } from '../../domain/run/states.ts'
import { ServiceError } from '../../domain/service-error.ts'
import { utcMicroseconds } from '../../domain/utc-instant.ts'
import { fromWireId, type UuidRange, uuidRange } from '../../runtime/ids.ts'
import type { ListCaller } from '../../store/runs/assigned-runs.ts'
import type { RunFilter, RunScope, RunSearch } from '../../store/runs/run-list.ts'
import { positionOf } from './run-cursor.ts'

export const filterOf = (query: ListRunsQuery, agents: CurrentAgents, caller?: ListCaller): RunFilter => ({
  ...scopeOf(query),
  states: statesOf(query),
  scheduleId: query.schedule_id,
  id: query.q === undefined ? undefined : fromWireId('run', query.q.trim()),
  search: searchOf(query, agents),
  before: query.cursor === undefined ? undefined : positionOf(query.cursor),
  assignedTo: caller,
  limit: query.limit ?? defaultListPageSize,
})

/** Whose list a query selects. Undefined: everyone of the customer gets the same. */
export function listCallerOf(query: Pick<ListRunsQuery, 'assigned' | 'awaiting_input'>, principal: Caller) {
  if (query.assigned === undefined) return undefined
  if (query.awaiting_input !== true)
    throw new ServiceError('RUNS_QUERY_PARAMS_INVALID', 'Query parameter "assigned": needs awaiting_input=true.')
  const { keyId, person, roles, rolesFrom, signIn } = actorOf(principal)
  return { keyId: keyId ?? '', person, roles, rolesFrom, hasSignedIn: signIn !== undefined }
}

type ScopeQuery = Pick<ListRunsQuery, 'workspace_id' | 'subject_id' | 'run_class' | 'created_after' | 'created_before'>

export const scopeOf = (query: ScopeQuery): RunScope => ({
  states: undefined,
  workspaceId: query.workspace_id,
  subjectId: query.subject_id,
  runClass: query.run_class,
  createdAfter: instantOf('created_after', query.created_after),
  createdBefore: instantOf('created_before', query.created_before),
})

/** Converted to UTC, because PostgreSQL does not accept every offset of ISO 8601. */
function instantOf(name: string, instant: string | undefined): string | undefined {
  if (instant === undefined) return undefined
  const utc = utcMicroseconds(instant)
  if (utc !== undefined) return utc
  throw new ServiceError('RUNS_QUERY_PARAMS_INVALID', `Query parameter "${name}": must be in the years 0001 to 9999.`)
}

/** The states that `status`, `awaiting_input` and `error` select; undefined means any state. */
function statesOf({ status, awaiting_input, error }: ListRunsQuery): readonly RunState[] | undefined {
  if (status === undefined && awaiting_input === undefined && error === undefined) return undefined
  return (status?.flatMap(statesBehind) ?? runStates).filter(
    (state) =>
      (awaiting_input === undefined || awaiting_input === (state === 'awaiting_input')) &&
      (error === undefined || state === 'failed'),
  )
}

function searchOf({ agent, error, q }: ListRunsQuery, { current }: CurrentAgents): RunSearch | undefined {
  const isText = q !== undefined && fromWireId('run', q.trim()) === undefined
  if (agent === undefined && error === undefined && !isText) return undefined
  return {
    agent: agent === undefined ? undefined : { name: agent, mayBeNamed: current !== undefined },
    error,
    text: isText ? { words: q.trim().split(/\s+/), ids: idsWithPrefix(q.trim()) } : undefined,
  }
}

const minPrefixLength = 8

/** The ids that begin with the text, with or without `run_`. */
const idsWithPrefix = (text: string): UuidRange | undefined =>
  text.length < minPrefixLength ? undefined : uuidRange(text.toLowerCase().replace(/^run_/, ''))
