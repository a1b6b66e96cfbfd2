// Revokes a key, after a confirmation: it cannot be undone.
import type { Key } from '@runwright/contract'
import { useMutation } from '@tanstack/react-query'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Age } from '../parts/duration.tsx'
import { Problem } from '../parts/problem.tsx'
import { useSession } from '../session/session.ts'
import { keyLabel } from './key-state.ts'

interface RevokeKeyDialogProps {
  readonly apiKey: Key | undefined
  readonly isOwn: boolean
  readonly onClose: () => void
  readonly onRevoked: (revoked: Key) => void
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
  readonly onRevoked: (revoked: Key) => void
}

function Confirmation({ apiKey, isOwn, onCancel, onRevoked }: ConfirmationProps) {
  const { client } = useSession()
  const revoke = useMutation({
    mutationFn: () => client.keys.revoke(apiKey.id),
    onSuccess: ({ key }) => onRevoked(key),
  })
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
      {revoke.error && <Problem error={revoke.error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>Keep it</Button>
        <Button variant="danger" disabled={revoke.isPending} onClick={() => revoke.mutate()}>
          Revoke key
        </Button>
      </div>
    </>
  )
}
