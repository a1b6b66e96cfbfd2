// Several calls of one turn, decided with one answer.
import type { AwaitingInput } from '@runwright/contract'
import { ShownPartsProvider, useShownParts } from '../parts/values/shown-parts.ts'
import { CallChoices } from './call-choices.tsx'
import type { Draft } from './draft.ts'
import { type GivenPart, SubmitForm } from './submit-form.tsx'
import { useAreGrave } from './use-is-grave.ts'

interface CallsPartProps extends GivenPart {
  readonly wait: AwaitingInput
  readonly draft: Draft
  readonly onDraft: (draft: Draft) => void
}

/** The calls of the turn, each with its own choice. All of them must have been on the screen before any is approved. */
export function CallsPart(props: CallsPartProps) {
  const { wait, draft, onDraft, care } = props
  const { parts, unseen, offScreen, showAll } = useShownParts()
  const calls = wait.calls ?? []
  const approved = calls.filter(({ call_id }) => draft.calls[call_id]?.kind === 'approve')
  const isGrave = useAreGrave(approved.map(({ tool }) => tool))
  const careOfAll = {
    isGrave,
    unseen: care.unseen + unseen,
    offScreen: care.offScreen + offScreen,
    onShowAll: offScreen > 0 ? showAll : care.onShowAll,
  }
  return (
    <SubmitForm {...props} care={careOfAll} mayCall={approved.length > 0} send="Send these decisions">
      {(problems) => (
        <>
          <ShownPartsProvider value={parts}>
            <CallChoices calls={calls} draft={draft} onDraft={onDraft} />
          </ShownPartsProvider>
          {problems.calls !== undefined && (
            <p role="alert" className="text-sm text-bad">
              {problems.calls}
            </p>
          )}
        </>
      )}
    </SubmitForm>
  )
}
