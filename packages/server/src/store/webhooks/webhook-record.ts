// A webhook as its owner may see it: everything but the secret.
import type { EventType, WebhookFormat } from '@runwright/contract'

export interface WebhookRecord {
  readonly id: string
  readonly name: string | null
  readonly url: string
  readonly format: WebhookFormat
  readonly eventTypes: readonly EventType[]
  readonly createdAt: Date
  readonly updatedAt: Date
  /** When its owner paused it. */
  readonly pausedAt: Date | null
  readonly disabledAt: Date | null
  /** Nothing is sent until then, because the endpoint keeps failing. Null also when the time has passed. */
  readonly pausedUntil: Date | null
}

export type WebhookRow = {
  id: string
  name: string | null
  url: string
  format: WebhookFormat
  event_types: EventType[]
  created_at: Date
  updated_at: Date
  paused_at: Date | null
  disabled_at: Date | null
  paused_until: Date | null
}

export const webhookColumns = `id, name, url, format, event_types, created_at, updated_at, paused_at, disabled_at,
  case when paused_until > clock_timestamp() then paused_until end as paused_until`

export const toWebhookRecord = (row: WebhookRow): WebhookRecord => ({
  id: row.id,
  name: row.name,
  url: row.url,
  format: row.format,
  eventTypes: row.event_types,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  pausedAt: row.paused_at,
  disabledAt: row.disabled_at,
  pausedUntil: row.paused_until,
})
