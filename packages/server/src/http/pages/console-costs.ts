// What the console and `runwright costs` compute costs from: `/console/prices`, and the tokens of each model at
// `/console/model-tokens`. The service only counts, and no route of the API has prices. These are not part of it.
import { type PriceList, usageQuerySchema } from '@runwright/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { beyondLimits } from '../../domain/actor-limits.ts'
import type { Principal } from '../../domain/principal.ts'
import { usageRange } from '../../domain/usage/range.ts'
import { toWireId } from '../../runtime/ids.ts'
import type { Database } from '../../store/postgres/database.ts'
import { type ModelTokens, readGroupTokens, readRunTokens, tokenGroups } from '../../store/usage/model-tokens.ts'
import { readNow } from '../../store/usage/usage.ts'
import { runIdOf } from '../routes/runs.ts'
import { type Gate, requireScope } from '../server/admission/admission.ts'
import { ReadSlots } from '../server/admission/read-slots.ts'
import { identify, idOf } from '../server/mount-routes.ts'
import { parseQuery, queryTextOf } from '../server/request/query.ts'

interface CostOptions {
  readonly gate: Gate
  /** For reads, which it ends after two seconds. */
  readonly reads: Database
  readonly prices?: PriceList | undefined
}

const querySchema = usageQuerySchema.pick({ start: true, end: true, workspace_id: true, subject_id: true }).extend({
  by: z.enum(tokenGroups),
  agent: z.string().min(1).max(255).optional(),
  limit: z.coerce.number().int().min(1).max(1_000).optional(),
})

const defaultKeys = 100

export function consoleCostRoutes(app: FastifyInstance, { gate, reads, prices = undefined }: CostOptions): void {
  const slots = new ReadSlots()
  app.get('/console/prices', async (request) => {
    await admit(request, gate)
    return { prices: prices ?? null }
  })
  app.get('/console/model-tokens/:id', async (request) => {
    const { customerId } = await admit(request, gate)
    const tokens = await readRunTokens(reads, { customerId, id: runIdOf(idOf(request)) })
    return { rows: tokens.map(({ month, ...of }) => ({ month, ...toWire(of) })) }
  })
  app.get('/console/model-tokens', async (request) => {
    const { customerId } = await admit(request, gate)
    const query = parseQuery(querySchema, queryTextOf(request.raw.url ?? ''), 'USAGE_QUERY_PARAMS_INVALID')
    const giveBack = await slots.take(customerId)
    try {
      const { by, workspace_id: workspaceId, subject_id: subjectId, agent, limit: maxKeys = defaultKeys } = query
      const range = usageRange(query, await readNow(reads))
      const rows = await readGroupTokens(reads, {
        ...{ customerId, by, range, workspaceId, subjectId, agent, maxKeys },
      })
      const nameOf = (key: string | null) => (key !== null && by === 'run' ? toWireId('run', key) : key)
      return { rows: rows.map(({ key, isRest, ...row }) => ({ key: nameOf(key), is_rest: isRest, ...toWire(row) })) }
    } finally {
      giveBack()
    }
  })
}

/** Prices are for those who pay: not for the holder of a token. */
async function admit(request: FastifyRequest, gate: Gate): Promise<Principal> {
  const principal = await identify(request, gate)
  requireScope(principal, 'usage:read')
  if (principal.limits) throw beyondLimits(principal.limits)
  return principal
}

const toWire = ({ model, ...tokens }: ModelTokens) => ({ model, tokens })
