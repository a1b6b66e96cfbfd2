// What the list shows when no run matches the filter.
import { Link } from '@tanstack/react-router'
import { EmptyState } from '../parts/layout/empty-state.tsx'

/** A search looks at 10,000 runs at a time. */
export function NoMatch({ isMore }: { readonly isMore: boolean }) {
  return (
    <EmptyState title={isMore ? 'No run matches among the newest 10,000.' : 'No run matches.'}>
      <Link to="/runs" className="font-medium text-accent underline">
        Show all runs
      </Link>
    </EmptyState>
  )
}
