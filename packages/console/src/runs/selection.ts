// Which runs are selected. Only runs that have not ended can be: what is done with a selection is to cancel it.
import { isTerminalStatus, type ListedRun } from '@runwright/client'
import { useState } from 'react'

export interface Selection {
  /** The selected runs of the list, as they are now. */
  readonly runs: readonly ListedRun[]
  readonly has: (id: string) => boolean
  readonly toggle: (id: string) => void
  /** Selects all that can be, or none if they are. */
  readonly toggleAll: () => void
  readonly isAll: boolean
  readonly clear: () => void
}

export const canBeCancelled = ({ status }: ListedRun): boolean => !isTerminalStatus(status)

export const useSelection = (shown: readonly ListedRun[]): Selection => {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const selectable = shown.filter(canBeCancelled)
  // A selected run that ends leaves the selection.
  const runs = selectable.filter(({ id }) => ids.has(id))
  const isAll = selectable.length > 0 && runs.length === selectable.length
  return {
    runs,
    has: (id) => ids.has(id),
    toggle: (id) => setIds((was) => new Set(was.has(id) ? [...was].filter((one) => one !== id) : [...was, id])),
    toggleAll: () => setIds(new Set(isAll ? [] : selectable.map(({ id }) => id))),
    isAll,
    clear: () => setIds(new Set()),
  }
}
