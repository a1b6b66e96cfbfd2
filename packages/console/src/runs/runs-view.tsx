// The page of the runs, newest first. The list changes by itself while it is open.
import { getRouteApi, Link } from '@tanstack/react-router'
import { Page } from '../parts/layout/page.tsx'
import { ActiveFilters } from './active-filters.tsx'
import { FilterBar } from './filter-bar.tsx'
import { RunList } from './run-list.tsx'
import { StatusChips } from './status-chips.tsx'
import { ViewBar } from './view-bar.tsx'

const route = getRouteApi('/runs')

export function RunsView() {
  const filter = route.useSearch()
  return (
    <Page title="Runs" actions={<NewRunLink />}>
      <StatusChips filter={filter} />
      <FilterBar filter={filter} />
      <ActiveFilters filter={filter} />
      <ViewBar filter={filter} />
      {/* Another filter is another list. */}
      <RunList key={JSON.stringify(filter)} filter={filter} />
    </Page>
  )
}

function NewRunLink() {
  return (
    <Link
      to="/create"
      className="min-h-9 rounded-md border border-accent bg-accent px-3 py-1.5 text-sm font-medium text-on-accent hover:brightness-110"
    >
      Create a run
    </Link>
  )
}
