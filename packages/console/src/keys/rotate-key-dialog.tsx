// Gives a key another secret. The old one stays valid for a while, so that its users can change over.
import type { Key, KeyWithSecret } from '@runwright/contract'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { Dialog } from '../parts/controls/dialog.tsx'
import { Field, inputClass } from '../parts/controls/field.tsx'
import { Problem } from '../parts/errors/problem.tsx'
import { useSession } from '../session/session.ts'
import { keyLabel } from './key-state.ts'

const overlaps = [
  { name: 'Ends at once', seconds: 0 },
  { name: '5 minutes', seconds: 300 },
  { name: '1 hour', seconds: 3_600 },
  { name: '1 day', seconds: 86_400 },
  { name: '7 days', seconds: 604_800 },
] as const

/** Without an overlap, another request of this page could be refused and close it before the new secret is shown. */
const overlapsFor = (isOwn: boolean) => overlaps.filter(({ seconds }) => !isOwn || seconds > 0)

export interface Rotation {
  readonly rotated: KeyWithSecret
  readonly overlapSeconds: number
}

interface RotateKeyDialogProps {
  readonly apiKey: Key | undefined
  readonly isOwn: boolean
  readonly onClose: () => void
  readonly onRotated: (rotation: Rotation) => void
}

export function RotateKeyDialog({ apiKey, isOwn, onClose, onRotated }: RotateKeyDialogProps) {
  return (
    <Dialog title={apiKey ? `Rotate ${keyLabel(apiKey)}` : ''} isOpen={apiKey !== undefined} onClose={onClose}>
      {apiKey && <RotateKeyForm apiKey={apiKey} isOwn={isOwn} onCancel={onClose} onRotated={onRotated} />}
    </Dialog>
  )
}

interface RotateKeyFormProps {
  readonly apiKey: Key
  readonly isOwn: boolean
  readonly onCancel: () => void
  readonly onRotated: (rotation: Rotation) => void
}

function RotateKeyForm({ apiKey, isOwn, onCancel, onRotated }: RotateKeyFormProps) {
  const { client } = useSession()
  const [overlapSeconds, setOverlapSeconds] = useState(3_600)
  const rotate = useMutation({
    mutationFn: () => client.keys.rotate(apiKey.id, { overlap_seconds: overlapSeconds }),
    onSuccess: (rotated) => onRotated({ rotated, overlapSeconds }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    rotate.mutate()
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <p>The key keeps its id, name and scopes, and gets a new secret.</p>
      <Field
        label="The old secret stays valid for"
        hint={isOwn ? 'You are signed in with this key. This page goes on with the new secret.' : undefined}
      >
        {(field) => (
          <select
            {...field}
            className={inputClass}
            value={overlapSeconds}
            onChange={(event) => setOverlapSeconds(Number(event.target.value))}
          >
            {overlapsFor(isOwn).map(({ name, seconds }) => (
              <option key={name} value={seconds}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      {rotate.error && <Problem error={rotate.error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" variant="primary" disabled={rotate.isPending}>
          Rotate key
        </Button>
      </div>
    </form>
  )
}

/** What becomes of the old secret, in words. */
export const overlapNote = (overlapSeconds: number): string => {
  if (overlapSeconds === 0) return 'The old secret is no longer valid.'
  const name = overlaps.find(({ seconds }) => seconds === overlapSeconds)?.name ?? `${overlapSeconds} seconds`
  return `The old secret stays valid for ${name}.`
}
