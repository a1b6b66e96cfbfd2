// Asks before a run is created once more: its tools are called again.
import type { ReactNode } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { Dialog, focusWhenOpened } from '../parts/controls/dialog.tsx'

interface RunAgainDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onYes: () => void
}

export function RunAgainDialog({ isOpen, onClose, onYes }: RunAgainDialogProps) {
  return (
    <Dialog title="Run this again?" isOpen={isOpen} onClose={onClose}>
      <p>
        A new run starts with the same request. It uses tokens, and calls its tools again: what was sent or paid once
        can be sent or paid twice.
      </p>
      <Choice keep="Do not run it" onKeep={onClose}>
        <Button variant="primary" onClick={onYes}>
          Run again
        </Button>
      </Choice>
    </Dialog>
  )
}

interface ChoiceProps {
  readonly keep: string
  readonly onKeep: () => void
  /** What changes something. It stands apart. */
  readonly children: ReactNode
}

export function Choice({ keep, onKeep, children }: ChoiceProps) {
  return (
    <div className="flex flex-wrap justify-between gap-3">
      {children}
      <Button ref={focusWhenOpened} onClick={onKeep}>
        {keep}
      </Button>
    </div>
  )
}
