// The totals by event type. A tile selects what the chart shows.
import { Link } from '@tanstack/react-router'
import { readableNumber } from '../parts/values/readable.ts'
import { usageName } from './usage-names.ts'
import { exactly, type UsageSearch } from './usage-search.ts'

interface UsageTilesProps {
  readonly totals: readonly { readonly type: string; readonly total: number }[]
  readonly current: string
  readonly search: UsageSearch
}

export function UsageTiles({ totals, current, search }: UsageTilesProps) {
  return (
    <nav aria-label="Event type">
      <ul className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        {totals.map(({ type, total }) => (
          <li key={type} className="min-w-0">
            <Link
              to="/usage"
              search={{ ...search, type }}
              aria-current={type === current || undefined}
              activeOptions={exactly}
              className="block rounded-lg border border-line bg-surface px-4 py-3 hover:border-edge aria-[current]:border-accent aria-[current]:bg-accent/8"
            >
              <span className="block text-sm text-muted wrap-anywhere">{usageName(type)}</span>
              <span className="block text-xl font-semibold tabular-nums wrap-anywhere">{readableNumber(total)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
