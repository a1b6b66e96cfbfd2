// Sets a budget, or changes one.
import { type Budget, budgetPeriods, type PutBudget } from '@runwright/contract'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { Dialog } from '../parts/controls/dialog.tsx'
import { Field, inputClass } from '../parts/controls/field.tsx'
import { Problem } from '../parts/errors/problem.tsx'
import { readableNumber } from '../parts/values/readable.ts'
import { useSession } from '../session/session.ts'
import { ownerOf } from '../usage/budgets.tsx'
import { type OwnerKind, ownerFrom, referenceOf } from './budget-owner.ts'

interface SetBudgetDialogProps {
  readonly isOpen: boolean
  /** The one that is changed. */
  readonly budget: Budget | undefined
  readonly onClose: () => void
  readonly onDone: (budget: Budget) => void
}

export function SetBudgetDialog({ isOpen, budget, onClose, onDone }: SetBudgetDialogProps) {
  const title = budget ? `Change the budget: ${ownerOf(budget)}` : 'Set a budget'
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose}>
      <SetBudgetForm budget={budget} onClose={onClose} onDone={onDone} />
    </Dialog>
  )
}

const ownerLabels: Readonly<Record<OwnerKind, string>> = {
  customer: 'All usage of the customer',
  workspace: 'A workspace',
  subject: 'A subject',
}

function SetBudgetForm({ budget, onClose, onDone }: Omit<SetBudgetDialogProps, 'isOpen'>) {
  const { client } = useSession()
  const [kind, setKind] = useState<OwnerKind>('customer')
  const [id, setId] = useState('')
  const [period, setPeriod] = useState<PutBudget['period']>((budget?.period as PutBudget['period']) ?? 'month')
  const [tokens, setTokens] = useState(budget ? String(budget.tokens) : '')
  const set = useMutation({
    mutationFn: (body: PutBudget) =>
      client.budgets.put(budget ? referenceOf(budget) : ownerFrom(kind, id.trim()), body),
    onSuccess: (result) => onDone(result.budget),
  })
  const count = /^\d{1,15}$/.test(tokens.trim()) ? Number(tokens.trim()) : undefined
  const isWhole = count !== undefined && (budget !== undefined || kind === 'customer' || id.trim() !== '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (count !== undefined) set.mutate({ period, tokens: count })
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      {!budget && <OwnerFields kind={kind} onKind={setKind} id={id} onId={setId} />}
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label="Tokens"
          hint={count === undefined ? 'A whole number. 0 stops every run.' : `${readableNumber(count)} per ${period}`}
          error={tokens !== '' && count === undefined ? 'Enter a whole number.' : undefined}
        >
          {(field) => (
            <input
              {...field}
              inputMode="numeric"
              autoComplete="off"
              className={inputClass}
              value={tokens}
              onChange={(event) => setTokens(event.target.value)}
            />
          )}
        </Field>
        <Field label="Period" hint="In UTC.">
          {(field) => (
            <select
              {...field}
              className={`${inputClass} h-9.5`}
              value={period}
              onChange={(event) => setPeriod(event.target.value as PutBudget['period'])}
            >
              {budgetPeriods.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          )}
        </Field>
      </div>
      {set.error && <Problem error={set.error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" disabled={!isWhole || set.isPending}>
          Set budget
        </Button>
      </div>
    </form>
  )
}

interface OwnerFieldsProps {
  readonly kind: OwnerKind
  readonly onKind: (kind: OwnerKind) => void
  readonly id: string
  readonly onId: (id: string) => void
}

function OwnerFields({ kind, onKind, id, onId }: OwnerFieldsProps) {
  return (
    <>
      <Field label="For" hint="A budget that exists is replaced.">
        {(field) => (
          <select
            {...field}
            className={`${inputClass} h-9.5`}
            value={kind}
            onChange={(event) => onKind(event.target.value as OwnerKind)}
          >
            {Object.entries(ownerLabels).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        )}
      </Field>
      {kind !== 'customer' && (
        <Field label={kind === 'workspace' ? 'Workspace id' : 'Subject id'}>
          {(field) => (
            <input
              {...field}
              maxLength={128}
              autoComplete="off"
              className={inputClass}
              value={id}
              onChange={(event) => onId(event.target.value)}
            />
          )}
        </Field>
      )}
    </>
  )
}
