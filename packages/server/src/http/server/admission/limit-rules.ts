// What a caller with limits may do on each route. A route that is not in the table does not compile. One that cannot be
// bound to the limits is refused.
import { type RouteName, routes } from '@runwright/contract'
import type { ActorLimits } from '../../../domain/actor.ts'
import { beyondLimits, withLimits } from '../../../domain/actor-limits.ts'
import type { Principal } from '../../../domain/principal.ts'
import { ServiceError } from '../../../domain/service-error.ts'

export type ProtectedRoute = { [R in RouteName]: (typeof routes)[R]['scope'] extends null ? never : R }[RouteName]

/**
 * - `open`: shows nothing of runs
 * - `run`: the run in the path must be within the limits
 * - `fork`: the same; it creates another run, so the limit must not be one run
 * - `labels`: the query gets the labels; not for one run, for which it has no filter
 * - `create`: what is created gets the labels; not for one run
 * - `memory item`: the item in the path must be within the limits
 * - `workspace`, `subject`: the label in the path must be the only limit
 * - `refused`: what it shows or changes is not of one workspace, subject or run
 */
type LimitRule = 'open' | 'run' | 'fork' | 'labels' | 'create' | 'memory item' | 'workspace' | 'subject' | 'refused'

export const limitRules: Readonly<Record<ProtectedRoute, LimitRule>> = {
  createRun: 'create',
  listRuns: 'labels',
  countRuns: 'labels',
  streamRuns: 'labels',
  getRun: 'run',
  deleteRun: 'run',
  cancelRun: 'run',
  retryRun: 'run',
  resumeRun: 'run',
  forkRun: 'fork',
  signalRun: 'run',
  listAgents: 'open',
  listTools: 'open',
  pollEvents: 'run',
  streamEvents: 'run',
  // A few of these streams are all that a customer can have.
  streamCustomerEvents: 'refused',
  // They show the instructions of the operator to the model.
  listTurns: 'refused',
  getUsage: 'labels',
  listUsageEvents: 'labels',
  listBudgets: 'refused',
  getCustomerBudget: 'refused',
  putCustomerBudget: 'refused',
  deleteCustomerBudget: 'refused',
  getWorkspaceBudget: 'workspace',
  putWorkspaceBudget: 'refused',
  deleteWorkspaceBudget: 'refused',
  getSubjectBudget: 'subject',
  putSubjectBudget: 'refused',
  deleteSubjectBudget: 'refused',
  exportMemory: 'labels',
  listMemory: 'labels',
  getMemory: 'labels',
  deleteMemory: 'memory item',
  createKey: 'refused',
  listKeys: 'refused',
  getKey: 'refused',
  rotateKey: 'refused',
  revokeKey: 'refused',
  createToken: 'refused',
  createDecisionLink: 'refused',
  createSchedule: 'refused',
  listSchedules: 'refused',
  getSchedule: 'refused',
  updateSchedule: 'refused',
  deleteSchedule: 'refused',
  createWebhook: 'refused',
  listWebhooks: 'refused',
  getWebhook: 'refused',
  updateWebhook: 'refused',
  deleteWebhook: 'refused',
  rotateWebhook: 'refused',
  testWebhook: 'refused',
  listDeliveries: 'refused',
  redeliver: 'refused',
  listAudit: 'refused',
}

/** What they set up goes on, or stays valid, when the token has ended: not for a token, with or without limits. */
const outlasting: readonly RouteName[] = [
  'createSchedule',
  'updateSchedule',
  'createKey',
  'rotateKey',
  'createToken',
  'createDecisionLink',
  'createWebhook',
  'updateWebhook',
  'rotateWebhook',
]

const needLabels: readonly LimitRule[] = ['fork', 'labels', 'create', 'memory item']

/** Refuses a route that cannot be bound to the limits or the time of a token. */
export function refuseBeyondLimits(name: RouteName, { limits, token }: Principal): void {
  if (token !== undefined && outlasting.includes(name))
    throw new ServiceError('TOKEN_LIMITED', 'A token cannot set up what outlasts it. Use an API key.')
  if (limits === undefined || routes[name].scope === null) return
  const rule = limitRules[name as ProtectedRoute] ?? 'refused'
  const isPossible = needLabels.includes(rule) ? limits.runId === undefined : isAllowed(rule, limits)
  if (!isPossible) throw beyondLimits(limits)
}

function isAllowed(rule: LimitRule, { workspaceId, subjectId, runId }: ActorLimits): boolean {
  const labels = [workspaceId, subjectId, runId].filter((label) => label !== undefined).length
  if (rule === 'workspace') return workspaceId !== undefined && labels === 1
  if (rule === 'subject') return subjectId !== undefined && labels === 1
  return rule === 'open' || rule === 'run'
}

interface LabelQuery {
  readonly workspace_id?: string | undefined
  readonly subject_id?: string | undefined
}

/** The query with the labels of the limits, if the route has such a filter. A filter for other labels is refused. */
export function boundQuery<Q>(name: RouteName, { limits }: Principal, query: Q): Q {
  if (limits === undefined || limitRules[name as ProtectedRoute] !== 'labels') return query
  const { workspace_id, subject_id } = (query ?? {}) as LabelQuery
  const bound = withLimits(limits, { workspaceId: workspace_id ?? null, subjectId: subject_id ?? null })
  return {
    ...query,
    ...(bound.workspaceId !== null && { workspace_id: bound.workspaceId }),
    ...(bound.subjectId !== null && { subject_id: bound.subjectId }),
  }
}
