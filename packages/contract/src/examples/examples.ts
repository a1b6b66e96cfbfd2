// Examples for every route, as data: request bodies, query parameters and successful responses.

import type { RouteName } from '../routes/routes.ts'
import { auditLists } from './audit.ts'
import { customerCursor, keyIds, runId, scheduleId } from './ids.ts'
import * as records from './records.ts'
import * as runs from './runs.ts'
import * as schedules from './schedules.ts'
import { toolLists } from './tools.ts'
import * as turns from './turns.ts'
import * as usage from './usage.ts'
import * as webhooks from './webhooks.ts'

interface Example {
  readonly summary: string
  readonly value: unknown
}

type Examples = Readonly<Record<string, Example>>

interface RouteExamples {
  readonly body?: Examples
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[]>>
  readonly ok: Readonly<Record<number, Examples>>
  readonly csv?: Examples
}

const labels = { workspace_id: 'acme-finance', subject_id: 'user-42' }
const memoryFilters = { ...labels, status: 'active', include_harness: true }
const page = { limit: 50 }
const labelFilters = {
  ...labels,
  run_class: 'default',
  created_after: '2026-11-15T00:00:00Z',
  created_before: '2026-11-16T00:00:00+01:00',
}
const runFilters = {
  ...labelFilters,
  status: ['running', 'stalled'],
  awaiting_input: true,
  assigned: 'me',
  agent: 'support-triage',
  schedule_id: scheduleId,
  error: 'provider_error',
  q: 'invoice 4711',
}
const usageFilters = {
  ...labels,
  event_type: 'tokens.consumed',
  start: '2026-11-01T00:00:00Z',
  end: '2026-12-01T00:00:00Z',
}

