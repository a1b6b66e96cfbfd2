// The webhook routes.
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
    ok: { 201: webhookWithSecretSchema },
    reasons: ['WEBHOOK_PAYLOAD_INVALID'],
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
    summary: 'Give a webhook a new secret; messages are signed with both for the overlap',
    body: rotateWebhookSchema,
    ok: { 200: webhookWithSecretSchema },
    reasons: ['WEBHOOK_PAYLOAD_INVALID', 'WEBHOOK_NOT_FOUND'],
  },
  testWebhook: {
    ...one,
    method: 'POST',
    path: '/v1/webhooks/{id}/test',
    summary: 'Send a test message to a webhook',
    ok: { 200: deliveryResultSchema },
    reasons: ['WEBHOOK_NOT_FOUND', 'WEBHOOK_DISABLED'],
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
    ok: { 200: deliveryResultSchema },
    reasons: ['WEBHOOK_PAYLOAD_INVALID', 'WEBHOOK_NOT_FOUND', 'DELIVERY_NOT_FOUND', 'WEBHOOK_DISABLED'],
  },
} as const
