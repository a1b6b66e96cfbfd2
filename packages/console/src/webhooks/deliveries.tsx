// The newest deliveries of a webhook. A message can be sent again, and a test can be sent.
import type { Delivery, DeliveryState, Webhook } from '@runwright/contract'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Button } from '../parts/controls/button.tsx'
import { Problem } from '../parts/errors/problem.tsx'
import { type Column, DataTable } from '../parts/layout/data-table.tsx'
import { Loading } from '../parts/layout/page.tsx'
import { Instant } from '../parts/values/instant.tsx'
import { useSession } from '../session/session.ts'
import { webhookName } from './webhook-name.ts'

export function Deliveries({ webhook }: { readonly webhook: Webhook }) {
  const { client } = useSession()
  const page = useQuery({
    queryKey: ['deliveries', webhook.id],
    queryFn: ({ signal }) => client.webhooks.deliveries(webhook.id, {}, { signal }),
    refetchInterval: 2_000,
  })
  const refresh = { onSuccess: () => void page.refetch() }
  const test = useMutation({ mutationFn: () => client.webhooks.test(webhook.id), ...refresh })
  const again = useMutation({ mutationFn: (id: string) => client.webhooks.redeliver(webhook.id, id), ...refresh })
  const problem = page.error ?? test.error ?? again.error
  return (
    <section aria-label={`Deliveries of ${webhookName(webhook)}`} className="flex flex-col gap-3">
      <div className="flex items-center justify-between gap-2">
        <h2 className="font-semibold wrap-anywhere">Deliveries of {webhookName(webhook)}</h2>
        <Button onClick={() => test.mutate()} disabled={test.isPending || webhook.disabled_at !== null}>
          Send test
        </Button>
      </div>
      {problem && <Problem error={problem} />}
      {page.isPending && <Loading what="deliveries" />}
      {page.data?.deliveries.length === 0 && <p className="text-muted">Nothing was sent yet.</p>}
      {page.data && page.data.deliveries.length > 0 && (
        <DeliveriesTable deliveries={page.data.deliveries} onAgain={(id) => again.mutate(id)} />
      )}
    </section>
  )
}

interface DeliveriesTableProps {
  readonly deliveries: readonly Delivery[]
  readonly onAgain: (id: string) => void
}

const tones: Readonly<Record<string, string>> = {
  delivered: 'text-good',
  pending: 'text-warn',
  given_up: 'text-bad',
} satisfies Record<DeliveryState, string>
const words: Readonly<Record<string, string>> = {
  delivered: 'delivered',
  pending: 'pending',
  given_up: 'given up',
} satisfies Record<DeliveryState, string>

function DeliveriesTable({ deliveries, onAgain }: DeliveriesTableProps) {
  const columns: readonly [Column<Delivery>, ...Column<Delivery>[]] = [
    { name: 'Event', cell: ({ type, id }) => <Event type={type} id={id} /> },
    {
      name: 'State',
      cell: ({ state }) => <span className={`font-medium ${tones[state] ?? ''}`}>{words[state] ?? state}</span>,
    },
    { name: 'Attempts', isNumeric: true, cell: ({ attempts }) => attempts },
    { name: 'Last answer', from: 'md', cell: ({ error, response_status }) => error ?? response_status ?? '' },
    { name: 'Next attempt', from: 'xl', cell: ({ next_attempt_at: at }) => at !== null && <Instant at={at} /> },
    {
      name: 'Actions',
      cell: ({ id }) => (
        <Button className="whitespace-nowrap" aria-label={`Send again: ${id}`} onClick={() => onAgain(id)}>
          Send again
        </Button>
      ),
    },
  ]
  return <DataTable caption="Deliveries" columns={columns} rows={deliveries} keyOf={({ id }) => id} />
}

function Event({ type, id }: Pick<Delivery, 'type' | 'id'>) {
  return (
    <span className="flex min-w-32 flex-col xl:min-w-56">
      <span className="font-medium wrap-anywhere">{type}</span>
      <span className="font-mono text-xs text-muted wrap-anywhere">{id}</span>
    </span>
  )
}
