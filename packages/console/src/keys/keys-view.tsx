// The API keys of the customer: list, create, rotate, revoke.
import type { Key } from '@runwright/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { collect } from '../parts/collect.ts'
import { Button } from '../parts/controls/button.tsx'
import { Problem } from '../parts/errors/problem.tsx'
import { Loading, Page } from '../parts/layout/page.tsx'
import { announce } from '../parts/layout/status-line.tsx'
import { plural } from '../parts/values/plural.ts'
import { MissingScope } from '../session/missing-scope.tsx'
import { useSession } from '../session/session.ts'
import { CreateKeyDialog } from './create-key-dialog.tsx'
import { keyLabel, keyStateOf } from './key-state.ts'
import { KeysTable } from './keys-table.tsx'
import { type NewSecret, NewSecretPanel } from './new-secret.tsx'
import { type Revocation, RevokeKeyDialog } from './revoke-key-dialog.tsx'
import { overlapNote, RotateKeyDialog, type Rotation } from './rotate-key-dialog.tsx'

export function KeysView() {
  const { can } = useSession()
  if (can('keys:admin')) return <Keys />
  return (
    <Page title="Keys">
      <MissingScope scope="keys:admin" allows="see and change the keys of the customer" />
    </Page>
  )
}

type Opened = { readonly action: 'create' } | { readonly action: 'rotate' | 'revoke'; readonly key: Key }

function Keys() {
  const { client, signedInKey } = useSession()
  const keys = useQuery({ queryKey: ['keys'], queryFn: ({ signal }) => collect(client.keys.all({ signal })) })
  const [opened, setOpened] = useState<Opened>()
  const [secret, setSecret] = useState<NewSecret>()
  const show = (next: NewSecret) => {
    setOpened(undefined)
    setSecret(next)
    void keys.refetch()
  }
  const create = (
    <Button variant="primary" onClick={() => setOpened({ action: 'create' })}>
      Create key
    </Button>
  )
  return (
    <Page title="Keys" actions={create}>
      {/* The dialogs come first, so that they are closed when the panel takes the focus. */}
      <CreateKeyDialog
        isOpen={opened?.action === 'create'}
        onClose={() => setOpened(undefined)}
        onCreated={({ key, secret: created }) =>
          show({ title: `Created ${keyLabel(key)}`, apiKey: `${key.id}:${created}` })
        }
      />
      <ChangeDialogs opened={opened} onClose={() => setOpened(undefined)} onSecret={show} onChange={keys.refetch} />
      {secret && <NewSecretPanel key={secret.apiKey} {...secret} onClose={() => setSecret(undefined)} />}
      {keys.error && <Problem error={keys.error} onRetry={() => void keys.refetch()} />}
      {keys.isPending && <Loading what="keys" />}
      {keys.data && <KeyLists keys={keys.data} ownId={signedInKey?.key_id} onOpen={setOpened} />}
    </Page>
  )
}

interface ChangeDialogsProps {
  readonly opened: Opened | undefined
  readonly onClose: () => void
  readonly onSecret: (secret: NewSecret) => void
  readonly onChange: () => void
}

function ChangeDialogs({ opened, onClose, onSecret, onChange }: ChangeDialogsProps) {
  const { signedInKey, signOut, adoptKey } = useSession()
  const keyFor = (action: 'rotate' | 'revoke') => (opened?.action === action ? opened.key : undefined)
  const isOwn = opened !== undefined && opened.action !== 'create' && opened.key.id === signedInKey?.key_id
  const rotated = async ({ rotated: { key, secret }, overlapSeconds }: Rotation) => {
    const apiKey = `${key.id}:${secret}`
    if (isOwn) await adoptKey(apiKey).catch(() => announce('Sign in again with the new key before the old one ends.'))
    onSecret({ title: `New secret of ${keyLabel(key)}`, apiKey, note: overlapNote(overlapSeconds) })
  }
  const revoked = async ({ key, note }: Revocation) => {
    onClose()
    if (isOwn) return signOut(`You revoked the key ${keyLabel(key)}, which you were signed in with.${note}`)
    announce(`Revoked ${keyLabel(key)}.${note}`)
    onChange()
  }
  return (
    <>
      <RotateKeyDialog
        apiKey={keyFor('rotate')}
        isOwn={isOwn}
        onClose={onClose}
        onRotated={(rotation) => void rotated(rotation)}
      />
      <RevokeKeyDialog
        apiKey={keyFor('revoke')}
        isOwn={isOwn}
        onClose={onClose}
        onRevoked={(revocation) => void revoked(revocation)}
      />
    </>
  )
}

interface KeyListsProps {
  readonly keys: readonly Key[]
  readonly ownId: string | undefined
  readonly onOpen: (opened: Opened) => void
}

function KeyLists({ keys, ownId, onOpen }: KeyListsProps) {
  const now = Date.now()
  const active = keys.filter((key) => keyStateOf(key, now) === 'active')
  const ended = keys.filter((key) => keyStateOf(key, now) !== 'active')
  return (
    <>
      <KeysTable
        caption="Active keys"
        keys={active}
        ownId={ownId}
        actions={{
          onRotate: (key) => onOpen({ action: 'rotate', key }),
          onRevoke: (key) => onOpen({ action: 'revoke', key }),
        }}
      />
      {ended.length > 0 && (
        <details className="flex flex-col gap-3">
          <summary className="w-fit py-1 text-sm text-muted hover:text-ink">
            {plural(ended.length, 'revoked or expired key')}
          </summary>
          <KeysTable caption="Revoked and expired keys" keys={ended} ownId={ownId} />
        </details>
      )}
    </>
  )
}
