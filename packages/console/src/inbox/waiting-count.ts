// How many runs wait for a person, for the navigation and the title of the tab.
import { useQuery } from '@tanstack/react-query'
import { useSession } from '../session/session.ts'

const refreshEveryMs = 15_000
const most = 50

interface WaitingCount {
  readonly count: number
  /** There are more than were counted. */
  readonly isMore: boolean
}

/** Undefined until it is known, and for a key that may not read runs. */
export const useWaitingCount = (): WaitingCount | undefined => {
  const { client, can } = useSession()
  const { data } = useQuery({
    queryKey: ['waiting-count'],
    queryFn: ({ signal }) => client.runs.list({ awaiting_input: true, limit: most }, { signal }),
    refetchInterval: refreshEveryMs,
    enabled: can('runs:read'),
  })
  return data && { count: data.runs.length, isMore: data.next_cursor !== null }
}
