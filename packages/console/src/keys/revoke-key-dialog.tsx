// Revokes a key, after a confirmation: it cannot be undone. What the key has set up goes on unless it is stopped too.
import type { Key } from '@runwright/contract'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { Choice } from '../parts/controls/choice.tsx'
import { Dialog } from '../parts/controls/dialog.tsx'
import { Problem } from '../parts/errors/problem.tsx'
import { Loading } from '../parts/layout/page.tsx'
import { Age } from '../parts/values/duration.tsx'
import { useSession } from '../session/session.ts'
import { type Left, LeftList, leftOf, stopLeft } from './key-leaves.tsx'
import { keyLabel } from './key-state.ts'

interface RevokeKeyDialogProps {
  readonly apiKey: Key | undefined
  readonly isOwn: boolean
  readonly onClose: () => void
  readonly onRevoked: (revocation: Revocation) => void
}

export interface Revocation {
  readonly key: Key
  /** What was done besides, for the person. Empty: nothing. */
  readonly note: string
}

export function RevokeKeyDialog({ apiKey, isOwn, onClose, onRevoked }: RevokeKeyDialogProps) {
  return (
    <Dialog title={apiKey ? `Revoke ${keyLabel(apiKey)}?` : ''} isOpen={apiKey !== undefined} onClose={onClose}>
      {apiKey && <Confirmation apiKey={apiKey} isOwn={isOwn} onCancel={onClose} onRevoked={onRevoked} />}
    </Dialog>
  )
}

interface ConfirmationProps {
  readonly apiKey: Key
  readonly isOwn: boolean
  readonly onCancel: () => void
  readonly onRevoked: (revocation: Revocation) => void
}

function Confirmation({ apiKey, isOwn, onCancel, onRevoked }: ConfirmationProps) {
  const { left, isPending: isLooking, error } = useLeft(apiKey)
  const [chosen, setChosen] = useState<readonly Left[]>([])
  const revoke = useRevocation({ apiKey, isOwn, onRevoked }, chosen)
  return (
    <>
      <Consequences apiKey={apiKey} isOwn={isOwn} />
      {isLooking && <Loading what="what the key has set up" />}
      {error && <Problem error={error} />}
      {left && <LeftList left={left} chosen={chosen} onChange={setChosen} />}
      {revoke.error && <Problem error={revoke.error} />}
      <Choice keep="Keep it" onKeep={onCancel}>
        <Button variant="danger" disabled={isLooking || revoke.isPending} onClick={() => revoke.mutate()}>
          {chosen.length === 0 ? 'Revoke key' : `Revoke key and stop ${chosen.length}`}
        </Button>
      </Choice>
    </>
  )
}

/** A key can be revoked also if its list cannot be read: that may be urgent. */
function useLeft({ id }: Key) {
  const { client } = useSession()
  const { data, isPending, error } = useQuery({
    queryKey: ['keys', id],
    queryFn: async ({ signal }) => leftOf((await client.keys.get(id, { signal })).leaves),
    gcTime: 0,
  })
  return { left: data, isPending, error }
}

/** The key ends first, so that it cannot start again what is stopped. The own key is needed to stop the rest. */
function useRevocation({ apiKey, isOwn, onRevoked }: Omit<ConfirmationProps, 'onCancel'>, chosen: readonly Left[]) {
  const { client } = useSession()
  const stopChosen = async () => {
    for (const one of chosen) await stopLeft(client, one)
  }
  return useMutation({
    mutationFn: async () => {
      if (isOwn) await stopChosen()
      const { key } = await client.keys.revoke(apiKey.id)
      if (!isOwn) await stopChosen()
      return key
    },
    onSuccess: (key) => onRevoked({ key, note: chosen.map(({ name }) => ` Stopped ${name}.`).join('') }),
  })
}

function Consequences({ apiKey, isOwn }: Pick<ConfirmationProps, 'apiKey' | 'isOwn'>) {
  return (
    <>
      <p>
        Requests with this key are refused within 5 seconds, and its open streams end within 30 seconds. This cannot be
        undone.
      </p>
      <p>
        {apiKey.last_used_at === null ? (
          'The key was never used.'
        ) : (
          <>
            The key was last used <Age at={apiKey.last_used_at} />.
          </>
        )}
      </p>
      {isOwn && <p className="font-medium text-warn">You are signed in with this key: you will be signed out.</p>}
    </>
  )
}
