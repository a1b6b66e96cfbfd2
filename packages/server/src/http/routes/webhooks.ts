// The routes below /v1/webhooks: the endpoints of the caller's customer, and the messages that they receive.
import {
  createWebhookSchema,
  describeIssue,
  redeliverSchema,
  rotateWebhookSchema,
  updateWebhookSchema,
} from '@runwright/contract'
import type { z } from 'zod'
import { parseStrictJson, smallSize } from '../../domain/json/strict-json.ts'
import { ServiceError } from '../../domain/service-error.ts'
import { toWireId } from '../../runtime/ids.ts'
import type { KeyedHash } from '../../runtime/secrets/keyed-hash.ts'
import type { Database } from '../../store/postgres/database.ts'
import { listDeliveries } from '../../store/webhooks/deliveries.ts'
import { listWebhooks } from '../../store/webhooks/webhooks.ts'
import {
  type CreatedWebhook,
  createWebhook,
  deleteWebhook,
  getWebhook,
  redeliver,
  rotateWebhook,
  testWebhook,
  updateWebhook,
  type WebhookStore,
} from '../../webhooks/manage-webhooks.ts'
import { createdOrRepeated } from '../answers/created.ts'
import { readListPage, uuidCursorOf, uuidOfCursor } from '../answers/list-page.ts'
import { repeatOf } from '../answers/repeatable.ts'
import type { Answer, Call, HandledRoute, Handlers } from '../server/response/handler.ts'
import { deliveryCursorOf, deliveryPositionOf, toWireDelivery, toWireWebhook } from './webhooks-wire.ts'

type WebhookHandlers = Pick<
  Handlers,
  Extract<HandledRoute, `${string}Webhook` | 'listWebhooks' | 'listDeliveries' | 'redeliver'>
>

interface Options extends WebhookStore {
  /** For the list of deliveries. */
  readonly reads: Database
  readonly hashBody: KeyedHash
  /** Called when a message is to be sent now. */
  readonly onDeliveries: () => void
}

const nameIn = ({ principal, id }: Pick<Call<HandledRoute>, 'principal' | 'id'>) => ({
  customerId: principal.customerId,
  id,
})
const noStore = { 'cache-control': 'no-store' }

export function webhookHandlers(options: Options): WebhookHandlers {
  const { database, hashBody, onDeliveries } = options
  return {
    createWebhook: async (call) => {
      const request = readBody(createWebhookSchema, call.body)
      const repeatable = repeatOf(call, { route: 'createWebhook', hashBody, showsSecret: true })(request)
      const created = await createWebhook(options, { ...call.principal, repeatable }, request)
      const path = `/v1/webhooks/${toWireId('hook', created.webhook.id)}`
      return createdOrRepeated(path, { isRepeated: created.isRepeated, ...withSecret(created, call.requestId) })
    },
    listWebhooks: async ({ principal: { customerId }, query, requestId }) => {
      const { items, nextCursor } = await readListPage({
        query,
        positionOf: uuidOfCursor('WEBHOOKS_QUERY_PARAMS_INVALID'),
        cursorOf: uuidCursorOf,
        read: (page) => listWebhooks(database, { customerId, ...page }),
      })
      return { body: { webhooks: items.map(toWireWebhook), next_cursor: nextCursor, request_id: requestId } }
    },
    getWebhook: async (call) => {
      const webhook = await getWebhook(database, nameIn(call))
      return { body: { webhook: toWireWebhook(webhook), request_id: call.requestId } }
    },
    updateWebhook: async (call) => {
      const request = readBody(updateWebhookSchema, call.body)
      const webhook = await updateWebhook(options, call.principal, { ...request, id: call.id })
      // What has waited is sent.
      if (request.paused === false) onDeliveries()
      return { body: { webhook: toWireWebhook(webhook), request_id: call.requestId } }
    },
    deleteWebhook: async (call) => {
      await deleteWebhook(database, call.principal, call.id)
      return { body: { id: call.id, deleted: true, request_id: call.requestId } }
    },
    rotateWebhook: async (call) => {
      const request = readBody(rotateWebhookSchema, call.body || '{}')
      const repeatable = repeatOf(call, { route: 'rotateWebhook', hashBody, showsSecret: true })(request)
      const rotation = { id: call.id, overlapSeconds: request.overlap_seconds }
      return withSecret(await rotateWebhook(options, { ...call.principal, repeatable }, rotation), call.requestId)
    },
    testWebhook: async (call) => {
      const repeatable = repeatOf(call, { route: 'testWebhook', hashBody })({})
      const delivery = await testWebhook(database, nameIn(call), repeatable)
      onDeliveries()
      return { body: { delivery: toWireDelivery(delivery), request_id: call.requestId } }
    },
    listDeliveries: (call) => readDeliveries(options, call),
    redeliver: async (call) => {
      const request = readBody(redeliverSchema, call.body)
      const repeatable = repeatOf(call, { route: 'redeliver', hashBody })(request)
      const delivery = await redeliver(database, { ...nameIn(call), deliveryId: request.delivery_id, repeatable })
      onDeliveries()
      return { body: { delivery: toWireDelivery(delivery), request_id: call.requestId } }
    },
  }
}

const withSecret = ({ webhook, secret }: CreatedWebhook, requestId: string): Answer => ({
  headers: noStore,
  body: { webhook: toWireWebhook(webhook), secret, request_id: requestId },
})

async function readDeliveries({ database, reads }: Options, call: Call<'listDeliveries'>) {
  const { customerId } = call.principal
  const { items, nextCursor } = await readListPage({
    query: call.query,
    positionOf: deliveryPositionOf,
    cursorOf: deliveryCursorOf,
    read: async (page) => {
      const { id: webhookId } = await getWebhook(database, nameIn(call))
      return listDeliveries(reads, { customerId, webhookId, ...page })
    },
  })
  return { body: { deliveries: items.map(toWireDelivery), next_cursor: nextCursor, request_id: call.requestId } }
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
