// Create, get and list runs over HTTP.
import { defaultListPageSize, type ListRunsQuery, type RunInclude } from '@runwright/contract'
import { type RunState, runStates, statesBehind } from '../../domain/run/states.ts'
import { ServiceError } from '../../domain/service-error.ts'
import { utcMicroseconds } from '../../domain/utc-instant.ts'
import { type CreateDependencies, createRun } from '../../lifecycle/create-run.ts'
import { runNotFound } from '../../lifecycle/run-not-found.ts'
import { fromWireId } from '../../runtime/ids.ts'
import { nextTurn } from '../../runtime/next-turn.ts'
import { findRun, listRuns, type RunFilter } from '../../store/runs/runs.ts'
import type { Call, Handlers } from '../server/handler.ts'
import { readIdempotencyKey } from '../server/idempotency-key.ts'
import { cursorOf, positionOf } from './run-cursor.ts'
import { type IncludeSources, includedParts } from './run-includes.ts'
import { createdRunJson, listedRun, runView } from './run-view.ts'

export const runHandlers = (
  { database, keys }: IncludeSources,
  creation: CreateDependencies,
): Pick<Handlers, 'createRun' | 'getRun' | 'listRuns'> => ({
  createRun: async ({ principal, requestId, request, body = '' }) => {
    await nextTurn()
    const header = readIdempotencyKey(request)
    const { run, replayed } = await createRun(creation, {
      customerId: principal.customerId,
      requestId,
      idempotencyKey: header.is === 'key' ? header.key : '',
      body,
    })
    return { status: replayed ? 200 : 201, body: createdRunJson(run, { replayed, requestId }) }
  },

  getRun: async ({ principal, requestId, id, query }) => {
    const runId = runIdOf(id)
    const run = await findRun(database, principal.customerId, runId)
    if (!run) throw runNotFound()
    const included = await includedParts(
      { database, keys },
      { customerId: principal.customerId, runId },
      includesOf(query.include),
    )
    const { request_id, ...view } = runView(run, requestId)
    return { body: { ...view, ...included, request_id } }
  },

  listRuns: async ({ principal, requestId, query }: Call<'listRuns'>) => {
    const filter = filterOf(query)
    if (filter.states?.length === 0) return { body: { runs: [], next_cursor: null, request_id: requestId } }
    const found = await listRuns(database, principal.customerId, { ...filter, limit: filter.limit + 1 })
    const page = found.slice(0, filter.limit)
    const last = page.at(-1)
    const next_cursor = found.length > page.length && last ? cursorOf(last) : null
    return { body: { runs: page.map(listedRun), next_cursor, request_id: requestId } }
  },
})

/** Returns the UUID of the run. A malformed id is handled like a run that does not exist. */
export function runIdOf(id: string): string {
  const runId = fromWireId('run', id)
  if (runId === undefined) throw runNotFound()
  return runId
}

const includesOf = (include: readonly RunInclude[] | undefined): readonly RunInclude[] => include ?? []

const filterOf = (query: ListRunsQuery): RunFilter => ({
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