export const routeExamples: Readonly<Record<RouteName, RouteExamples>> = {
  createRun: { body: runs.createRunBodies, ok: runs.createdRuns },
  listRuns: {
    query: {
      ...runFilters,
      ...page,
      cursor: 'eyJ2IjoxfQ',
      include: ['awaiting_input'],
    },
    ok: { 200: runs.runList },
  },
  countRuns: { query: labelFilters, ok: { 200: runs.runCounts } },
  streamRuns: {
    query: { ...runFilters, ...page, include: ['title', 'awaiting_input'] },
    ok: { 200: runs.runListStreams },
  },
  getRun: { query: { include: ['awaiting_input', 'usage'] }, ok: { 200: runs.runDetails } },
  deleteRun: { ok: { 200: runs.deletedRuns } },
  cancelRun: { ok: { 200: runs.commandedRun('cancelled') } },
  retryRun: { ok: { 200: runs.commandedRun('queued') } },
  resumeRun: { ok: { 200: runs.commandedRun('queued') } },
  forkRun: { body: runs.forkRunBodies, ok: runs.createdRuns },
  signalRun: { body: runs.signalBodies, ok: { 200: runs.signalResults } },
  listAgents: { ok: { 200: records.agentLists } },
  listTools: { ok: { 200: toolLists } },
  pollEvents: { query: { cursor: 7, limit: 100, wait: 20 }, ok: { 200: runs.eventPages } },
  streamEvents: { query: { cursor: 7 }, ok: { 200: runs.eventStreams } },
  streamCustomerEvents: {
    query: { cursor: customerCursor },
    ok: { 200: runs.customerEventStreams },
  },
  listTurns: { query: { after: 0, limit: 50 }, ok: { 200: turns.turnPages } },
  getUsage: {
    query: { ...usageFilters, granularity: 'day', group_by: ['workspace_id'] },
    ok: { 200: usage.usageReports },
    csv: usage.usageSheets,
  },
  listUsageEvents: {
    query: { ...usageFilters, ...page, cursor: 'MjAyNi0xMS0xNQ' },
    ok: { 200: usage.usageEventPages },
  },
  listBudgets: { query: { ...page, cursor: 'WyJ3b3Jrc3BhY2UiXQ' }, ok: { 200: usage.budgetLists } },
  getCustomerBudget: { ok: { 200: usage.budgetResults.customer } },
  putCustomerBudget: { body: usage.budgetBodies, ok: { 200: usage.budgetResults.customer } },
  deleteCustomerBudget: { ok: { 200: usage.deletedBudgets.customer } },
  getWorkspaceBudget: { ok: { 200: usage.budgetResults.workspace } },
  putWorkspaceBudget: { body: usage.budgetBodies, ok: { 200: usage.budgetResults.workspace } },
  deleteWorkspaceBudget: { ok: { 200: usage.deletedBudgets.workspace } },
  getSubjectBudget: { ok: { 200: usage.budgetResults.subject } },
  putSubjectBudget: { body: usage.budgetBodies, ok: { 200: usage.budgetResults.subject } },
  deleteSubjectBudget: { ok: { 200: usage.deletedBudgets.subject } },
  exportMemory: { query: memoryFilters, ok: { 200: records.memoryExports } },
  listMemory: { query: { ...memoryFilters, ...page, offset: 0 }, ok: { 200: records.memoryLists } },
  getMemory: { query: { ...memoryFilters, include_embedding: true }, ok: { 200: records.memoryItems } },
  deleteMemory: { ok: { 200: records.deletedMemoryItems } },
  createKey: { body: records.createKeyBodies, ok: { 201: records.keysWithSecret, 200: records.keysWithSecret } },
  listKeys: { query: { ...page, cursor: 'MTc5NDczNTgwMDEyMA' }, ok: { 200: records.keyLists } },
  getKey: { ok: { 200: records.keyDetails } },
  rotateKey: { body: records.rotateKeyBodies, ok: { 200: records.keysWithSecret } },
  revokeKey: { ok: { 200: records.revokedKeys } },
  createDecisionLink: { body: records.createLinkBodies, ok: { 200: records.decisionLinks } },
  createToken: { body: records.createTokenBodies, ok: { 200: records.tokenResults } },
  createSchedule: { body: schedules.createBodies, ok: { 201: schedules.results, 200: schedules.results } },
  listSchedules: { query: { ...page, cursor: 'MDE5Y2YxMTM' }, ok: { 200: schedules.lists } },
  getSchedule: { ok: { 200: schedules.results } },
  updateSchedule: { body: schedules.updateBodies, ok: { 200: schedules.results } },
  deleteSchedule: { ok: { 200: schedules.deletions } },
  createWebhook: { body: webhooks.createBodies, ok: { 201: webhooks.withSecret, 200: webhooks.created } },
  listWebhooks: { query: { ...page, cursor: 'MDE5Y2YxMTM' }, ok: { 200: webhooks.lists } },
  getWebhook: { ok: { 200: webhooks.results } },
  updateWebhook: { body: webhooks.updateBodies, ok: { 200: webhooks.results } },
  deleteWebhook: { ok: { 200: webhooks.deletions } },
  rotateWebhook: { body: webhooks.rotateBodies, ok: { 200: webhooks.withSecret } },
  testWebhook: { ok: { 200: webhooks.deliveryResults } },
  listDeliveries: { query: { ...page, cursor: 'MTc5NDczNTgwMDEyMA' }, ok: { 200: webhooks.deliveryLists } },
  redeliver: { body: webhooks.redeliverBodies, ok: { 200: webhooks.deliveryResults } },
  listAudit: {
    query: { action: 'run.signal', key_id: keyIds.caller, target: runId, ...page, cursor: '4712' },
    ok: { 200: auditLists },
  },
  getSchema: {
    ok: {
      200: {
        document: {
          summary: 'Shortened',
          value: { openapi: '3.1.0', info: { title: 'Runwright API', version: 'v1' }, paths: {} },
        },
      },
    },
  },
  getLive: { ok: { 200: records.health.live } },
  getReady: { ok: { 200: records.health.ready, 503: records.health.notReady } },
  getDependencies: { ok: { 200: records.health.dependencies, 503: records.health.dependenciesDown } },
}
