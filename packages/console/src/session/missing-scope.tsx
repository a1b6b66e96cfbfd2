// Shown in place of a page that the key may not open: says which scope it needs, before the service refuses.
import type { Scope } from '@runwright/contract'
import { EmptyState } from '../parts/layout/empty-state.tsx'
import { useSession } from './session.ts'

interface MissingScopeProps {
  readonly scope: Scope
  /** What the scope allows: `read usage`. */
  readonly allows: string
}

export function MissingScope({ scope, allows }: MissingScopeProps) {
  const { keyName } = useSession()
  return (
    <EmptyState title={`The key ${keyName ?? 'you signed in with'} does not have the scope ${scope}.`}>
      <p className="max-w-prose text-muted">
        The scope is required to {allows}. Sign in with a key that has it, or create one on the machine of the service:{' '}
        <code className="rounded-sm bg-sunken px-1 font-mono text-xs">runwright keys create --scopes {scope}</code>
      </p>
    </EmptyState>
  )
}
