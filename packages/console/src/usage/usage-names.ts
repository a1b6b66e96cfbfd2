// What the event types are called on the page.
import { type UsageEventType, usageEventTypes } from '@runwright/contract'

const names: Readonly<Record<UsageEventType, string>> = {
  'tokens.consumed': 'Tokens',
  'run.created': 'Runs',
  'task.completed': 'Steps',
  'tool.invoked': 'Tool calls',
}

/** A newer service may have event types that this console does not know: they keep their name. */
export const usageName = (type: string): string => (names as Readonly<Record<string, string>>)[type] ?? type

/** Tokens first: budgets count them. Then those of the contract, then what only the service knows. */
export const shownTypes = (found: readonly string[]): readonly string[] => [
  ...new Set(['tokens.consumed', ...usageEventTypes, ...found]),
]
