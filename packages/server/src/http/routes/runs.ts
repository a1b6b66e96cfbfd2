// Create, fork, get, list and count runs over HTTP.
import type { IncomingMessage } from 'node:http'
import { actorOf } from '../../domain/actor.ts'
import { idempotencyKeyOf } from '../../domain/actor-limits.ts'
import type { Principal } from '../../domain/principal.ts'
import { createRun } from '../../runs/create-run.ts'
import { type ForkDependencies, forkRun } from '../../runs/fork-run.ts'
import { runNotFound } from '../../runs/run-not-found.ts'
import { fromWireId, toWireId } from '../../runtime/ids.ts'
import { nextTurn } from '../../runtime/next-turn.ts'
import { parseTraceparent } from '../../runtime/traceparent.ts'
import { countRuns } from '../../store/runs/run-counts.ts'
import { createdOrRepeated } from '../answers/created.ts'
import { readIdempotencyKey } from '../server/request/idempotency-key.ts'
import type { Handlers } from '../server/response/handler.ts'
import { type IncludeSources, readRun } from './includes/run-includes.ts'
import { listCallerOf, scopeOf } from './run-filter.ts'
import { readRunPage } from './run-page.ts'
import { createdRunJson, runJson } from './run-view.ts'

interface RunSources {
  /** For the read of one run. */
  readonly one: IncludeSources
  /** For lists and counts, which may take longer. */
  readonly many: IncludeSources
}

export const runHandlers = (
  { one, many }: RunSources,
  creation: ForkDependencies,
): Pick<Handlers, 'createRun' | 'forkRun' | 'getRun' | 'listRuns' | 'countRuns'> => ({
  createRun: async ({ principal, requestId, request, body = '' }) => {
    await nextTurn()
    const { run, replayed } = await createRun(creation, { requestId, body, ...callerOf(principal, request) })
    return createdOrRepeated(`/v1/runs/${toWireId('run', run.id)}`, {
      isRepeated: replayed,
      body: createdRunJson(run, { replayed, requestId }),
    })
  },

  forkRun: async ({ principal, requestId, id, request, body = '' }) => {
    const runId = runIdOf(id)
    const { run, replayed } = await forkRun(creation, { requestId, runId, body, ...callerOf(principal, request) })
    return createdOrRepeated(`/v1/runs/${toWireId('run', run.id)}`, {
      isRepeated: replayed,
      body: createdRunJson(run, { replayed, requestId }),
    })
  },

  getRun: async ({ principal, requestId, id, query }) => {
    const runId = runIdOf(id)
    const found = await readRun(one, { customerId: principal.customerId, runId }, query.include ?? [])
    if (!found) throw runNotFound()
    const { run, parts } = found
    return { body: runJson(run, { result: run.result?.value, otherFields: { ...parts, request_id: requestId } }) }
  },

  listRuns: async ({ principal, requestId, query }) => {
    const { customerId } = principal
    return { body: await readRunPage(many, { customerId, query, requestId, caller: listCallerOf(query, principal) }) }
  },

  countRuns: async ({ principal: { customerId }, requestId, query }) => {
    const { counts, isComplete } = await countRuns(many.database, customerId, scopeOf(query))
    return { body: { counts, complete: isComplete, request_id: requestId } }
  },
})

/** Who creates a run, and what the headers say about it. */
function callerOf(principal: Principal, request: IncomingMessage) {
  const { customerId } = principal
  const header = readIdempotencyKey(request)
  const idempotencyKey = header.kind === 'key' ? idempotencyKeyOf(principal.limits, header.key) : ''
  const traceparent = traceparentOf(request.headers.traceparent)
  return { customerId, by: actorOf(principal), idempotencyKey, traceparent }
}

/** A malformed header is ignored, as if it were not there. */
const traceparentOf = (header: string | string[] | undefined): string | undefined =>
  typeof header === 'string' && parseTraceparent(header) ? header : undefined

/** Returns the UUID of the run. A malformed id is handled like a run that does not exist. */
export function runIdOf(id: string): string {
  const runId = fromWireId('run', id)
  if (runId === undefined) throw runNotFound()
  return runId
}
