// The webhooks of the customer, with what can be done to each.
import type { Webhook } from '@runwright/contract'
import { Button } from '../parts/controls/button.tsx'
import { type Column, DataTable } from '../parts/layout/data-table.tsx'
import { Age } from '../parts/values/duration.tsx'
import { Instant } from '../parts/values/instant.tsx'
import { webhookName } from './webhook-name.ts'

interface Actions {
  readonly onShow: (webhook: Webhook) => void
  readonly onPause: (webhook: Webhook, paused: boolean) => void
  readonly onRotate: (webhook: Webhook) => void
  readonly onDelete: (webhook: Webhook) => void
}

export function WebhooksTable({ webhooks, ...actions }: Actions & { readonly webhooks: readonly Webhook[] }) {
  const columns: readonly [Column<Webhook>, ...Column<Webhook>[]] = [
    { name: 'Webhook', cell: (webhook) => <Name {...webhook} /> },
    { name: 'Events', from: 'xl', cell: ({ event_types }) => <Types types={event_types} /> },
    { name: 'State', cell: (webhook) => <State {...webhook} /> },
    { name: 'Created', from: 'xl', cell: ({ created_at }) => <Age at={created_at} /> },
    { name: 'Actions', cell: (webhook) => <Buttons webhook={webhook} {...actions} /> },
  ]
  return <DataTable caption="Webhooks" columns={columns} rows={webhooks} keyOf={({ id }) => id} />
}

function Name({ name, url, format, id }: Webhook) {
  return (
    <span className="flex min-w-32 flex-col xl:min-w-56">
      <span className="font-medium wrap-anywhere">{format === 'mail' ? 'Mail' : webhookName({ name, url })}</span>
      {name !== null && <span className="text-xs wrap-anywhere">{url}</span>}
      {format !== 'standard' && <span className="text-xs text-muted">format: {format}</span>}
      <span className="font-mono text-xs text-muted wrap-anywhere">{id}</span>
    </span>
  )
}

function Types({ types }: { readonly types: Webhook['event_types'] }) {
  return (
    <span className="flex max-w-xs flex-wrap gap-1">
      {types.map((type) => (
        <span key={type} className="rounded-sm bg-sunken px-1.5 font-mono text-code">
          {type}
        </span>
      ))}
    </span>
  )
}

/** Its owner has paused it, its endpoint has answered 410, or the settings have ended its mail. */
const isStopped = ({ paused, disabled_at }: Webhook): boolean => paused || disabled_at !== null

/** Only the settings of the service begin it again. */
const isEndedMail = ({ format, disabled_at }: Webhook): boolean => format === 'mail' && disabled_at !== null

function State(webhook: Webhook) {
  const { disabled_at, paused, paused_until } = webhook
  if (isEndedMail(webhook)) return <span className="font-medium text-bad">disabled by the settings of the service</span>
  if (disabled_at !== null) return <span className="font-medium text-bad">disabled: it answered 410</span>
  if (paused) return <span className="font-medium text-warn">paused: messages wait</span>
  if (paused_until !== null)
    return (
      <span className="font-medium text-warn">
        paused until <Instant at={paused_until} />, because it keeps failing
      </span>
    )
  return <span className="font-medium text-good">enabled</span>
}

function Buttons({ webhook, onShow, onPause, onRotate, onDelete }: Actions & { readonly webhook: Webhook }) {
  const name = webhookName(webhook)
  return (
    <span className="flex flex-wrap gap-1.5 xl:flex-nowrap">
      <Button aria-label={`Deliveries of ${name}`} onClick={() => onShow(webhook)}>
        Deliveries
      </Button>
      {!isStopped(webhook) && (
        <Button aria-label={`Pause ${name}`} onClick={() => onPause(webhook, true)}>
          Pause
        </Button>
      )}
      {/* Also where it waits because it keeps failing: whoever has mended the endpoint need not wait. */}
      {!isEndedMail(webhook) && (isStopped(webhook) || webhook.paused_until !== null) && (
        <Button aria-label={`Resume ${name}`} onClick={() => onPause(webhook, false)}>
          Resume
        </Button>
      )}
      {webhook.format !== 'mail' && (
        <>
          <Button aria-label={`Rotate the secret of ${name}`} onClick={() => onRotate(webhook)}>
            Rotate
          </Button>
          {/* Apart from what can be taken back. */}
          <span className="ml-3 border-l border-line pl-3">
            <Button variant="danger" aria-label={`Delete ${name}`} onClick={() => onDelete(webhook)}>
              Delete
            </Button>
          </span>
        </>
      )}
    </span>
  )
}
