// The form of a part of the answer, with the button that gives it. If the answer lets the call be made, the button is
// as careful as the one that approves.
import { type FormEvent, type ReactNode, useState } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { HoldButton } from '../parts/controls/hold-button.tsx'
import { type Care, ShowAllFirst } from './approve-button.tsx'
import type { Answer } from './decisions/decision-box.ts'
import type { Problems, Submission } from './draft.ts'

/** What every part of the answer is told. */
export interface GivenPart {
  readonly isLate: boolean
  readonly hasShortcuts: boolean
  readonly care: Care
  /** The answer as it is entered. */
  readonly submission: () => Submission
  readonly onAnswer: (answer: Answer) => void
}

interface SubmitFormProps extends GivenPart {
  /** The answer lets the call be made. */
  readonly mayCall: boolean
  readonly send: string
  readonly isDanger?: boolean
  /** What must be entered is there. */
  readonly isReady?: boolean
  readonly children: (problems: Problems) => ReactNode
}

export function SubmitForm(props: SubmitFormProps) {
  const { mayCall, send, isDanger = false, isReady = true, isLate, hasShortcuts, care, children } = props
  const [problems, setProblems] = useState<Problems>({})
  const isBlocked = isLate || !isReady || (mayCall && care.unseen > 0)
  const isHeld = mayCall && care.isGrave
  const give = () => {
    const submission = props.submission()
    setProblems('problems' in submission ? submission.problems : {})
    if ('answer' in submission) props.onAnswer(submission.answer)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // Enter in a field must not do what the button does only when it is held.
    if (!isHeld && !isBlocked) give()
  }
  return (
    <form onSubmit={submit} noValidate className="flex max-w-2xl flex-col gap-3">
      {children(problems)}
      <span className="flex flex-wrap items-center gap-2">
        {isHeld ? (
          <HoldButton name={send} hasShortcut={hasShortcuts} disabled={isBlocked} onHeld={give}>
            {send}
          </HoldButton>
        ) : (
          <Button type="submit" variant={isDanger ? 'danger' : 'primary'} disabled={isBlocked}>
            {send}
          </Button>
        )}
      </span>
      {mayCall && !isLate && <ShowAllFirst care={care} />}
    </form>
  )
}
