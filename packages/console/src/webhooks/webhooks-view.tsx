// The webhooks of the customer: list, create, pause, rotate, test, delete, and the deliveries of one.
import type { Webhook } from '@runwright/contract'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type NewSecret, NewSecretPanel } from '../keys/new-secret.tsx'
import { collect } from '../parts/collect.ts'
import { Button } from '../parts/controls/button.tsx'
import { Problem } from '../parts/errors/problem.tsx'
import { Loading, Page } from '../parts/layout/page.tsx'
import { announce } from '../parts/layout/status-line.tsx'
import { MissingScope } from '../session/missing-scope.tsx'
import { useSession } from '../session/session.ts'
import { CreateWebhookDialog } from './create-webhook-dialog.tsx'
import { DeleteWebhookDialog } from './delete-webhook-dialog.tsx'
import { Deliveries } from './deliveries.tsx'
import { webhookName } from './webhook-name.ts'
import { WebhooksTable } from './webhooks-table.tsx'

export function WebhooksView() {
  const { can } = useSession()
  if (can('webhooks:admin')) return <Webhooks />
  return (
    <Page title="Webhooks">
      <MissingScope scope="webhooks:admin" allows="see and change the webhooks of the customer" />
    </Page>
  )
}

type Opened = { readonly action: 'create' } | { readonly action: 'delete'; readonly webhook: Webhook }

function Webhooks() {
  const { client } = useSession()
  const webhooks = useQuery({
    queryKey: ['webhooks'],
    queryFn: ({ signal }) => collect(client.webhooks.all({ signal })),
  })
  const [opened, setOpened] = useState<Opened>()
  const [secret, setSecret] = useState<NewSecret>()
  const [shownId, setShownId] = useState<string>()
  const shown = webhooks.data?.find(({ id }) => id === shownId)
  const show = (next: NewSecret) => {
    setOpened(undefined)
    setSecret(next)
    void webhooks.refetch()
  }
  const deleted = (webhook: Webhook) => {
    setOpened(undefined)
    announce(`Deleted the webhook ${webhookName(webhook)}.`)
    void webhooks.refetch()
  }
  const rotate = useMutation({
    mutationFn: (webhook: Webhook) => client.webhooks.rotate(webhook.id),
    onSuccess: ({ webhook, secret: apiKey }) =>
      show({
        title: `New secret of ${webhookName(webhook)}`,
        apiKey,
        what: 'secret',
        note: 'Messages are signed with the old one, too, for a day.',
      }),
  })
  const pause = useMutation({
    mutationFn: ({ id, paused }: Pick<Webhook, 'id' | 'paused'>) => client.webhooks.update(id, { paused }),
    onSuccess: ({ webhook }) => {
      announce(`${webhook.paused ? 'Paused' : 'Resumed'} the webhook ${webhookName(webhook)}.`)
      void webhooks.refetch()
    },
  })
  const create = (
    <Button variant="primary" onClick={() => setOpened({ action: 'create' })}>
      Create webhook
    </Button>
  )
  return (
    <Page title="Webhooks" actions={create}>
      {/* The dialogs come first, so that they are closed when the panel takes the focus. */}
      <CreateWebhookDialog
        isOpen={opened?.action === 'create'}
        onClose={() => setOpened(undefined)}
        onCreated={({ webhook, secret: apiKey }) => {
          const name = webhookName(webhook)
          if (apiKey !== null) return show({ title: `Created ${name}`, apiKey, what: 'secret' })
          setOpened(undefined)
          announce(`The webhook ${name} exists already. Nothing was changed.`)
        }}
      />
      <DeleteWebhookDialog
        webhook={opened?.action === 'delete' ? opened.webhook : undefined}
        onClose={() => setOpened(undefined)}
        onDeleted={deleted}
      />
      {secret && <NewSecretPanel key={secret.apiKey} {...secret} onClose={() => setSecret(undefined)} />}
      {webhooks.error && <Problem error={webhooks.error} onRetry={() => void webhooks.refetch()} />}
      {rotate.error && <Problem error={rotate.error} />}
      {pause.error && <Problem error={pause.error} />}
      {webhooks.isPending && <Loading what="webhooks" />}
      {webhooks.data?.length === 0 && (
        <p className="text-muted">
          There are no webhooks. A webhook tells your program when a run ends or awaits input.
        </p>
      )}
      {webhooks.data && webhooks.data.length > 0 && (
        <WebhooksTable
          webhooks={webhooks.data}
          onShow={({ id }) => setShownId(id)}
          onPause={({ id }, paused) => pause.mutate({ id, paused })}
          onRotate={(webhook) => rotate.mutate(webhook)}
          onDelete={(webhook) => setOpened({ action: 'delete', webhook })}
        />
      )}
      {shown && <Deliveries key={shown.id} webhook={shown} />}
    </Page>
  )
}
