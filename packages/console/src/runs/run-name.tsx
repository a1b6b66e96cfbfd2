// What a run is called in lists: its title, or its id if it has none.
import type { ListedRun } from '@runwright/client'

export const runName = ({ title, id }: Pick<ListedRun, 'title' | 'id'>): string => title ?? id

export function RunName({ run }: { readonly run: Pick<ListedRun, 'title' | 'id'> }) {
  if (run.title) return <>{run.title}</>
  return <span className="font-mono text-[0.8125rem]">{run.id}</span>
}
