// Every route as data: method, path, scope, request and response schemas, and the reason codes it can return.
import type { z } from 'zod'
import { agentListSchema } from '../schemas/agents.ts'
import { deletedMemoryItemSchema, deletedRunSchema } from '../schemas/deletions.ts'
import {
  eventPageSchema,
  eventsQuerySchema,
  streamCustomerEventsQuerySchema,
  streamQuerySchema,
} from '../schemas/events.ts'
import {
  dependenciesDownSchema,
  dependenciesSchema,
  liveSchema,
  notReadySchema,
  readySchema,
} from '../schemas/health.ts'
import {
  memoryExportQuerySchema,
  memoryExportSchema,
  memoryItemQuerySchema,
  memoryItemSchema,
  memoryListQuerySchema,
  memoryListSchema,
} from '../schemas/memory.ts'
import {
  countRunsQuerySchema,
  createdRunSchema,
  createRunSchema,
  getRunQuerySchema,
  listRunsQuerySchema,
  runCountsSchema,
  runDetailSchema,
  runListSchema,
  runSchema,
  streamRunsQuerySchema,
} from '../schemas/runs.ts'
import { signalResultSchema, signalSchema } from '../schemas/signals.ts'
import { toolListSchema } from '../schemas/tools.ts'
import { turnPageSchema, turnsQuerySchema } from '../schemas/turns.ts'
import { usageEventPageSchema, usageEventsQuerySchema, usageQuerySchema, usageSchema } from '../schemas/usage.ts'
import { createReasons, type ReasonCode } from '../vocabulary/reasons.ts'
import type { Scope } from '../vocabulary/vocabulary.ts'
import { auditRoutes } from './audit.ts'
import { budgetRoutes } from './budgets.ts'
import { decisionLinkRoutes } from './decision-links.ts'
import { forkRoutes } from './forks.ts'
import { keyRoutes } from './keys.ts'
import { scheduleRoutes } from './schedules.ts'
import { tokenRoutes } from './tokens.ts'
import { webhookRoutes } from './webhooks.ts'

/** A route that clients should leave. The service says so in headers of its responses. */
export interface Deprecation {
  /** The day on which it was announced, as `2027-01-31`. */
  readonly since: string
  /** The day from which on the route may be gone. */
  readonly sunset?: string
  /** What to use instead, as words. */
  readonly use: string
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** In OpenAPI style; `{id}` is the only path parameter. */
  readonly path: string
  /** Null for a public route. */
  readonly scope: Scope | null
  readonly summary: string
  /** The kind of id in the path. */
  readonly idOf?: 'run' | 'memory item' | 'key' | 'workspace' | 'subject' | 'webhook' | 'schedule'
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  readonly bodyRequired?: boolean
  /** Every POST that changes something has it. `signal`: optional, and the body may have it instead. */
  readonly idempotencyKey?: 'required' | 'optional' | 'signal'
  readonly ok: Readonly<Record<number, z.ZodType | 'event stream' | 'schema document' | 'no content'>>
  /** The 200 is also available as CSV, with `Accept: text/csv`. */
  readonly csv?: true
  /** In addition to `protectedReasons` and `universalReasons`. */
  readonly reasons: readonly ReasonCode[]
  /** Not part of the published interface specification, but just as stable. */
  readonly extension?: true
  readonly deprecated?: Deprecation
}

const runCommand = (verb: 'cancel' | 'retry' | 'resume', summary: string) =>
  ({
    method: 'POST',
    path: `/v1/runs/{id}/${verb}`,
    scope: 'runs:write',
    summary,
    idOf: 'run',
    idempotencyKey: 'optional',
    ok: { 200: runSchema },
    reasons: ['IDEMPOTENCY_KEY_INVALID', 'RUN_NOT_FOUND', 'RUN_STATE_CONFLICT'],
  }) as const satisfies Route

