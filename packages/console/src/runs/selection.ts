// Which runs are selected.
import type { ListedRun } from '@runwright/client'
import { useState } from 'react'

export interface Selection {
  /** The selected runs of the list, as they are now. */
  readonly runs: readonly ListedRun[]
  readonly has: (id: string) => boolean
  readonly toggle: (id: string) => void
  /** Selects all runs, or none if they are. */
  readonly toggleAll: () => void
  readonly isAll: boolean
  readonly clear: () => void
}

export const useSelection = (shown: readonly ListedRun[]): Selection => {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  // A run that leaves the list leaves the selection.
  const runs = shown.filter(({ id }) => ids.has(id))
  if (runs.length < ids.size) setIds(new Set(runs.map(({ id }) => id)))
  const isAll = shown.length > 0 && runs.length === shown.length
  return {
    runs,
    has: (id) => ids.has(id),
    toggle: (id) => setIds((was) => new Set(was.has(id) ? [...was].filter((one) => one !== id) : [...was, id])),
    toggleAll: () => setIds(new Set(isAll ? [] : shown.map(({ id }) => id))),
    isAll,
    clear: () => setIds(new Set()),
  }
}
