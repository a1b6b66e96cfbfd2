// What can be done to several runs at once, and to which of them.
import { isTerminalStatus, type ListedRun, type Runwright } from '@runwright/client'
import type { Scope } from '@runwright/contract'

export interface BulkAction {
  readonly verb: string
  readonly working: string
  readonly done: string
  readonly keep: string
  /** What cannot be undone. */
  readonly note: string
  readonly isDangerous: boolean
  /** A person types the number of runs, because nothing brings them back. */
  readonly isTyped: boolean
  readonly scope: Scope
  readonly isFor: (run: ListedRun) => boolean
  readonly send: (client: Runwright, id: string) => Promise<unknown>
}

export const bulkActions = {
  retry: {
    verb: 'Retry',
    working: 'Retrying',
    done: 'retried',
    keep: 'Leave them',
    note: 'Finished steps are kept; the others are executed again.',
    isDangerous: false,
    isTyped: false,
    scope: 'runs:write',
    isFor: ({ status }) => status === 'failed',
    send: (client, id) => client.runs.retry(id),
  },
  cancel: {
    verb: 'Cancel',
    working: 'Cancelling',
    done: 'cancelled',
    keep: 'Keep them',
    note: 'A cancelled run cannot be resumed.',
    isDangerous: true,
    isTyped: false,
    scope: 'runs:write',
    isFor: ({ status }) => !isTerminalStatus(status),
    send: (client, id) => client.runs.cancel(id),
  },
  delete: {
    verb: 'Delete',
    working: 'Deleting',
    done: 'deleted',
    keep: 'Keep them',
    note: 'Everything that they wrote is deleted: events, results, turns. This cannot be undone. Usage and notes in memory stay.',
    isDangerous: true,
    isTyped: true,
    scope: 'runs:admin',
    isFor: ({ status }) => isTerminalStatus(status),
    send: (client, id) => client.runs.delete(id),
  },
} as const satisfies Record<string, BulkAction>

export type BulkName = keyof typeof bulkActions
export const bulkNames = Object.keys(bulkActions) as BulkName[]
