// Who is signed in, and the sign-out.
import { visibleText } from '@runwright/contract'
import { useState } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { Icon } from '../parts/controls/icon.tsx'
import { Problem } from '../parts/errors/problem.tsx'
import { Instant } from '../parts/values/instant.tsx'
import { useSession } from './session.ts'
import type { SignedInKey } from './signed-in-key.ts'

export function Account() {
  const { signedInKey } = useSession()
  return (
    <div className="flex flex-col gap-2">
      {signedInKey && <Identity signedInKey={signedInKey} />}
      <SignOutButton />
      {signedInKey?.signs_in && <SignOutEverywhereButton />}
    </div>
  )
}

/** A key without a name is known by its person or its id. */
export const nameOf = ({ key_name, person, key_id }: SignedInKey): string => key_name ?? person ?? key_id

function Identity({ signedInKey }: { readonly signedInKey: SignedInKey }) {
  return (
    <details className="group rounded-md open:bg-sunken/70">
      <summary className="flex list-none items-center gap-2 rounded-md px-2 py-1.5 text-sm hover:bg-sunken [&::-webkit-details-marker]:hidden">
        <Icon name="person" className="text-muted" />
        <span className="min-w-0 flex-1 truncate">
          <span className="sr-only">Signed in as </span>
          {nameOf(signedInKey)}
        </span>
        <Icon name="down" className="text-muted group-open:rotate-180" />
      </summary>
      <IdentityDetails {...signedInKey} />
    </details>
  )
}

function IdentityDetails({ key_id, customer_id, person, scopes, expires_at }: SignedInKey) {
  const { keptFor } = useSession()
  return (
    <dl className="flex flex-col gap-2 px-2 pt-1 pb-2.5 text-sm wrap-anywhere [&_dt]:text-xs [&_dt]:text-muted">
      <div>
        <dt>Customer</dt>
        <dd>{customer_id}</dd>
      </div>
      {person !== null && (
        <div>
          <dt>Person</dt>
          <dd>{visibleText(person)}</dd>
        </div>
      )}
      <div>
        <dt>Key</dt>
        <dd className="font-mono text-code">{key_id}</dd>
      </div>
      <div>
        <dt>Scopes</dt>
        <dd className="font-mono text-code">{scopes.join(', ')}</dd>
      </div>
      <div>
        <dt>Signed in</dt>
        <dd>
          {keptFor === 'tab' ? 'in this tab' : 'on this browser'}
          {expires_at !== null && (
            <>
              , until <Instant at={expires_at} />
            </>
          )}
        </dd>
      </div>
    </dl>
  )
}

function SignOutButton() {
  const { signOut } = useSession()
  const [problem, setProblem] = useState<unknown>()
  return (
    <>
      {problem !== undefined && <Problem error={problem} />}
      <Button onClick={() => void signOut().catch(setProblem)}>Sign out</Button>
    </>
  )
}

function SignOutEverywhereButton() {
  const { signOutEverywhere } = useSession()
  const [problem, setProblem] = useState<unknown>()
  return (
    <>
      {problem !== undefined && <Problem error={problem} />}
      <Button onClick={() => void signOutEverywhere().catch(setProblem)}>Sign out everywhere</Button>
    </>
  )
}
