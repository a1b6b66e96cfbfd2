// The ways to answer. Which there are depends on the question; each opens its part below the buttons. What fails the
// run stands apart from what lets it go on.
import type { AwaitingInput } from '@runwright/contract'
import { Button } from '../parts/controls/button.tsx'
import { ShortcutButton } from '../parts/controls/shortcut-button.tsx'
import { AnswerPart } from './answer-part.tsx'
import { type DraftPart, hasApprove, nameOf, partsOf } from './answer-parts.ts'
import { ApproveButton, type Care, ShowAllFirst } from './approve-button.tsx'
import type { Answer } from './decisions/decision-box.ts'
import type { Draft } from './draft.ts'

interface AnswerControlsProps {
  readonly wait: AwaitingInput
  readonly draft: Draft
  readonly onDraft: (draft: Draft) => void
  /** Somebody else answered. */
  readonly isLate: boolean
  readonly hasShortcuts: boolean
  readonly care: Care
  readonly onAnswer: (answer: Answer) => void
}

/** Their forms say themselves which arguments were not shown. */
const partsThatCall: ReadonlySet<DraftPart> = new Set(['arguments', 'data'])

export function AnswerControls(props: AnswerControlsProps) {
  const { wait, draft, onDraft, isLate, hasShortcuts, care, onAnswer } = props
  const openPart = (open: DraftPart) => onDraft({ ...draft, open: draft.open === open ? undefined : open })
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-3">
        {hasApprove(wait) && (
          <ApproveButton
            care={care}
            disabled={isLate}
            hasLetter={hasShortcuts}
            // A part that is open has the chord: only one button of a page may have it.
            hasChord={hasShortcuts && draft.open === undefined}
            onApprove={() => onAnswer({ action: 'approve' })}
          />
        )}
        {partsOf(wait).map((part) => (
          <Button
            key={part}
            variant="quiet"
            disabled={isLate}
            aria-expanded={draft.open === part}
            onClick={() => openPart(part)}
          >
            {nameOf(part, wait)}…
          </Button>
        ))}
        <span className="ml-auto border-l border-line pl-4">
          <ShortcutButton
            shortcut={hasShortcuts ? 'r' : undefined}
            name="Reject"
            variant="danger"
            disabled={isLate}
            aria-expanded={draft.open === 'reason'}
            onPress={() => openPart('reason')}
          >
            {nameOf('reason', wait)}…
          </ShortcutButton>
        </span>
      </div>
      {draft.open !== undefined && <AnswerPart {...props} part={draft.open} />}
      {hasApprove(wait) && !isLate && !(draft.open && partsThatCall.has(draft.open)) && <ShowAllFirst care={care} />}
    </div>
  )
}
