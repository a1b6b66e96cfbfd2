// The usage records of a run. Each dispatch has its own key, so nothing is counted twice.
import { randomUUID } from 'node:crypto'
import type { TokenUsage } from '../../models/port/model.ts'
import type { NewUsage } from '../../store/run-log/run-change.ts'

/** Every completion has a new key: a repeated call costs again. `model` is undefined for the sandbox. */
export function tokensConsumed(used: TokenUsage | undefined, model?: string): NewUsage[] {
  if (used === undefined) return []
  const { total, ...parts } = used
  const record: NewUsage = {
    key: `tokens:${randomUUID()}`,
    eventType: 'tokens.consumed',
    quantity: Math.max(0, Math.round(total)),
  }
  const details = { ...parts, ...(model !== undefined && { model }) }
  return Object.keys(details).length === 0 ? [record] : [{ ...record, details }]
}

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
