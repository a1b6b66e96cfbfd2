// Reads the usage of the shown periods: by event type, and split by a label if asked for.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useSession } from '../session/session.ts'
import { type Periods, periodLabel } from './periods.ts'
import { shownTypes, usageName } from './usage-names.ts'
import type { Split, UsageSearch } from './usage-search.ts'
import { type Column, columnOf, splitColumns } from './usage-series.ts'

const withoutLabel: Readonly<Record<Split, string>> = { workspace_id: 'no workspace', subject_id: 'no subject' }

/** The query of the API for what the page shows, without the split. */
export const usageQueryOf = ({ granularity, workspace_id, subject_id }: UsageSearch, { start, end }: Periods) => ({
  granularity: granularity ?? 'day',
  start,
  end,
  ...(workspace_id !== undefined && { workspace_id }),
  ...(subject_id !== undefined && { subject_id }),
})

const useRows = (query: ReturnType<typeof usageQueryOf>, split?: { readonly by: Split; readonly type: string }) => {
  const { client } = useSession()
  const whole = { ...query, ...(split && { group_by: [split.by], event_type: split.type }) }
  return useQuery({
    queryKey: ['usage', whole],
    queryFn: ({ signal }) => client.usage.get(whole, { signal }),
    placeholderData: keepPreviousData,
  })
}

export interface ShownUsage {
  readonly labels: readonly string[]
  /** One column per event type. */
  readonly types: readonly (Column & { readonly type: string })[]
  /** What the chart shows: one event type, or one column per label. */
  readonly chart: readonly Column[]
}

export const useUsage = (search: UsageSearch, periods: Periods, type: string) => {
  const query = usageQueryOf(search, periods)
  const granularity = query.granularity
  const all = useRows(query)
  const split = useRows(query, search.split && { by: search.split, type })
  const by = search.split
  const data = useMemo<ShownUsage | undefined>(() => {
    if (!all.data || !split.data) return undefined
    const { names } = periods
    const rows = all.data.usage
    const types = shownTypes(rows.map((row) => row.event_type)).map((one) => ({
      type: one,
      ...columnOf(
        usageName(one),
        rows.filter(({ event_type }) => event_type === one),
        names,
      ),
    }))
    const single = types.filter((one) => one.type === type)
    const chart = by
      ? splitColumns(split.data.usage, { labelOf: (row) => row[by], without: withoutLabel[by], periods: names })
      : single
    return { labels: names.map((name) => periodLabel(granularity, name)), types, chart }
  }, [all.data, split.data, periods, granularity, type, by])
  const refetch = () => void Promise.all([all.refetch(), split.refetch()])
  return { data, error: all.error ?? split.error, refetch }
}
