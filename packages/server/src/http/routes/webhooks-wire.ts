// Converts webhooks and deliveries to their wire form, and the cursor of the list of deliveries.
import type { Delivery, Webhook } from '@runwright/contract'
import { toWireId } from '../../runtime/ids.ts'
import type { DeliveryPosition, DeliveryRecord } from '../../store/webhooks/deliveries.ts'
import type { WebhookRecord } from '../../store/webhooks/webhook-record.ts'
import { deliveryIdOf, parseDeliveryId } from '../../webhooks/delivery/delivery-id.ts'
import { badCursor } from '../answers/list-page.ts'

const instantOf = (date: Date | null): string | null => date?.toISOString() ?? null

export const toWireWebhook = (webhook: WebhookRecord): Webhook => ({
  id: toWireId('hook', webhook.id),
  name: webhook.name,
  url: webhook.url,
  format: webhook.format,
  event_types: [...webhook.eventTypes],
  paused: webhook.pausedAt !== null,
  created_at: webhook.createdAt.toISOString(),
  updated_at: webhook.updatedAt.toISOString(),
  disabled_at: instantOf(webhook.disabledAt),
  paused_until: instantOf(webhook.pausedUntil),
})

export const toWireDelivery = (delivery: DeliveryRecord): Delivery => ({
  id: deliveryIdOf(delivery),
  run_id: toWireId('run', delivery.runId),
  seq: delivery.seq,
  type: delivery.type,
  state: delivery.nextAt ? 'pending' : delivery.delivered ? 'delivered' : 'given_up',
  event_at: delivery.at.toISOString(),
  attempts: delivery.attempt,
  last_attempt_at: instantOf(delivery.attemptedAt),
  next_attempt_at: instantOf(delivery.nextAt),
  response_status: delivery.responseStatus,
  error: delivery.error,
})

export const deliveryCursorOf = (last: DeliveryRecord): string =>
  Buffer.from(`${last.at.getTime()}:${deliveryIdOf(last)}`).toString('base64url')

export function deliveryPositionOf(cursor: string): DeliveryPosition {
  const [, atMs, id = ''] = /^(\d{1,15}):(.*)$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? []
  const key = parseDeliveryId(id)
  if (key) return { atMs: Number(atMs), ...key }
  throw badCursor('WEBHOOKS_QUERY_PARAMS_INVALID')
}
