// Links from a run to what is made of it: a fork, and a comparison with another run.
import type { RunDetail } from '@runwright/contract'
import { Link } from '@tanstack/react-router'
import { linkButton } from '../parts/controls/link-button.ts'
import { useSession } from '../session/session.ts'

type ForkedRun = Pick<RunDetail, 'id' | 'forked_from'>

export function RunLinks({ run }: { readonly run: ForkedRun }) {
  const { can } = useSession()
  const origin = run.forked_from?.run_id
  return (
    <>
      {can('runs:write') && (
        <Link to="/runs/$runId/fork" params={{ runId: run.id }} className={linkButton('plain')}>
          Fork
        </Link>
      )}
      <Link
        to="/compare"
        search={origin === undefined ? { left: run.id } : { left: origin, right: run.id }}
        className={linkButton('plain')}
      >
        Compare
      </Link>
    </>
  )
}
