// Creates a webhook.
import type { CreateWebhook, EventType, WebhookWithSecret } from '@runwright/contract'
import { defaultWebhookEvents, eventTexts } from '@runwright/contract'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { Dialog } from '../parts/controls/dialog.tsx'
import { Field, inputClass } from '../parts/controls/field.tsx'
import { Problem } from '../parts/errors/problem.tsx'
import { useSession } from '../session/session.ts'

// Not `eventTypes` of the contract, which would load all schemas.
const eventTypes = Object.keys(eventTexts) as EventType[]

interface CreateWebhookDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onCreated: (created: WebhookWithSecret) => void
}

export function CreateWebhookDialog({ isOpen, onClose, onCreated }: CreateWebhookDialogProps) {
  return (
    <Dialog title="Create a webhook" isOpen={isOpen} onClose={onClose}>
      <CreateWebhookForm onCreated={onCreated} onCancel={onClose} />
    </Dialog>
  )
}

interface CreateWebhookFormProps {
  readonly onCreated: (created: WebhookWithSecret) => void
  readonly onCancel: () => void
}

function CreateWebhookForm({ onCreated, onCancel }: CreateWebhookFormProps) {
  const { client } = useSession()
  const [url, setUrl] = useState('')
  const [chosen, setChosen] = useState<readonly EventType[]>(defaultWebhookEvents)
  const create = useMutation({
    mutationFn: (body: CreateWebhook) => client.webhooks.create(body),
    onSuccess: onCreated,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate({ url: url.trim(), event_types: [...chosen] })
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <Field label="URL" hint="The endpoint that receives the messages. It must use https.">
        {(field) => (
          <input
            {...field}
            maxLength={2048}
            autoComplete="off"
            placeholder="https://app.example.com/hooks"
            className={inputClass}
            value={url}
            onChange={(event) => setUrl(event.target.value)}
          />
        )}
      </Field>
      <TypeChoice chosen={chosen} onChange={setChosen} />
      {create.error && <Problem error={create.error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" variant="primary" disabled={url.trim() === '' || chosen.length === 0 || create.isPending}>
          Create webhook
        </Button>
      </div>
    </form>
  )
}

interface TypeChoiceProps {
  readonly chosen: readonly EventType[]
  readonly onChange: (chosen: readonly EventType[]) => void
}

function TypeChoice({ chosen, onChange }: TypeChoiceProps) {
  const toggle = (type: EventType, isChosen: boolean) =>
    onChange(eventTypes.filter((one) => (one === type ? isChosen : chosen.includes(one))))
  return (
    <fieldset className="grid gap-1.5 sm:grid-cols-2">
      <legend className="mb-1 text-sm font-medium">Events</legend>
      {eventTypes.map((type) => (
        <label key={type} className="flex items-center gap-2.5">
          <input
            type="checkbox"
            className="size-4 accent-accent"
            checked={chosen.includes(type)}
            onChange={(event) => toggle(type, event.target.checked)}
          />
          <span className="font-mono text-sm">{type}</span>
        </label>
      ))}
    </fieldset>
  )
}
