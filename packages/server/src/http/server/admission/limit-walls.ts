// Checks that what the path names is within the limits of the caller. What is not is answered like what does not exist.
// The labels of a run never change, so those of a run that was found within the limits are read once.
import type { RouteName } from '@runwright/contract'
import { ShortLivedCache } from '../../../access/short-lived-cache.ts'
import type { ActorLimits } from '../../../domain/actor.ts'
import { isWithin } from '../../../domain/actor-limits.ts'
import type { Principal } from '../../../domain/principal.ts'
import { ServiceError } from '../../../domain/service-error.ts'
import { runNotFound } from '../../../runs/run-not-found.ts'
import { fromWireId } from '../../../runtime/ids.ts'
import { findMemoryItem } from '../../../store/memory/items.ts'
import type { Database } from '../../../store/postgres/database.ts'
import { findRunLabels } from '../../../store/runs/run-labels.ts'
import { limitRules, type ProtectedRoute } from './limit-rules.ts'

const maxEntries = 20_000
const maxAgeMs = 3_600_000

interface Limited extends Pick<Principal, 'customerId'> {
  readonly limits: ActorLimits
  /** The same for all tokens of a key with the same limits. */
  readonly limitsId: string
}

export class LimitWalls {
  readonly #database: Database
  readonly #within = new ShortLivedCache<{ readonly since: number }>({ maxEntries, maxAgeMs })

  constructor(database: Database) {
    this.#database = database
  }

  /** Undefined if there is nothing to wait for. */
  check(name: RouteName, { customerId, limits, token }: Principal, id: string): Promise<void> | undefined {
    if (limits === undefined) return undefined
    if (token?.limitsId === undefined) throw new Error('a caller has limits without a token')
    const limited = { customerId, limits, limitsId: token.limitsId }
    switch (limitRules[name as ProtectedRoute]) {
      case 'run':
      case 'fork':
        return this.#checkRun(limited, id)
      case 'memory item':
        return this.#checkMemoryItem(limited, id)
      case 'workspace':
        return checkBudget('workspace', limits.workspaceId, id)
      case 'subject':
        return checkBudget('subject', limits.subjectId, id)
      default:
        return undefined
    }
  }

  /** Only names of runs that were found are kept, and those contain no space. */
  #checkRun(limited: Limited, id: string): Promise<void> | undefined {
    const name = `${id} ${limited.limitsId}`
    const now = performance.now()
    if (this.#within.get(name, now)) return undefined
    return this.#findRun(limited, id).then((isFound) => {
      if (!isFound) throw runNotFound()
      this.#within.set(name, { since: now })
    })
  }

  async #findRun({ customerId, limits }: Limited, wireId: string): Promise<boolean> {
    const id = fromWireId('run', wireId)
    if (id === undefined) return false
    const labels = await findRunLabels(this.#database, { customerId, id })
    return labels !== undefined && isWithin(limits, { id, ...labels })
  }

  async #checkMemoryItem({ customerId, limits }: Limited, wireId: string): Promise<void> {
    const id = fromWireId('mem', wireId)
    const { workspaceId, subjectId } = limits
    const filter = { customerId, workspaceId, subjectId, status: undefined, includeHarness: true }
    const item = id && (await findMemoryItem(this.#database, id, filter))
    if (!item) throw new ServiceError('MEMORY_ITEM_NOT_FOUND', 'No memory item has this id.')
  }
}

function checkBudget(level: 'workspace' | 'subject', own: string | undefined, id: string): undefined {
  if (id !== own) throw new ServiceError('BUDGET_NOT_FOUND', `This ${level} has no budget.`)
}
