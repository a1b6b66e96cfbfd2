// Creates a key. Only scopes that the signed-in key has can be granted.
import { type CreateKey, type KeyWithSecret, type Scope, scopes } from '@runwright/contract'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { Dialog } from '../parts/controls/dialog.tsx'
import { Field, inputClass } from '../parts/controls/field.tsx'
import { Problem } from '../parts/errors/problem.tsx'
import { useSession } from '../session/session.ts'

/** What each scope allows, in words. A new scope of the contract does not compile without a text. */
const scopeTexts: Readonly<Record<Scope, string>> = {
  'runs:read': 'Read runs and their events, agents and tools',
  'runs:write': 'Create, fork, cancel, retry and resume runs, and answer them',
  'runs:signal': 'Answer runs that wait: approve, reject, submit input',
  'runs:admin': 'Delete runs and memory items',
  'usage:read': 'Read usage and budgets',
  'memory:read': 'Read and export memory',
  'keys:admin': 'Create, rotate and revoke keys, and set budgets',
  'audit:read': 'Read who did what',
  'tokens:create': 'Make tokens for browsers and end users',
  'links:create': 'Make decision links, and so decide as any person who has a key, and in any role',
  'webhooks:admin': 'Create, rotate, test and delete webhooks, and send messages again',
}

interface CreateKeyDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onCreated: (created: KeyWithSecret) => void
}

export function CreateKeyDialog({ isOpen, onClose, onCreated }: CreateKeyDialogProps) {
  return (
    <Dialog title="Create an API key" isOpen={isOpen} onClose={onClose}>
      <CreateKeyForm onCreated={onCreated} onCancel={onClose} />
    </Dialog>
  )
}

const lifetimes = [
  { name: 'As long as the key you are signed in with', days: undefined },
  { name: '30 days', days: 30 },
  { name: '90 days', days: 90 },
  { name: '1 year', days: 365 },
] as const

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

interface CreateKeyFormProps {
  readonly onCreated: (created: KeyWithSecret) => void
  readonly onCancel: () => void
}

function CreateKeyForm({ onCreated, onCancel }: CreateKeyFormProps) {
  const { client, can } = useSession()
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<readonly Scope[]>(['runs:read', 'runs:write'].filter(isScope).filter(can))
  const [lifetime, setLifetime] = useState(0)
  const create = useMutation({ mutationFn: (body: CreateKey) => client.keys.create(body), onSuccess: onCreated })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const days = lifetimes[lifetime]?.days
    const expiry = days === undefined ? {} : { expires_at: inDays(days) }
    create.mutate({ ...(name.trim() !== '' && { name: name.trim() }), scopes: [...chosen], ...expiry })
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <Field label="Name" hint="Who or what uses the key. Runs show this name beside the answers sent with it.">
        {(field) => (
          <input
            {...field}
            maxLength={255}
            autoComplete="off"
            className={inputClass}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <ScopeChoice chosen={chosen} onChange={setChosen} />
      <Field label="Valid for">
        {(field) => (
          <select
            {...field}
            className={inputClass}
            value={lifetime}
            onChange={(event) => setLifetime(Number(event.target.value))}
          >
            {lifetimes.map((one, index) => (
              <option key={one.name} value={index}>
                {one.name}
              </option>
            ))}
          </select>
        )}
      </Field>
      {create.error && <Problem error={create.error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" variant="primary" disabled={chosen.length === 0 || create.isPending}>
          Create key
        </Button>
      </div>
    </form>
  )
}

const isScope = (word: string): word is Scope => (scopes as readonly string[]).includes(word)

interface ScopeChoiceProps {
  readonly chosen: readonly Scope[]
  readonly onChange: (chosen: readonly Scope[]) => void
}

function ScopeChoice({ chosen, onChange }: ScopeChoiceProps) {
  const { can } = useSession()
  const toggle = (scope: Scope, isChosen: boolean) =>
    onChange(scopes.filter((one) => (one === scope ? isChosen : chosen.includes(one))))
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 text-sm font-medium">Scopes</legend>
      {scopes.map((scope) => (
        <label key={scope} className="flex items-start gap-2.5">
          <input
            type="checkbox"
            className="mt-1 size-4 accent-accent"
            disabled={!can(scope)}
            checked={chosen.includes(scope)}
            onChange={(event) => toggle(scope, event.target.checked)}
          />
          <span className="min-w-0">
            <span className="font-mono text-sm">{scope}</span>
            <span className="block text-sm text-muted">
              {can(scope) ? scopeTexts[scope] : 'The key you are signed in with does not have this scope.'}
            </span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
