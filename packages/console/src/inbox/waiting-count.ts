// How many runs wait for a person, for the navigation and the title of the tab. It is a short request now and then, not
// a stream: every page has it, and a browser opens only six connections to a host.
import { useQuery } from '@tanstack/react-query'
import { useSession } from '../session/session.ts'

const refreshEveryMs = 5_000
const refreshHiddenEveryMs = 15_000

/** Undefined until it is known, and for a key that may not read runs. */
export const useWaitingCount = (): number | undefined => {
  const { client, can } = useSession()
  const { data } = useQuery({
    // The list of runs without a filter shows the same counts.
    queryKey: ['run-counts', {}],
    queryFn: ({ signal }) => client.runs.count({}, { signal }),
    enabled: can('runs:read'),
    refetchInterval: () => (document.visibilityState === 'visible' ? refreshEveryMs : refreshHiddenEveryMs),
    // The title of a hidden tab shows the count too.
    refetchIntervalInBackground: true,
  })
  return data?.counts.awaiting_input
}
