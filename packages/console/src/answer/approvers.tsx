// Who may decide, and who has decided what so far.
import { type AwaitingInput, type Decision, visibleText } from '@runwright/contract'
import { Button } from '../parts/controls/button.tsx'
import { Instant } from '../parts/values/instant.tsx'
import { useSession } from '../session/session.ts'
import { AnswerWords } from './answer-record.tsx'
import type { Draft } from './draft.ts'
import { sameDraft } from './same-answer.ts'

const list = (roles: readonly string[]) => roles.map(visibleText).join(', ')

interface ApproversProps {
  readonly wait: AwaitingInput
  /** Opens the answer that somebody has given, so that this person can give it, too. */
  readonly onSame?: ((draft: Draft) => void) | undefined
}

export function Approvers({ wait, onSame }: ApproversProps) {
  const { approvers = null, approvals = 1, not_requester, reauth, escalates_at, escalate_to, decisions = [] } = wait
  const isOpenToAll = approvers === null && approvals < 2 && !not_requester && !reauth
  if (isOpenToAll && decisions.length === 0) return null
  return (
    <section aria-label="Who decides" className="flex flex-col gap-1 text-sm">
      <p>
        {approvals > 1 ? `${approvals} different people must give the same answer` : 'One person decides'}
        {approvers !== null && `, with one of the roles ${list(approvers)}`}
        {not_requester && ', and not who created the run'}.
        {approvals > 1 && ` One ${wait.tool === null ? 'rejection' : 'denial or rejection'} is enough.`}
        {reauth && ' Who decides must have signed in again within the last 5 minutes.'}
        {escalates_at && escalate_to && (
          <>
            {' '}
            From <Instant at={escalates_at} /> on, {list(escalate_to)} may decide, too.
          </>
        )}
      </p>
      <DecidedSoFar wait={wait} onSame={onSame} />
    </section>
  )
}

/** Each with what was edited and its data: others have to give the same answer. */
export function DecidedSoFar({ wait, onSame }: ApproversProps) {
  const { decisions = [] } = wait
  if (decisions.length === 0) return null
  return (
    <ul aria-label="Decided so far" className="flex flex-col gap-2 text-sm">
      {decisions.map((decision) => (
        <li key={`${decision.key_id} ${decision.at}`} className="flex flex-col gap-1">
          <AnswerWords signal={{ ...decision, asked: wait }} />
          {onSame && <SameAnswer wait={wait} decision={decision} onSame={onSame} />}
        </li>
      ))}
    </ul>
  )
}

interface SameAnswerProps {
  readonly wait: AwaitingInput
  readonly decision: Decision
  readonly onSame: (draft: Draft) => void
}

function SameAnswer({ wait, decision, onSame }: SameAnswerProps) {
  const { signedInKey } = useSession()
  const { person, key_name, key_id } = decision
  const isOwn = person === null ? key_id === signedInKey?.key_id : person === signedInKey?.person
  const draft = sameDraft(decision, wait)
  if (isOwn || !draft) return null
  return (
    <Button className="self-start" onClick={() => onSame(draft)}>
      Give the same answer as {visibleText(person ?? key_name ?? key_id)}…
    </Button>
  )
}
