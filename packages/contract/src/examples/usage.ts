// Example bodies of usage and budgets.
import type { Budget } from '../schemas/budgets.ts'
import type { UsageEvent } from '../schemas/usage.ts'
import { createdAt, requestIds, runId } from './ids.ts'

const usageRow = (event_type: string, count: number, total_quantity: number) => ({
  event_type,
  count,
  total_quantity,
  period: '2026-11-15',
  workspace_id: 'acme-finance',
  subject_id: null,
})

export const usageReports = {
  daily: {
    summary: 'One workspace, by day',
    value: {
      usage: [
        usageRow('run.created', 2, 2),
        usageRow('task.completed', 5, 5),
        usageRow('tokens.consumed', 7, 1893),
        usageRow('tool.invoked', 3, 3),
      ],
      period: { start: '2026-11-01T00:00:00.000Z', end: '2026-11-15T09:40:00.000Z' },
      granularity: 'day',
      request_id: requestIds.signal,
    },
  },
}

export const usageSheets = {
  daily: {
    summary: 'One workspace, by day',
    value:
      'event_type,count,total_quantity,period,workspace_id,subject_id\r\n' +
      'run.created,2,2,2026-11-15,acme-finance,\r\n' +
      'tokens.consumed,7,1893,2026-11-15,acme-finance,\r\n',
  },
}

const event = (event_type: string, key: string, quantity: number, at: string): UsageEvent => ({
  event_type,
  quantity,
  at,
  run_id: runId,
  key,
  workspace_id: 'acme-finance',
  subject_id: 'user-42',
})

export const usageEventPages = {
  page: {
    summary: 'The last page',
    value: {
      events: [
        event('task.completed', 'task:0/check', 1, '2026-11-15T09:30:02.411Z'),
        {
          ...event('tokens.consumed', 'tokens:5b0e2c9a-8f0d-4c7e-9d55-0f3f4f1f7a10', 412, '2026-11-15T09:30:02.411Z'),
          details: { input: 371, output: 41, cached: 256 },
        },
        event('run.created', 'run.created', 1, createdAt),
      ],
      next_cursor: null,
      request_id: requestIds.signal,
    },
  },
}

const budget = (of: Pick<Budget, 'id' | 'level'> & Partial<Budget>): Budget => ({
  workspace_id: null,
  subject_id: null,
  period: 'month',
  tokens: 5_000_000,
  used: 1_893_404,
  remaining: 3_106_596,
  resets_at: '2026-12-01T00:00:00.000Z',
  created_at: '2026-11-01T08:00:00.000Z',
  updated_at: '2026-11-01T08:00:00.000Z',
  ...of,
})

const budgets = {
  customer: budget({ id: 'customer', level: 'customer' }),
  workspace: budget({
    id: 'workspaces/acme-finance',
    level: 'workspace',
    workspace_id: 'acme-finance',
    tokens: 2_000_000,
    remaining: 106_596,
  }),
  subject: budget({
    id: 'subjects/user-42',
    level: 'subject',
    subject_id: 'user-42',
    period: 'day',
    tokens: 10_000,
    used: 10_412,
    remaining: 0,
    resets_at: '2026-11-16T00:00:00.000Z',
  }),
}

export const budgetBodies = {
  monthly: { summary: 'Two million tokens a month', value: { period: 'month', tokens: 2_000_000 } },
  daily: { summary: 'Ten thousand tokens a day', value: { period: 'day', tokens: 10_000 } },
}

const result = (summary: string, of: Budget) => ({
  budget: { summary, value: { budget: of, request_id: requestIds.create } },
})

const deletion = ({ id }: Budget) => ({
  deleted: { summary: 'Deleted', value: { id, deleted: true, request_id: requestIds.create } },
})

export const deletedBudgets = {
  customer: deletion(budgets.customer),
  workspace: deletion(budgets.workspace),
  subject: deletion(budgets.subject),
}

export const budgetResults = {
  customer: result('A monthly budget of the customer', budgets.customer),
  workspace: result('A monthly budget of a workspace', budgets.workspace),
  subject: result('A daily budget of a subject, used up', budgets.subject),
}

export const budgetLists = {
  budgets: {
    summary: 'One of each',
    value: {
      budgets: [budgets.customer, budgets.workspace, budgets.subject],
      next_cursor: null,
      request_id: requestIds.create,
    },
  },
}