export const routes = {
  createRun: {
    method: 'POST',
    path: '/v1/runs',
    scope: 'runs:write',
    summary: 'Create a run',
    body: createRunSchema,
    bodyRequired: true,
    idempotencyKey: 'required',
    ok: { 201: createdRunSchema, 200: createdRunSchema },
    reasons: createReasons,
  },
  listRuns: {
    method: 'GET',
    path: '/v1/runs',
    scope: 'runs:read',
    summary: 'List runs, newest first',
    query: listRunsQuerySchema,
    ok: { 200: runListSchema },
    reasons: ['RUNS_QUERY_PARAMS_INVALID', 'QUERY_TOO_EXPENSIVE'],
    extension: true,
  },
  countRuns: {
    method: 'GET',
    path: '/v1/runs/counts',
    scope: 'runs:read',
    summary: 'Count runs by status',
    query: countRunsQuerySchema,
    ok: { 200: runCountsSchema },
    reasons: ['RUNS_QUERY_PARAMS_INVALID', 'QUERY_TOO_EXPENSIVE'],
    extension: true,
  },
  streamRuns: {
    method: 'GET',
    path: '/v1/runs/stream',
    scope: 'runs:read',
    summary: 'Follow the first page of a list of runs as Server-Sent Events',
    query: streamRunsQuerySchema,
    ok: { 200: 'event stream' },
    reasons: ['RUNS_QUERY_PARAMS_INVALID', 'STREAM_LIMIT_REACHED', 'QUERY_TOO_EXPENSIVE'],
    extension: true,
  },
  getRun: {
    method: 'GET',
    path: '/v1/runs/{id}',
    scope: 'runs:read',
    summary: 'Get a run',
    idOf: 'run',
    query: getRunQuerySchema,
    ok: { 200: runDetailSchema },
    reasons: ['RUNS_QUERY_PARAMS_INVALID', 'RUN_NOT_FOUND'],
  },
  deleteRun: {
    method: 'DELETE',
    path: '/v1/runs/{id}',
    scope: 'runs:admin',
    summary: 'Delete a run that has ended, with everything it wrote',
    idOf: 'run',
    ok: { 200: deletedRunSchema },
    reasons: ['RUN_NOT_FOUND', 'RUN_STATE_CONFLICT'],
    extension: true,
  },
  cancelRun: runCommand('cancel', 'Cancel a run that has not ended'),
  retryRun: runCommand('retry', 'Retry a failed run, keeping its finished steps'),
  resumeRun: runCommand('resume', 'Resume a stalled run'),
  ...forkRoutes,
  signalRun: {
    method: 'POST',
    path: '/v1/runs/{id}/signal',
    scope: 'runs:signal',
    summary: 'Send input to a run that waits for it',
    idOf: 'run',
    body: signalSchema,
    bodyRequired: true,
    idempotencyKey: 'signal',
    ok: { 200: signalResultSchema },
    reasons: [
      'SIGNAL_PAYLOAD_INVALID',
      'APPROVER_REQUIRED',
      'REAUTH_REQUIRED',
      'LIMIT_REACHED',
      'RUN_NOT_FOUND',
      'RUN_NOT_AWAITING_INPUT',
      'IDEMPOTENCY_KEY_CONFLICT',
      'SIGNAL_SERVICE_UNAVAILABLE',
    ],
  },
  listAgents: {
    method: 'GET',
    path: '/v1/agents',
    scope: 'runs:read',
    summary: 'List the agents that runs can use',
    ok: { 200: agentListSchema },
    reasons: ['RUNS_QUERY_PARAMS_INVALID'],
    extension: true,
  },
  listTools: {
    method: 'GET',
    path: '/v1/tools',
    scope: 'runs:read',
    summary: 'List the tools that runs can call',
    ok: { 200: toolListSchema },
    reasons: ['RUNS_QUERY_PARAMS_INVALID'],
    extension: true,
  },
  pollEvents: {
    method: 'GET',
    path: '/v1/runs/{id}/events',
    scope: 'runs:read',
    summary: 'Read the events of a run after a cursor',
    idOf: 'run',
    query: eventsQuerySchema,
    ok: { 200: eventPageSchema },
    reasons: ['EVENTS_QUERY_PARAMS_INVALID', 'RUN_NOT_FOUND', 'STREAM_LIMIT_REACHED'],
  },
  streamEvents: {
    method: 'GET',
    path: '/v1/runs/{id}/events/stream',
    scope: 'runs:read',
    summary: 'Follow the events of a run as Server-Sent Events',
    idOf: 'run',
    query: streamQuerySchema,
    ok: { 200: 'event stream', 204: 'no content' },
    reasons: ['EVENTS_QUERY_PARAMS_INVALID', 'RUN_NOT_FOUND', 'STREAM_LIMIT_REACHED'],
  },
  streamCustomerEvents: {
    method: 'GET',
    path: '/v1/events/stream',
    scope: 'runs:read',
    summary: 'Follow the events of all runs as Server-Sent Events',
    query: streamCustomerEventsQuerySchema,
    ok: { 200: 'event stream' },
    reasons: ['EVENTS_QUERY_PARAMS_INVALID', 'STREAM_LIMIT_REACHED', 'QUERY_TOO_EXPENSIVE'],
    extension: true,
  },
  listTurns: {
    method: 'GET',
    path: '/v1/runs/{id}/turns',
    scope: 'runs:read',
    summary: 'Read the calls of a run to models',
    idOf: 'run',
    query: turnsQuerySchema,
    ok: { 200: turnPageSchema },
    reasons: ['RUNS_QUERY_PARAMS_INVALID', 'RUN_NOT_FOUND', 'QUERY_TOO_EXPENSIVE'],
    extension: true,
  },
  getUsage: {
    method: 'GET',
    path: '/v1/usage',
    scope: 'usage:read',
    summary: 'Read aggregated usage',
    query: usageQuerySchema,
    ok: { 200: usageSchema },
    csv: true,
    reasons: ['USAGE_QUERY_PARAMS_INVALID', 'QUERY_TOO_EXPENSIVE'],
  },
  listUsageEvents: {
    method: 'GET',
    path: '/v1/usage/events',
    scope: 'usage:read',
    summary: 'List the records behind usage, newest first',
    query: usageEventsQuerySchema,
    ok: { 200: usageEventPageSchema },
    reasons: ['USAGE_QUERY_PARAMS_INVALID', 'QUERY_TOO_EXPENSIVE'],
    extension: true,
  },
  ...budgetRoutes,
  exportMemory: {
    method: 'GET',
    path: '/v1/memory/export',
    scope: 'memory:read',
    summary: 'Export memory as a tree of Markdown files',
    query: memoryExportQuerySchema,
    ok: { 200: memoryExportSchema },
    reasons: ['MEMORY_QUERY_PARAMS_INVALID', 'QUERY_TOO_EXPENSIVE'],
  },
  listMemory: {
    method: 'GET',
    path: '/v1/memory/items',
    scope: 'memory:read',
    summary: 'List memory items, newest first',
    query: memoryListQuerySchema,
    ok: { 200: memoryListSchema },
    reasons: ['MEMORY_QUERY_PARAMS_INVALID', 'QUERY_TOO_EXPENSIVE'],
  },
  getMemory: {
    method: 'GET',
    path: '/v1/memory/items/{id}',
    scope: 'memory:read',
    summary: 'Get one memory item',
    idOf: 'memory item',
    query: memoryItemQuerySchema,
    ok: { 200: memoryItemSchema },
    reasons: ['MEMORY_QUERY_PARAMS_INVALID', 'MEMORY_ITEM_NOT_FOUND', 'QUERY_TOO_EXPENSIVE'],
  },
  deleteMemory: {
    method: 'DELETE',
    path: '/v1/memory/items/{id}',
    scope: 'runs:admin',
    summary: 'Delete one memory item',
    idOf: 'memory item',
    ok: { 200: deletedMemoryItemSchema },
    reasons: ['MEMORY_ITEM_NOT_FOUND'],
    extension: true,
  },
  ...keyRoutes,
  ...decisionLinkRoutes,
  ...tokenRoutes,
  ...scheduleRoutes,
  ...webhookRoutes,
  ...auditRoutes,
  getSchema: {
    method: 'GET',
    path: '/openapi.json',
    scope: null,
    summary: 'This schema',
    ok: { 200: 'schema document' },
    reasons: [],
  },
  getLive: {
    method: 'GET',
    path: '/health/live',
    scope: null,
    summary: 'Liveness',
    ok: { 200: liveSchema },
    reasons: [],
  },
  getReady: {
    method: 'GET',
    path: '/health/ready',
    scope: null,
    summary: 'Readiness',
    ok: { 200: readySchema, 503: notReadySchema },
    reasons: [],
  },
  getDependencies: {
    method: 'GET',
    path: '/health/deps',
    scope: null,
    summary: 'Database and queue health',
    ok: { 200: dependenciesSchema, 503: dependenciesDownSchema },
    reasons: [],
  },
} as const satisfies Record<string, Route>

export type RouteName = keyof typeof routes

/** Reason codes that any protected route can return in addition to its own. */
export const protectedReasons = [
  'AUTH_HEADER_MISSING',
  'AUTH_HEADER_MALFORMED',
  'API_KEY_INVALID',
  'API_KEY_REVOKED',
  'API_KEY_EXPIRED',
  'TOKEN_INVALID',
  'TOKEN_EXPIRED',
  'SCOPE_DENIED',
  'TOKEN_LIMITED',
  'TOKEN_ORIGIN_DENIED',
  'CUSTOMER_SUSPENDED',
  'RATE_LIMITED',
  'OVERLOADED',
  'SHUTTING_DOWN',
  'CUSTOMER_MOVING',
  'CELL_UNAVAILABLE',
  'DATABASE_UNAVAILABLE',
] as const satisfies readonly ReasonCode[]

/** Reason codes that any route with a body can return in addition to its own. */
export const bodyReasons = ['CONTENT_ENCODING_UNSUPPORTED'] as const satisfies readonly ReasonCode[]

/** Reason codes that any route can return. */
export const universalReasons = [
  'REQUEST_MALFORMED',
  'ROUTE_NOT_FOUND',
  'INTERNAL_ERROR',
] as const satisfies readonly ReasonCode[]
