// Asks before something that cannot be undone. The harmless answer has the focus.
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Problem } from '../errors/problem.tsx'
import { Button } from './button.tsx'
import { Choice } from './choice.tsx'
import { Dialog } from './dialog.tsx'

interface ConfirmDialogProps<Result> {
  readonly title: string
  readonly isOpen: boolean
  /** What happens, and what cannot be undone. */
  readonly children: ReactNode
  readonly keepLabel?: string
  readonly doLabel: string
  readonly action: () => Promise<Result>
  readonly onClose: () => void
  readonly onDone: (result: Result) => void
}

export function ConfirmDialog<Result>({ title, isOpen, onClose, ...rest }: ConfirmDialogProps<Result>) {
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose}>
      <Confirmation onClose={onClose} {...rest} />
    </Dialog>
  )
}

type ConfirmationProps<Result> = Omit<ConfirmDialogProps<Result>, 'title' | 'isOpen'>

function Confirmation<Result>(props: ConfirmationProps<Result>) {
  const { children, keepLabel = 'Keep it', doLabel, action, onClose, onDone } = props
  const work = useMutation({ mutationFn: action, onSuccess: onDone })
  return (
    <>
      <div className="wrap-anywhere">{children}</div>
      {work.error && <Problem error={work.error} />}
      <Choice keep={keepLabel} onKeep={onClose}>
        <Button variant="danger" disabled={work.isPending} onClick={() => work.mutate()}>
          {doLabel}
        </Button>
      </Choice>
    </>
  )
}
