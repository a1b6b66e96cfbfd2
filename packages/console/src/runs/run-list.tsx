// The runs of one filter: the table, its keyboard, what is selected, and older pages.
import type { ListedRun } from '@runwright/client'
import { Link, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { Problem } from '../parts/errors/problem.tsx'
import { EmptyState } from '../parts/layout/empty-state.tsx'
import { Skeleton } from '../parts/layout/skeleton.tsx'
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
      <Older list={list} />
    </>
  )
}

function Runs({ runs }: { readonly runs: readonly ListedRun[] }) {
  const { can } = useSession()
  const table = useRef<HTMLTableElement>(null)
  const selection = useSelection(runs)
  const [started, setStarted] = useState<{ readonly name: BulkName; readonly runs: readonly ListedRun[] }>()
  const { goBack } = useListKeys(table, runs, selection)
  const isBarShown = selection.runs.length > 0
  useEndOf(isBarShown || started !== undefined, goBack)
  const close = () => {
    setStarted(undefined)
    selection.clear()
  }
  return (
    <>
      {runs.length > 0 && (
        <RunsTable
          runs={runs}
          selection={can('runs:write') || can('runs:admin') ? selection : undefined}
          table={table}
        />
      )}
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

const useListKeys = (
  table: React.RefObject<HTMLTableElement | null>,
  runs: readonly ListedRun[],
  selection: Selection,
) => {
  const navigate = useNavigate()
  const rowKeys = useRowKeys(table, { what: 'run' })
  const { current } = rowKeys
  const currentRun = () => {
    const id = current()?.getAttribute('data-row')
    return runs.find((run) => run.id === id)
  }
  useShortcut('x', 'Select the run', () => {
    current()?.querySelector<HTMLElement>('input[type=checkbox]')?.click()
  })
  useShortcut('a', 'Answer the run in the inbox', () => {
    const run = currentRun()
    if (run?.awaiting_input) void navigate({ to: '/inbox', search: { run: run.id } })
  })
  useShortcut('Escape', 'Select no run', selection.clear)
  return rowKeys
}

function Older({ list }: { readonly list: ReturnType<typeof useRunList> }) {
  const { olderSince, loadOlder, isLoadingOlder, forgetOlder } = list
  return (
    <div className="flex flex-col items-center gap-2">
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
    </div>
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
