// One of several choices of the usage page. Each is a link, because it is in the URL.
import { Link } from '@tanstack/react-router'
import { exactly, type UsageSearch, usageSearchOf } from './usage-search.ts'

/** Undefined removes a part of the search. */
type Change = { readonly [Name in keyof UsageSearch]?: UsageSearch[Name] | undefined }

export const changed = (search: UsageSearch, change: Change): UsageSearch => usageSearchOf({ ...search, ...change })

const segmentClass =
  'block px-3 py-1.5 text-sm text-muted hover:text-ink aria-[current]:bg-sunken aria-[current]:font-medium aria-[current]:text-ink'

interface SegmentsProps {
  readonly label: string
  readonly choices: readonly { readonly name: string; readonly search: UsageSearch; readonly isCurrent: boolean }[]
}

export function Segments({ label, choices }: SegmentsProps) {
  return (
    <nav aria-label={label}>
      <ul className="flex w-fit max-w-full flex-wrap overflow-hidden rounded-md border border-line bg-surface">
        {choices.map(({ name, search, isCurrent }) => (
          <li key={name}>
            <Link
              to="/usage"
              search={search}
              // The choice is made in the middle of the page.
              resetScroll={false}
              aria-current={isCurrent || undefined}
              activeOptions={exactly}
              className={segmentClass}
            >
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
