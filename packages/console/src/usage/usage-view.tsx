// Usage over time: quantities, and costs if the operator has given prices. All periods are in UTC, as budgets and bills
// are.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { Problem } from '../parts/errors/problem.tsx'
import { EmptyState } from '../parts/layout/empty-state.tsx'
import { Loading, Page } from '../parts/layout/page.tsx'
import { saveFile } from '../parts/save-file.ts'
import { readableNumber } from '../parts/values/readable.ts'
import { MissingScope } from '../session/missing-scope.tsx'
import { useSession } from '../session/session.ts'
import { Budgets } from './budgets.tsx'
import { Costs } from './costs.tsx'
import { type Periods, periodsOf } from './periods.ts'
import { QuantitiesTable } from './quantities-table.tsx'
import { UsageChart } from './usage-chart.tsx'
import { UsageControls } from './usage-controls.tsx'
import { usageName } from './usage-names.ts'
import { exactly, type UsageSearch } from './usage-search.ts'
import { type ShownUsage, usageQueryOf, useUsage } from './use-usage.ts'

export function UsageView() {
  const { can } = useSession()
  const search = useSearch({ from: '/usage' })
  if (can('usage:read')) return <Usage search={search} />
  return (
    <Page title="Usage">
      <MissingScope scope="usage:read" allows="read usage and budgets" />
    </Page>
  )
}

function Usage({ search }: { readonly search: UsageSearch }) {
  const { granularity = 'day', until, type = 'tokens.consumed' } = search
  const periods = useMemo(() => periodsOf(granularity, until, new Date()), [granularity, until])
  const { data, error, refetch } = useUsage(search, periods, type)
  const queries = useQueryClient()
  const refresh = () => {
    refetch()
    void queries.invalidateQueries({ queryKey: ['model-tokens'] })
  }
  return (
    <Page title="Usage" actions={<Actions search={search} periods={periods} onRefresh={refresh} />}>
      <p className="-mt-2 text-muted">Hours, days and months are in UTC.</p>
      <UsageControls search={search} periods={periods} />
      {error && <Problem error={error} onRetry={refetch} />}
      {!data && !error && <Loading what="usage" />}
      {data && (
        <>
          <UsageTiles totals={data.types} current={type} search={search} />
          <Figures usage={data} search={search} type={type} />
        </>
      )}
      <Costs search={search} periods={periods} />
      <Budgets />
    </Page>
  )
}

interface ActionsProps {
  readonly search: UsageSearch
  readonly periods: Periods
  readonly onRefresh: () => void
}

function Actions({ search, periods, onRefresh }: ActionsProps) {
  const { client } = useSession()
  const query = { ...usageQueryOf(search, periods), ...(search.split && { group_by: [search.split] }) }
  const download = useMutation({
    mutationFn: () => client.usage.csv(query),
    onSuccess: (csv) => saveFile(`usage-by-${query.granularity}-until-${periods.names.at(-1)}.csv`, csv, 'text/csv'),
  })
  return (
    <div className="flex flex-wrap items-center gap-2">
      {download.error && <Problem error={download.error} />}
      <Button disabled={download.isPending} onClick={() => download.mutate()}>
        Download CSV
      </Button>
      <Button onClick={onRefresh}>Refresh</Button>
    </div>
  )
}

const splitWords = { workspace_id: ' and workspace', subject_id: ' and subject' } as const

interface FiguresProps {
  readonly usage: ShownUsage
  readonly search: UsageSearch
  readonly type: string
}

function Figures({ usage: { labels, types, chart }, search, type }: FiguresProps) {
  const { granularity = 'day', split } = search
  if (types.every(({ total }) => total === 0)) {
    return <EmptyState title="Nothing was metered in this time." />
  }
  const title = `${usageName(type)} by ${granularity}${split ? splitWords[split] : ''}`
  return (
    <>
      <UsageChart title={title} labels={labels} columns={chart} />
      <QuantitiesTable
        caption={split ? title : `Quantities by ${granularity} and event type`}
        labels={labels}
        columns={split ? chart : types}
      />
    </>
  )
}

interface UsageTilesProps {
  readonly totals: readonly { readonly type: string; readonly total: number }[]
  readonly current: string
  readonly search: UsageSearch
}

/** The totals by event type. A tile selects what the chart shows. */
function UsageTiles({ totals, current, search }: UsageTilesProps) {
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
