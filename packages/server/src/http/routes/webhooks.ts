// The routes below /v1/webhooks: the endpoints of the caller's customer, and the messages that they receive.
import { createWebhookSchema, defaultListPageSize, redeliverSchema, rotateWebhookSchema } from '@runwright/contract'
import type { z } from 'zod'
import { describeIssue } from '../../domain/json/describe-issue.ts'
import { parseStrictJson, smallSize } from '../../domain/json/strict-json.ts'
import { ServiceError } from '../../domain/service-error.ts'
import type { Database } from '../../store/postgres/database.ts'
import { listDeliveries } from '../../store/webhooks/deliveries.ts'
import { listWebhooks } from '../../store/webhooks/webhooks.ts'
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  redeliver,
  rotateWebhook,
  testWebhook,
  type WebhookStore,
} from '../../webhooks/manage-webhooks.ts'
import type { Call, HandledRoute, Handlers } from '../server/handler.ts'
import { deliveryCursorOf, deliveryPositionOf, toWireDelivery, toWireWebhook } from './webhooks-wire.ts'

type WebhookHandlers = Pick<
  Handlers,
  Extract<HandledRoute, `${string}Webhook` | 'listWebhooks' | 'listDeliveries' | 'redeliver'>
>

interface Options extends WebhookStore {
  /** For the list of deliveries. */
  readonly reads: Database
  /** Called when a message is to be sent now. */
  readonly onDeliveries: () => void
}

const nameIn = ({ principal, id }: Pick<Call<HandledRoute>, 'principal' | 'id'>) => ({
  customerId: principal.customerId,
  id,
})
const noStore = { 'cache-control': 'no-store' }

export function webhookHandlers(options: Options): WebhookHandlers {
  const { database, onDeliveries } = options
  return {
    createWebhook: async ({ principal, body, requestId }) => {
      const request = readBody(createWebhookSchema, body)
      const { webhook, secret } = await createWebhook(options, principal, request)
      return { status: 201, headers: noStore, body: { webhook: toWireWebhook(webhook), secret, request_id: requestId } }
    },
    listWebhooks: async ({ principal, requestId }) => {
      const webhooks = await listWebhooks(database, principal.customerId)
      return { body: { webhooks: webhooks.map(toWireWebhook), request_id: requestId } }
    },
    getWebhook: async (call) => {
      const webhook = await getWebhook(database, nameIn(call))
      return { body: { webhook: toWireWebhook(webhook), request_id: call.requestId } }
    },
    deleteWebhook: async (call) => {
      const webhook = await deleteWebhook(database, call.principal, call.id)
      return { body: { webhook: toWireWebhook(webhook), request_id: call.requestId } }
    },
    rotateWebhook: async (call) => {
      const { overlap_seconds: overlapSeconds } = readBody(rotateWebhookSchema, call.body || '{}')
      const { webhook, secret } = await rotateWebhook(options, call.principal, { id: call.id, overlapSeconds })
      return { headers: noStore, body: { webhook: toWireWebhook(webhook), secret, request_id: call.requestId } }
    },
    testWebhook: async (call) => {
      const delivery = await testWebhook(database, nameIn(call))
      onDeliveries()
      return { body: { delivery: toWireDelivery(delivery), request_id: call.requestId } }
    },
    listDeliveries: (call) => readDeliveries(options, call),
    redeliver: async (call) => {
      const { delivery_id } = readBody(redeliverSchema, call.body)
      const delivery = await redeliver(database, nameIn(call), delivery_id)
      onDeliveries()
      return { body: { delivery: toWireDelivery(delivery), request_id: call.requestId } }
    },
  }
}

async function readDeliveries({ database, reads }: Options, call: Call<'listDeliveries'>) {
  const { limit = defaultListPageSize, cursor } = call.query
  const before = cursor === undefined ? undefined : deliveryPositionOf(cursor)
  const { customerId } = call.principal
  const { id: webhookId } = await getWebhook(database, nameIn(call))
  const found = await listDeliveries(reads, { customerId, webhookId, before, limit: limit + 1 })
  const page = found.slice(0, limit)
  const last = page.at(-1)
  return {
    body: {
      deliveries: page.map(toWireDelivery),
      next_cursor: last && found.length > limit ? deliveryCursorOf(last) : null,
      request_id: call.requestId,
    },
  }
}

// A valid body has two levels. Up to this depth, a nested value is reported by the name of its field.
const maxDepth = 8

function readBody<S extends z.ZodType>(schema: S, text: string | undefined): z.infer<S> {
  const json = parseStrictJson(text ?? '', { maxDepth, size: smallSize })
  if (!json.ok) throw new ServiceError('WEBHOOK_PAYLOAD_INVALID', json.problem)
  const parsed = schema.safeParse(json.value)
  if (parsed.success) return parsed.data
  throw new ServiceError('WEBHOOK_PAYLOAD_INVALID', describeIssue({ error: parsed.error, value: json.value }))
}
