// Who may decide, and who has decided so far.
import { type AwaitingInput, channelWords, visibleText } from '@runwright/contract'
import { Instant } from '../parts/values/instant.tsx'

const list = (roles: readonly string[]) => roles.map(visibleText).join(', ')

const verbs = { approve: 'approved', reject: 'rejected', submit_input: 'answered' } as const

export function Approvers({ wait }: { readonly wait: AwaitingInput }) {
  const { approvers = null, approvals = 1, not_requester, reauth, escalates_at, escalate_to, decisions = [] } = wait
  const isOpenToAll = approvers === null && approvals < 2 && !not_requester && !reauth
  if (isOpenToAll && decisions.length === 0) return null
  return (
    <section aria-label="Who decides" className="flex flex-col gap-1 text-sm">
      <p>
        {approvals > 1 ? `${approvals} different people must agree` : 'One person decides'}
        {approvers !== null && `, with one of the roles ${list(approvers)}`}
        {not_requester && ', and not who created the run'}.
        {reauth && ' Who decides must have signed in again within the last 5 minutes.'}
        {escalates_at && escalate_to && (
          <>
            {' '}
            From <Instant at={escalates_at} /> on, {list(escalate_to)} may decide, too.
          </>
        )}
      </p>
      {decisions.length > 0 && (
        <ul aria-label="Decided so far" className="flex flex-col gap-0.5">
          {decisions.map(({ at, action, key_id, key_name, person, via }) => (
            <li key={`${key_id} ${at}`} className="wrap-anywhere">
              <span title={key_id}>{visibleText(person ?? key_name ?? key_id)}</span> {verbs[action]} it
              {channelWords(via)}, <Instant at={at} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
