// The page for a URL that has no page.
import { Link } from '@tanstack/react-router'
import { EmptyState } from '../parts/layout/empty-state.tsx'
import { Page } from '../parts/layout/page.tsx'

export function NotFound() {
  return (
    <Page title="Page not found">
      <EmptyState title="No page has this URL.">
        <Link to="/runs" className="font-medium text-accent underline">
          Go to the runs
        </Link>
      </EmptyState>
    </Page>
  )
}
