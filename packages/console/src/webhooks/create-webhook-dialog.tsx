// Creates a webhook.
import type { CreatedWebhook, CreateWebhook, EventType, PostFormat } from '@runwright/contract'
import { chatEvents, defaultChatEvents, defaultWebhookEvents, eventTexts, postFormats } from '@runwright/contract'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { Dialog } from '../parts/controls/dialog.tsx'
import { Field, inputClass } from '../parts/controls/field.tsx'
import { Problem } from '../parts/errors/problem.tsx'
import { useSession } from '../session/session.ts'

// Not `eventTypes` of the contract, which would load all schemas.
const allTypes = Object.keys(eventTexts) as EventType[]

const formatNames: Readonly<Record<PostFormat, string>> = { standard: 'Standard', slack: 'Slack', teams: 'Teams' }

interface CreateWebhookDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onCreated: (created: CreatedWebhook) => void
}

export function CreateWebhookDialog({ isOpen, onClose, onCreated }: CreateWebhookDialogProps) {
  return (
    <Dialog title="Create a webhook" isOpen={isOpen} onClose={onClose}>
      <CreateWebhookForm onCreated={onCreated} onCancel={onClose} />
    </Dialog>
  )
}

interface CreateWebhookFormProps {
  readonly onCreated: (created: CreatedWebhook) => void
  readonly onCancel: () => void
}

function CreateWebhookForm({ onCreated, onCancel }: CreateWebhookFormProps) {
  const { client } = useSession()
  const [url, setUrl] = useState('')
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<readonly EventType[]>(defaultWebhookEvents)
  const [format, setFormat] = useState<PostFormat>('standard')
  const chooseFormat = (next: PostFormat) => {
    setFormat(next)
    setChosen(next === 'standard' ? defaultWebhookEvents : defaultChatEvents)
  }
  const create = useMutation({
    mutationFn: (body: CreateWebhook) => client.webhooks.create(body),
    onSuccess: onCreated,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const called = name.trim()
    create.mutate({ url: url.trim(), ...(called !== '' && { name: called }), format, event_types: [...chosen] })
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
      <Field label="Name" hint="Optional. A second webhook with the same URL needs one.">
        {(field) => (
          <input
            {...field}
            maxLength={100}
            autoComplete="off"
            className={inputClass}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Field label="Format" hint="Slack and Teams: for an incoming webhook of the chat. People see what a run asks.">
        {(field) => (
          <select
            {...field}
            className={`${inputClass} h-9.5`}
            value={format}
            onChange={(event) => chooseFormat(event.target.value as PostFormat)}
          >
            {postFormats.map((name) => (
              <option key={name} value={name}>
                {formatNames[name]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <TypeChoice types={format === 'standard' ? allTypes : chatEvents} chosen={chosen} onChange={setChosen} />
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
  readonly types: readonly EventType[]
  readonly chosen: readonly EventType[]
  readonly onChange: (chosen: readonly EventType[]) => void
}

function TypeChoice({ types, chosen, onChange }: TypeChoiceProps) {
  const toggle = (type: EventType, isChosen: boolean) =>
    onChange(types.filter((one) => (one === type ? isChosen : chosen.includes(one))))
  return (
    <fieldset className="grid gap-1.5 sm:grid-cols-2">
      <legend className="mb-1 text-sm font-medium">Events</legend>
      {types.map((type) => (
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
