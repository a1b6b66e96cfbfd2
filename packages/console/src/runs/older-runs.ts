// Keeps the runs between the live page and the older pages. New runs push others off the end of the live page: those
// still belong to the list, unlike runs that no longer match the filter.
import type { ListedRun } from '@runwright/client'
import type { RunPage } from './live-runs.ts'

/** The list is sorted by creation, then id, newest first. */
const isOlder = (run: ListedRun, than: ListedRun): boolean => {
  const [created, other] = [run.metadata.created_at, than.metadata.created_at]
  return created === other ? run.id < than.id : created < other
}

/** The runs of the page before that moved past the end of the page. */
export const pushedOff = (before: RunPage, { runs, next_cursor }: RunPage): readonly ListedRun[] => {
  const last = runs.at(-1)
  if (!last || next_cursor === null) return []
  const shown = new Set(runs.map(({ id }) => id))
  return before.runs.filter((run) => !shown.has(run.id) && isOlder(run, last))
}

/** The live page, then the older runs that are not on it. */
export const joinRuns = (live: readonly ListedRun[], older: readonly ListedRun[]): readonly ListedRun[] => {
  const shown = new Set(live.map(({ id }) => id))
  return [...live, ...older.filter(({ id }) => !shown.has(id))]
}
