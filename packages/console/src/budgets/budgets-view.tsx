// The budgets of the customer: set, change and delete them.
import type { Budget } from '@runwright/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { collect } from '../parts/collect.ts'
import { Button } from '../parts/controls/button.tsx'
import { ConfirmDialog } from '../parts/controls/confirm-dialog.tsx'
import { Problem } from '../parts/errors/problem.tsx'
import { EmptyState } from '../parts/layout/empty-state.tsx'
import { Loading, Page } from '../parts/layout/page.tsx'
import { announce } from '../parts/layout/status-line.tsx'
import { useKeptFocus } from '../parts/use-kept-focus.ts'
import { MissingScope } from '../session/missing-scope.tsx'
import { useSession } from '../session/session.ts'
import { BudgetBar, ownerOf } from '../usage/budgets.tsx'
import { referenceOf } from './budget-owner.ts'
import { SetBudgetDialog } from './set-budget-dialog.tsx'

export function BudgetsView() {
  const { can } = useSession()
  if (can('usage:read')) return <BudgetsPage />
  return (
    <Page title="Budgets">
      <MissingScope scope="usage:read" allows="read budgets" />
    </Page>
  )
}

type Opened =
  | { readonly action: 'set'; readonly budget?: Budget }
  | { readonly action: 'delete'; readonly budget: Budget }

function BudgetsPage() {
  const { client, can } = useSession()
  const [opened, setOpened] = useState<Opened>()
  const budgets = useQuery({
    queryKey: ['budgets', 'all'],
    queryFn: ({ signal }) => collect(client.budgets.all({ signal })),
    refetchInterval: 15_000,
  })
  const close = () => setOpened(undefined)
  const done = (text: string) => {
    close()
    announce(text)
    void budgets.refetch()
  }
  const canChange = can('keys:admin')
  const create = canChange && (
    <Button variant="primary" onClick={() => setOpened({ action: 'set' })}>
      Set a budget
    </Button>
  )
  return (
    <Page title="Budgets" actions={create}>
      <p className="-mt-2 max-w-prose text-muted">
        A budget limits the tokens that the customer, a workspace or a subject uses per UTC day or month. When it is
        used up, runs fail until the reset.
      </p>
      {budgets.error && <Problem error={budgets.error} onRetry={() => void budgets.refetch()} />}
      {budgets.isPending && <Loading what="budgets" />}
      {budgets.data?.length === 0 && <EmptyState title="No budget is set." />}
      {budgets.data && budgets.data.length > 0 && (
        <BudgetBars budgets={budgets.data} onOpen={canChange ? setOpened : undefined} />
      )}
      <SetBudgetDialog
        isOpen={opened?.action === 'set'}
        budget={opened?.budget}
        onClose={close}
        onDone={(budget) => done(`The budget of ${ownerOf(budget)} is set.`)}
      />
      {opened?.action === 'delete' && (
        <ConfirmDialog
          title="Delete the budget?"
          isOpen
          doLabel="Delete budget"
          action={() => client.budgets.delete(referenceOf(opened.budget))}
          onClose={close}
          onDone={() => done(`The budget of ${ownerOf(opened.budget)} is deleted.`)}
        >
          {ownerOf(opened.budget)} has no limit of its own then.
        </ConfirmDialog>
      )}
    </Page>
  )
}

interface BudgetBarsProps {
  readonly budgets: readonly Budget[]
  /** Left out for a key that may change none. */
  readonly onOpen: ((opened: Opened) => void) | undefined
}

function BudgetBars({ budgets, onOpen }: BudgetBarsProps) {
  const keptFocus = useKeptFocus<HTMLUListElement>()
  return (
    <ul {...keptFocus} aria-label="Budgets" tabIndex={-1} className="grid gap-3 md:grid-cols-2">
      {budgets.map((budget) => (
        <li key={budget.id} className="min-w-0 rounded-lg border border-line bg-surface px-4 py-3 wrap-anywhere">
          <BudgetBar {...budget} />
          {onOpen && <BudgetActions budget={budget} onOpen={onOpen} />}
        </li>
      ))}
    </ul>
  )
}

interface BudgetActionsProps {
  readonly budget: Budget
  readonly onOpen: (opened: Opened) => void
}

function BudgetActions({ budget, onOpen }: BudgetActionsProps) {
  return (
    <div className="mt-2 flex justify-between gap-2">
      <Button aria-label={`Change the budget of ${ownerOf(budget)}`} onClick={() => onOpen({ action: 'set', budget })}>
        Change
      </Button>
      <Button
        variant="danger"
        aria-label={`Delete the budget of ${ownerOf(budget)}`}
        onClick={() => onOpen({ action: 'delete', budget })}
      >
        Delete
      </Button>
    </div>
  )
}
