// Approve: one press, or for a grave call a hold or a chord. Not before all arguments were shown.
import { useState } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { HoldButton } from '../parts/controls/hold-button.tsx'
import { ShortcutButton } from '../parts/controls/shortcut-button.tsx'
import { plural } from '../parts/values/plural.ts'

/** What an answer needs before it can be given. */
export interface Care {
  /** The answer lets something happen that cannot be taken back. */
  readonly isGrave: boolean
  /** How many parts of the arguments have not been on the screen. */
  readonly unseen: number
  /** How many of these are not on the screen now, either. */
  readonly offScreen: number
  /** Shows the next of these. */
  readonly onShowAll: () => void
}

interface ApproveButtonProps {
  readonly name?: string
  readonly care: Care
  readonly disabled: boolean
  readonly hasLetter: boolean
  readonly hasChord: boolean
  readonly onApprove: () => void
}

/** Below the bar of decisions: to undo one has less time. */
const floating =
  'fixed inset-x-2 bottom-1 z-[5] mx-auto w-fit rounded-lg border border-warn/60 bg-surface px-2 py-1.5 shadow-lg'

export function ApproveButton(props: ApproveButtonProps) {
  const { name = 'Approve', care, disabled, hasLetter, hasChord, onApprove } = props
  const isBlocked = disabled || care.unseen > 0
  if (care.isGrave)
    return (
      <HoldButton name={name} hasShortcut={hasChord} disabled={isBlocked} onHeld={onApprove}>
        {name}
      </HoldButton>
    )
  return (
    <ShortcutButton
      shortcut={hasLetter ? 'a' : undefined}
      name={name}
      variant="primary"
      disabled={isBlocked}
      onPress={onApprove}
    >
      {name}
    </ShortcutButton>
  )
}

/**
 * Says what is missing, and brings it into view, screen by screen. Once pressed, it stays in view itself. It comes and
 * goes while the person scrolls, so it stands below all buttons: above, it would move them away under the pointer.
 */
export function ShowAllFirst({ care: { offScreen, onShowAll } }: { readonly care: Care }) {
  const [isPressed, setPressed] = useState(false)
  if (offScreen === 0) return null
  const showNext = () => {
    setPressed(true)
    onShowAll()
  }
  return (
    <span className={`flex flex-wrap items-center gap-2 text-sm text-warn ${isPressed ? floating : ''}`}>
      <Button onClick={showNext}>Show all first</Button>
      {plural(offScreen, 'part')} of the arguments {offScreen === 1 ? 'was' : 'were'} not shown yet.
    </span>
  )
}
