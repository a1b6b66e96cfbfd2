// The audit log: who did what, newest first, and whether its chain is whole.
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { Problem } from '../parts/errors/problem.tsx'
import { EmptyState } from '../parts/layout/empty-state.tsx'
import { Loading, Page } from '../parts/layout/page.tsx'
import { MissingScope } from '../session/missing-scope.tsx'
import { useSession } from '../session/session.ts'
import { AuditFilter } from './audit-filter.tsx'
import type { AuditSearch } from './audit-search.ts'
import { AuditTable } from './audit-table.tsx'
import { VerifyPanel } from './verify-panel.tsx'

const route = getRouteApi('/audit')

export function AuditView() {
  const { can } = useSession()
  const search = route.useSearch()
  if (can('audit:read')) return <AuditLog search={search} />
  return (
    <Page title="Audit log">
      <MissingScope scope="audit:read" allows="read who did what" />
    </Page>
  )
}

function AuditLog({ search }: { readonly search: AuditSearch }) {
  const [isVerifying, setVerifying] = useState(false)
  const actions = (
    <Button aria-expanded={isVerifying} onClick={() => setVerifying(!isVerifying)}>
      Verify the chain
    </Button>
  )
  return (
    <Page title="Audit log" actions={actions}>
      {isVerifying && <VerifyPanel />}
      <AuditFilter search={search} />
      <Entries search={search} />
    </Page>
  )
}

function Entries({ search }: { readonly search: AuditSearch }) {
  const { client } = useSession()
  const entries = useInfiniteQuery({
    queryKey: ['audit', search],
    queryFn: ({ signal, pageParam: cursor }) => client.audit.list({ ...search, ...(cursor && { cursor }) }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  })
  if (entries.isPending) return <Loading what="entries" />
  if (!entries.data) return <Problem error={entries.error} onRetry={() => void entries.refetch()} />
  const shown = entries.data.pages.flatMap((page) => page.entries)
  const isFiltered = Object.keys(search).length > 0
  return (
    <>
      {entries.error && <Problem error={entries.error} onRetry={() => void entries.refetch()} />}
      {shown.length === 0 ? (
        <EmptyState title={isFiltered ? 'No entry matches.' : 'Nothing is recorded yet.'} />
      ) : (
        <AuditTable entries={shown} />
      )}
      <div className="flex flex-wrap justify-center gap-2">
        {entries.hasNextPage && (
          <Button disabled={entries.isFetching} onClick={() => void entries.fetchNextPage()}>
            {entries.isFetchingNextPage ? 'Loading…' : 'Older entries'}
          </Button>
        )}
        <Button disabled={entries.isFetching} onClick={() => void entries.refetch()}>
          Refresh
        </Button>
      </div>
    </>
  )
}
