// The keys of the customer, with what can be done to each.
import type { Key } from '@runwright/contract'
import { Button } from '../parts/controls/button.tsx'
import { type Column, DataTable } from '../parts/layout/data-table.tsx'
import { Age } from '../parts/values/duration.tsx'
import { Instant } from '../parts/values/instant.tsx'
import { type KeyState, keyLabel, keyStateOf } from './key-state.ts'

interface KeysTableProps {
  readonly caption: string
  readonly keys: readonly Key[]
  readonly ownId: string | undefined
  /** Left out for keys that no longer work. */
  readonly actions?: { readonly onRotate: (key: Key) => void; readonly onRevoke: (key: Key) => void }
}

export function KeysTable({ caption, keys, ownId, actions }: KeysTableProps) {
  const columns: readonly [Column<Key>, ...Column<Key>[]] = [
    { name: 'Key', cell: (key) => <Name apiKey={key} isOwn={key.id === ownId} /> },
    { name: 'Scopes', from: 'md', cell: ({ scopes }) => <Scopes scopes={scopes} /> },
    { name: 'State', cell: (key) => <State apiKey={key} /> },
    { name: 'Last used', from: 'sm', cell: ({ last_used_at: at }) => (at === null ? 'never' : <Age at={at} />) },
    { name: 'Created', from: 'xl', cell: ({ created_at }) => <Age at={created_at} /> },
  ]
  const actionColumn: Column<Key>[] = actions
    ? [{ name: 'Actions', cell: (key) => <Actions apiKey={key} {...actions} /> }]
    : []
  return <DataTable caption={caption} columns={[...columns, ...actionColumn]} rows={keys} keyOf={({ id }) => id} />
}

function Name({ apiKey, isOwn }: { readonly apiKey: Key; readonly isOwn: boolean }) {
  return (
    <span className="flex min-w-32 flex-col xl:min-w-64">
      <span className="flex flex-wrap items-center gap-x-2">
        <span className={`wrap-anywhere ${apiKey.name === null ? 'text-muted' : 'font-medium'}`}>
          {apiKey.name ?? apiKey.person ?? 'no name'}
        </span>
        {apiKey.signs_in && <span className="rounded-full bg-sunken px-2 text-xs leading-5">a person</span>}
        {isOwn && (
          <span className="rounded-full bg-accent/12 px-2 text-xs leading-5 font-medium text-accent">this key</span>
        )}
      </span>
      <span className="font-mono text-xs text-muted wrap-anywhere">{apiKey.id}</span>
    </span>
  )
}

function Scopes({ scopes }: Pick<Key, 'scopes'>) {
  return (
    <span className="flex max-w-xs flex-wrap gap-1">
      {scopes.map((scope) => (
        <span key={scope} className="rounded-sm bg-sunken px-1.5 font-mono text-code">
          {scope}
        </span>
      ))}
    </span>
  )
}

const tones: Readonly<Record<KeyState, string>> = {
  active: 'text-good',
  expired: 'text-muted',
  revoked: 'text-bad',
}

function State({ apiKey }: { readonly apiKey: Key }) {
  const state = keyStateOf(apiKey, Date.now())
  const at = apiKey.revoked_at ?? apiKey.expires_at
  return (
    <span className="flex flex-col">
      <span className={`font-medium ${tones[state]}`}>{state}</span>
      {at !== null && (
        <span className="text-xs text-muted">
          {state === 'active' && 'until '}
          <Instant at={at} />
        </span>
      )}
    </span>
  )
}

interface ActionsProps {
  readonly apiKey: Key
  readonly onRotate: (key: Key) => void
  readonly onRevoke: (key: Key) => void
}

function Actions({ apiKey, onRotate, onRevoke }: ActionsProps) {
  return (
    <span className="flex flex-wrap gap-1.5 lg:flex-nowrap">
      {/* A person who signs in has no secret. */}
      {!apiKey.signs_in && (
        <Button aria-label={`Rotate ${keyLabel(apiKey)}`} onClick={() => onRotate(apiKey)}>
          Rotate
        </Button>
      )}
      {/* Apart from what can be taken back. */}
      <span className="ml-3 border-l border-line pl-3">
        <Button variant="danger" aria-label={`Revoke ${keyLabel(apiKey)}`} onClick={() => onRevoke(apiKey)}>
          Revoke
        </Button>
      </span>
    </span>
  )
}
