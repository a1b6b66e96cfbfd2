// What the fields of the filter suggest: installed agents, error codes, and the workspaces and subjects of the newest
// runs. Any other text may be entered.
import type { ListedRun } from '@runwright/client'
import { eventReasons, visibleText } from '@runwright/contract'
import { useQuery } from '@tanstack/react-query'
import type { Suggestion } from '../parts/controls/combobox.tsx'
import { useSession } from '../session/session.ts'

export type SuggestedFilter = 'agent' | 'error' | 'workspace_id' | 'subject_id'

const newestRuns = 200

const errorCodes: readonly Suggestion[] = Object.entries(eventReasons).map(([value, note]) => ({ value, note }))

/** Each once, in alphabetical order. */
export const labelsOf = (
  runs: readonly Pick<ListedRun, 'workspace_id' | 'subject_id'>[],
  name: 'workspace_id' | 'subject_id',
): readonly Suggestion[] =>
  [...new Set(runs.map((run) => run[name]))]
    .filter((value) => value !== null)
    .toSorted()
    .map((value) => ({ value }))

export const useFilterSuggestions = (): Readonly<Record<SuggestedFilter, readonly Suggestion[]>> => {
  const { client } = useSession()
  const agents = useQuery({ queryKey: ['agents'], queryFn: ({ signal }) => client.agents.list({ signal }) })
  const newest = useQuery({
    queryKey: ['labels-of-runs'],
    queryFn: ({ signal }) => client.runs.list({ limit: newestRuns }, { signal }),
    staleTime: 60_000,
  })
  const runs = newest.data?.runs ?? []
  return {
    agent: (agents.data?.agents ?? []).map(({ name, description }) => ({
      value: name,
      note: visibleText(description),
    })),
    error: errorCodes,
    workspace_id: labelsOf(runs, 'workspace_id'),
    subject_id: labelsOf(runs, 'subject_id'),
  }
}
