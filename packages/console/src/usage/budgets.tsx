// The budgets: tokens used against the limit of the current UTC day or month.
import { type Budget, visibleText } from '@runwright/contract'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Button } from '../parts/controls/button.tsx'
import { Problem } from '../parts/errors/problem.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { Bar } from '../parts/values/bar.tsx'
import { Countdown } from '../parts/values/duration.tsx'
import { readableNumber } from '../parts/values/readable.ts'
import { useSession } from '../session/session.ts'

export const ownerOf = ({ workspace_id, subject_id }: Budget): string => {
  if (workspace_id !== null) return `Workspace ${visibleText(workspace_id)}`
  return subject_id === null ? 'All usage' : `Subject ${visibleText(subject_id)}`
}

export function Budgets() {
  const { client } = useSession()
  const budgets = useInfiniteQuery({
    queryKey: ['budgets'],
    queryFn: ({ signal, pageParam: cursor }) => client.budgets.list({ cursor }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  })
  if (budgets.error) return <Problem error={budgets.error} onRetry={() => void budgets.refetch()} />
  if (!budgets.data) return null
  const shown = budgets.data.pages.flatMap((page) => page.budgets)
  return (
    <Panel
      title="Budgets"
      aside={
        <Link to="/budgets" className="text-sm text-accent underline">
          All budgets
        </Link>
      }
    >
      {shown.length === 0 ? (
        <p className="text-sm text-muted">No budget is set. A budget limits the tokens per day or month.</p>
      ) : (
        <ul className="grid gap-x-8 gap-y-4 sm:grid-cols-2">
          {shown.map((budget) => (
            <li key={budget.id} className="min-w-0 wrap-anywhere">
              <BudgetBar {...budget} />
            </li>
          ))}
        </ul>
      )}
      {budgets.hasNextPage && (
        <Button className="mt-3" disabled={budgets.isFetching} onClick={() => void budgets.fetchNextPage()}>
          More budgets
        </Button>
      )}
    </Panel>
  )
}

export function BudgetBar(budget: Budget) {
  const { used, tokens, period, resets_at } = budget
  return (
    <>
      <Bar label={ownerOf(budget)} value={used} limit={tokens} format={readableNumber} />
      <p className="mt-1 text-xs text-muted">
        {used >= tokens ? 'Used up: runs fail until the reset. ' : ''}
        Tokens of this {period}, <Countdown until={resets_at} /> until the reset
      </p>
    </>
  )
}
