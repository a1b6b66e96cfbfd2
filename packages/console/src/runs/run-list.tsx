// The runs of one filter: the table, its keyboard, what is selected, and older pages.
import type { ListedRun } from '@runwright/client'
import { Link, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { Problem } from '../parts/errors/problem.tsx'
import { EmptyState } from '../parts/layout/empty-state.tsx'
import { Skeleton } from '../parts/layout/skeleton.tsx'
import { useKeptFocus } from '../parts/use-kept-focus.ts'
import { Instant } from '../parts/values/instant.tsx'
import { useSession } from '../session/session.ts'
import { useShortcut } from '../shell/shortcuts.ts'
import { type BulkName, bulkActions } from './bulk-actions.ts'
import { BulkDialog } from './bulk-dialog.tsx'
import { Reconnecting } from './reconnecting.tsx'
import type { RunFilter } from './run-filter.ts'
import { RunsTable } from './runs-table.tsx'
import { type Selection, useSelection } from './selection.ts'
import { SelectionBar } from './selection-bar.tsx'
import { type CurrentRow, useCurrentRow } from './use-current-row.ts'
import { useRowKeys } from './use-row-keys.ts'
import { useRunList } from './use-run-list.ts'

// Loaded only by those who need it: the courses are long texts.
const FirstRun = lazy(() => import('./first-run.tsx').then(({ FirstRun: component }) => ({ default: component })))

export function RunList({ filter }: { readonly filter: RunFilter }) {
  const list = useRunList(filter)
  const { runs, error, retry, loadOlder, isReconnecting } = list
  return (
    <>
      {isReconnecting && <Reconnecting />}
      {error !== undefined && error !== null && <Problem error={error} onRetry={retry} />}
      {!runs && !error && <Skeleton what="runs" lines={8} />}
      {runs && <Runs runs={runs} />}
      {runs?.length === 0 && Object.keys(filter).length > 0 && <NoMatch isMore={loadOlder !== undefined} />}
      {runs?.length === 0 && Object.keys(filter).length === 0 && (
        <Suspense fallback={<Skeleton what="examples" />}>
          <FirstRun />
        </Suspense>
      )}
      {(loadOlder || list.olderSince !== undefined) && <Older list={list} />}
    </>
  )
}

function Runs({ runs }: { readonly runs: readonly ListedRun[] }) {
  const row = useCurrentRow<HTMLTableElement>()
  const selection = useSelection(runs)
  const [started, setStarted] = useState<{ readonly name: BulkName; readonly runs: readonly ListedRun[] }>()
  const isBarShown = selection.runs.length > 0
  useEndOf(isBarShown || started !== undefined, row.goBack)
  const close = (isBegun: boolean) => {
    setStarted(undefined)
    if (isBegun) selection.clear()
  }
  return (
    <>
      {runs.length > 0 && <Rows runs={runs} selection={selection} row={row} />}
      {isBarShown && (
        <SelectionBar selection={selection} onStart={(name, chosen) => setStarted({ name, runs: chosen })} />
      )}
      {started && <BulkDialog action={bulkActions[started.name]} runs={started.runs} onClose={close} />}
    </>
  )
}

/** Does something once this is no longer so. */
const useEndOf = (isSo: boolean, action: () => void) => {
  const wasSo = useRef(false)
  useEffect(() => {
    if (wasSo.current && !isSo) action()
    wasSo.current = isSo
  })
}

interface RowsProps {
  readonly runs: readonly ListedRun[]
  readonly selection: Selection
  readonly row: CurrentRow<HTMLTableElement>
}

function Rows(props: RowsProps) {
  const { runs, selection, row } = props
  const { can } = useSession()
  useListKeys(props)
  return (
    <RunsTable runs={runs} selection={can('runs:write') || can('runs:admin') ? selection : undefined} list={row.list} />
  )
}

const useListKeys = ({ runs, selection, row }: RowsProps) => {
  const navigate = useNavigate()
  useRowKeys(row, { what: 'run' })
  const currentRun = () => {
    const id = row.find()?.getAttribute('data-row')
    return runs.find((run) => run.id === id)
  }
  useShortcut('x', 'Select the run', () => {
    row.find()?.querySelector<HTMLElement>('input[type=checkbox]')?.click()
  })
  useShortcut('a', 'Answer the run in the inbox', () => {
    const run = currentRun()
    if (run?.awaiting_input) void navigate({ to: '/inbox', search: { run: run.id } })
  })
  useShortcut('Escape', 'Select no run', selection.clear)
}

function Older({ list }: { readonly list: ReturnType<typeof useRunList> }) {
  const { olderSince, loadOlder, isLoadingOlder, forgetOlder } = list
  // Both buttons go away when they have done their work.
  const keptFocus = useKeptFocus<HTMLElement>()
  return (
    <section {...keptFocus} aria-label="Older runs" tabIndex={-1} className="flex flex-col items-center gap-2">
      {loadOlder && (
        <Button disabled={isLoadingOlder} onClick={loadOlder}>
          {isLoadingOlder ? 'Loading…' : 'Load older runs'}
        </Button>
      )}
      {olderSince !== undefined && (
        <p className="text-sm text-muted">
          The newest 50 runs are live. Older ones are shown as of <Instant at={olderSince} />.{' '}
          <button type="button" className="text-accent underline" onClick={forgetOlder}>
            Hide them
          </button>
        </p>
      )}
    </section>
  )
}

/** What the list shows when no run matches the filter. A search looks at 10,000 runs at a time. */
function NoMatch({ isMore }: { readonly isMore: boolean }) {
  return (
    <EmptyState title={isMore ? 'No run matches among the newest 10,000.' : 'No run matches.'}>
      <Link to="/runs" className="font-medium text-accent underline">
        Show all runs
      </Link>
    </EmptyState>
  )
}
