// The statuses as links, each with the number of its runs. A link can be bookmarked, and undone with "back".
import type { RunCounts } from '@runwright/client'
import type { RunStatus } from '@runwright/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { readable, readableNumber } from '../parts/values/readable.ts'
import { useSession } from '../session/session.ts'
import { queryOf, type RunFilter, without } from './run-filter.ts'

type Choice = Pick<RunFilter, 'status' | 'awaiting_input'>

interface Chip {
  readonly name: string
  readonly choice: Choice
  readonly count?: keyof RunCounts['counts']
  readonly dot?: string
}

/** In the order in which they need attention. */
const dots: Readonly<Record<RunStatus, string>> = {
  running: 'bg-info',
  queued: 'bg-muted',
  stalled: 'bg-warn',
  failed: 'bg-bad',
  succeeded: 'bg-good',
  cancelled: 'bg-muted',
}

const ofStatus = ([status, dot]: [RunStatus, string]): Chip => ({
  name: readable(status),
  choice: { status },
  count: status,
  dot,
})

/** A run that awaits input is `running`, so that is a choice of its own. */
const chips: readonly Chip[] = [
  { name: 'all', choice: {} },
  { name: readable('awaiting_input'), choice: { awaiting_input: 'true' }, count: 'awaiting_input', dot: 'bg-warn' },
  ...(Object.entries(dots) as [RunStatus, string][]).map(ofStatus),
]

export function StatusChips({ filter }: { readonly filter: RunFilter }) {
  const counts = useRunCounts(filter)
  const rest = without(filter, 'status', 'awaiting_input')
  return (
    <nav aria-label="Filter by status">
      <ul className="flex flex-wrap gap-1.5">
        {chips.map(({ name, choice, count, dot }) => (
          <li key={name}>
            <Link
              to="/runs"
              search={{ ...rest, ...choice }}
              activeOptions={{ exact: true, includeSearch: true }}
              className="flex items-center gap-1.5 rounded-full border border-line bg-surface px-2.5 py-1 text-sm hover:border-edge aria-[current=page]:border-accent aria-[current=page]:bg-accent/12 aria-[current=page]:font-medium"
            >
              {dot && <span aria-hidden="true" className={`size-1.5 rounded-full ${dot}`} />}
              <span className="first-letter:uppercase">{name}</span>
              {count && counts && <ChipCount counts={counts} of={count} />}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function ChipCount({ counts, of }: { readonly counts: RunCounts; readonly of: keyof RunCounts['counts'] }) {
  const count = counts.counts[of]
  if (count === 0) return null
  return (
    <span className="text-muted tabular-nums">
      {readableNumber(count)}
      {!counts.complete && '+'}
    </span>
  )
}

const refreshEveryMs = 5_000

/**
 * How many runs there are of each status. Read every few seconds: also runs that are not on the page are counted.
 * Undefined for filters by which the service does not count.
 */
const useRunCounts = (filter: RunFilter): RunCounts | undefined => {
  const { client } = useSession()
  const { q, agent, error, status: _status, awaiting_input: _waiting, ...counted } = filter
  const { data } = useQuery({
    queryKey: ['run-counts', counted],
    queryFn: ({ signal }) => {
      const { status: _none, ...query } = queryOf(counted, Date.now())
      return client.runs.count(query, { signal })
    },
    refetchInterval: refreshEveryMs,
    enabled: q === undefined && agent === undefined && error === undefined,
  })
  return q === undefined && agent === undefined && error === undefined ? data : undefined
}
