// The webhook routes.
import { repeatReasons } from './reasons.ts'
import {
  createWebhookSchema,
  deliveriesQuerySchema,
  deliveryListSchema,
  deliveryResultSchema,
  redeliverSchema,
  rotateWebhookSchema,
  webhookListSchema,
  webhookResultSchema,
  webhookWithSecretSchema,
} from './webhooks.ts'

const shared = { scope: 'webhooks:admin', extension: true } as const
const one = { ...shared, idOf: 'webhook' } as const

export const webhookRoutes = {
  createWebhook: {
    ...shared,
    method: 'POST',
    path: '/v1/webhooks',
    summary: 'Create a webhook',
    body: createWebhookSchema,
    bodyRequired: true,
    idempotencyKey: 'optional',
    ok: { 201: webhookWithSecretSchema, 200: webhookWithSecretSchema },
    reasons: ['WEBHOOK_PAYLOAD_INVALID', ...repeatReasons],
  },
  listWebhooks: {
    ...shared,
    method: 'GET',
    path: '/v1/webhooks',
    summary: 'List the webhooks of the customer',
    ok: { 200: webhookListSchema },
    reasons: ['WEBHOOK_PAYLOAD_INVALID'],
  },
  getWebhook: {
    ...one,
    method: 'GET',
    path: '/v1/webhooks/{id}',
    summary: 'Get a webhook',
    ok: { 200: webhookResultSchema },
    reasons: ['WEBHOOK_PAYLOAD_INVALID', 'WEBHOOK_NOT_FOUND'],
  },
  deleteWebhook: {
    ...one,
    method: 'DELETE',
    path: '/v1/webhooks/{id}',
    summary: 'Delete a webhook and its deliveries',
    ok: { 200: webhookResultSchema },
    reasons: ['WEBHOOK_NOT_FOUND'],
  },
  rotateWebhook: {
    ...one,
    method: 'POST',
    path: '/v1/webhooks/{id}/rotate',
    summary: 'Give a webhook a new secret; messages are signed with old ones, too, until their overlaps end',
    body: rotateWebhookSchema,
    idempotencyKey: 'optional',
    ok: { 200: webhookWithSecretSchema },
    reasons: ['WEBHOOK_PAYLOAD_INVALID', 'WEBHOOK_NOT_FOUND', 'LIMIT_REACHED', ...repeatReasons],
  },
  testWebhook: {
    ...one,
    method: 'POST',
    path: '/v1/webhooks/{id}/test',
    summary: 'Send a test message to a webhook',
    idempotencyKey: 'optional',
    ok: { 200: deliveryResultSchema },
    reasons: ['WEBHOOK_NOT_FOUND', 'WEBHOOK_DISABLED', ...repeatReasons],
  },
  listDeliveries: {
    ...one,
    method: 'GET',
    path: '/v1/webhooks/{id}/deliveries',
    summary: 'List the deliveries of a webhook, newest first',
    query: deliveriesQuerySchema,
    ok: { 200: deliveryListSchema },
    reasons: ['WEBHOOK_PAYLOAD_INVALID', 'WEBHOOK_NOT_FOUND', 'QUERY_TOO_EXPENSIVE'],
  },
  redeliver: {
    ...one,
    method: 'POST',
    path: '/v1/webhooks/{id}/redeliver',
    summary: 'Send a message to a webhook again',
    body: redeliverSchema,
    bodyRequired: true,
    idempotencyKey: 'optional',
    ok: { 200: deliveryResultSchema },
    reasons: [
      ...(['WEBHOOK_PAYLOAD_INVALID', 'WEBHOOK_NOT_FOUND', 'DELIVERY_NOT_FOUND', 'WEBHOOK_DISABLED'] as const),
      ...repeatReasons,
    ],
  },
} as const
