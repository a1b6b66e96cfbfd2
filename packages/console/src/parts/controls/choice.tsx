// The two answers to a question of a dialog. What changes something stands apart, so that it is not pressed by mistake;
// the harmless answer has the focus.
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { focusWhenOpened } from './dialog.tsx'

interface ChoiceProps {
  readonly keep: string
  readonly onKeep: () => void
  /** What changes something. */
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
