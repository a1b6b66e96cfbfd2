// The usage records of a run's work: one key per dispatch, so that what is counted once is never counted twice.
import { randomUUID } from 'node:crypto'
import type { NewUsage } from '../store/run-log/run-change.ts'

/** A new key for each completion: a call that is made again really costs again. */
export const tokensConsumed = (tokens: number | undefined): NewUsage[] =>
  tokens === undefined
    ? []
    : [{ key: `tokens:${randomUUID()}`, eventType: 'tokens.consumed', quantity: Math.max(0, Math.round(tokens)) }]

export const taskCompleted = (taskKey: string): NewUsage => ({
  key: `task:${taskKey}`,
  eventType: 'task.completed',
  quantity: 1,
})

export const toolUsed = (callId: string): NewUsage => ({
  key: `tool:${callId}`,
  eventType: 'tool.invoked',
  quantity: 1,
})
