// What the page shows: granularity, split, labels and period. Each choice is in the URL, so it can be bookmarked.
import { type Granularity, granularities } from '@runwright/contract'
import { Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { inputClass } from '../parts/controls/field.tsx'
import { type Periods, rangeLabel } from './periods.ts'
import { changed, Segments } from './segments.tsx'
import type { UsageSearch } from './usage-search.ts'

const granularityNames: Readonly<Record<Granularity, string>> = { hour: 'Hours', day: 'Days', month: 'Months' }

interface UsageControlsProps {
  readonly search: UsageSearch
  readonly periods: Periods
}

export function UsageControls({ search, periods }: UsageControlsProps) {
  const current = search.granularity ?? 'day'
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
      <Segments
        label="Granularity"
        choices={granularities.map((granularity) => ({
          name: granularityNames[granularity],
          search: changed(search, { granularity, until: undefined }),
          isCurrent: granularity === current,
        }))}
      />
      <Segments
        label="Split by"
        choices={[
          { name: 'All', search: changed(search, { split: undefined }), isCurrent: search.split === undefined },
          ...(
            [
              ['workspace_id', 'By workspace'],
              ['subject_id', 'By subject'],
            ] as const
          ).map(([split, name]) => ({
            name,
            search: changed(search, { split }),
            isCurrent: search.split === split,
          })),
        ]}
      />
      <LabelFilter search={search} />
      <PeriodLinks search={search} periods={periods} />
    </div>
  )
}

function PeriodLinks({ search, periods }: UsageControlsProps) {
  const link = 'rounded-md border border-line bg-surface px-2.5 py-1.5 hover:border-edge'
  return (
    <div className="flex flex-wrap items-center gap-2 text-sm">
      <Link to="/usage" search={changed(search, { until: periods.earlier })} className={link}>
        Earlier
      </Link>
      {periods.later !== undefined && (
        <Link to="/usage" search={changed(search, { until: periods.later })} className={link}>
          Later
        </Link>
      )}
      <span className="text-muted">{rangeLabel(periods)} (UTC)</span>
    </div>
  )
}

/** The filters are sent on Enter: each letter would be a request. */
function LabelFilter({ search }: { readonly search: UsageSearch }) {
  const navigate = useNavigate()
  const [workspace_id, setWorkspace] = useState(search.workspace_id ?? '')
  const [subject_id, setSubject] = useState(search.subject_id ?? '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void navigate({ to: '/usage', search: changed(search, { workspace_id, subject_id }) })
  }
  return (
    <form onSubmit={submit} className="flex flex-wrap items-center gap-2">
      <input
        aria-label="Workspace"
        placeholder="Workspace"
        type="search"
        autoComplete="off"
        className={`${inputClass} sm:max-w-40`}
        value={workspace_id}
        onChange={(event) => setWorkspace(event.target.value)}
      />
      <input
        aria-label="Subject"
        placeholder="Subject"
        type="search"
        autoComplete="off"
        className={`${inputClass} sm:max-w-40`}
        value={subject_id}
        onChange={(event) => setSubject(event.target.value)}
      />
      <Button type="submit">Filter</Button>
    </form>
  )
}
