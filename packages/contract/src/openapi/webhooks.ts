// The messages that the service sends, as the `webhooks` of the OpenAPI document.
import { runId } from '../examples/ids.ts'
import { webhookMessages } from '../examples/webhooks.ts'
import type { JsonObject } from './schemas.ts'

const header = (name: string, description: string, example: string): JsonObject => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string', examples: [example] },
})

const parameters = [
  header(
    'webhook-id',
    'The id of the run, `_` and the `seq`. Equal on every attempt: ignore one you know.',
    `${runId}_7`,
  ),
  header('webhook-timestamp', 'When this attempt was made, in seconds since 1970', '1794735000'),
  header(
    'webhook-signature',
    'Signatures of `<webhook-id>.<webhook-timestamp>.<body>` by HMAC-SHA256, separated by spaces. During a rotation there are two; one that matches is enough.',
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  ),
]

const description = `Sent to each webhook of the customer whose \`event_types\` contain the type of the event, as [Standard Webhooks](https://www.standardwebhooks.com) 1.0 describes. Verify the signature before you trust the body.

Messages about one run arrive in order. Delivery is at least once. A response other than 2xx within 15 s is a failure, and so is a redirect: the message is sent again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, or later if \`Retry-After\` says so. 410 disables the webhook.`

const responses = {
  '2XX': { description: 'Received' },
  '410': { description: 'Not wanted any more: the webhook is disabled' },
  '4XX': { description: 'Failed: the message is sent again' },
}

export const webhooks: Readonly<Record<string, JsonObject>> = {
  runEvent: {
    post: {
      operationId: 'receiveRunEvent',
      tags: ['Webhooks'],
      summary: 'An event of a run',
      description,
      security: [],
      parameters,
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: { $ref: '#/components/schemas/WebhookMessage' }, examples: webhookMessages },
        },
      },
      responses,
    },
  },
}
