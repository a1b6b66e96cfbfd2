// Deletes a webhook, after a confirmation: it cannot be undone.
import type { Webhook } from '@runwright/contract'
import { useMutation } from '@tanstack/react-query'
import { Button } from '../parts/controls/button.tsx'
import { Choice } from '../parts/controls/choice.tsx'
import { Dialog } from '../parts/controls/dialog.tsx'
import { Problem } from '../parts/errors/problem.tsx'
import { useSession } from '../session/session.ts'
import { webhookName } from './webhook-name.ts'

interface DeleteWebhookDialogProps {
  readonly webhook: Webhook | undefined
  readonly onClose: () => void
  readonly onDeleted: (deleted: Webhook) => void
}

export function DeleteWebhookDialog({ webhook, onClose, onDeleted }: DeleteWebhookDialogProps) {
  return (
    <Dialog title="Delete the webhook?" isOpen={webhook !== undefined} onClose={onClose}>
      {webhook && <Confirmation webhook={webhook} onCancel={onClose} onDeleted={onDeleted} />}
    </Dialog>
  )
}

interface ConfirmationProps {
  readonly webhook: Webhook
  readonly onCancel: () => void
  readonly onDeleted: (deleted: Webhook) => void
}

function Confirmation({ webhook, onCancel, onDeleted }: ConfirmationProps) {
  const { client } = useSession()
  const remove = useMutation({
    mutationFn: () => client.webhooks.delete(webhook.id),
    onSuccess: () => onDeleted(webhook),
  })
  return (
    <>
      <p className="wrap-anywhere">
        Nothing more is sent to {webhook.url}
        {webhook.name !== null && <> for the webhook {webhookName(webhook)}</>}, also what is not delivered yet. This
        cannot be undone.
      </p>
      {remove.error && <Problem error={remove.error} />}
      <Choice keep="Keep it" onKeep={onCancel}>
        <Button variant="danger" disabled={remove.isPending} onClick={() => remove.mutate()}>
          Delete webhook
        </Button>
      </Choice>
    </>
  )
}
