// Webhooks on the wire: the endpoints of a customer, the messages that they receive, and what became of each message.
import { z } from 'zod'
import { maxWebhookNameLength, maxWebhookUrlLength } from '../vocabulary/limits.ts'
import { deliveryStates, postFormats, runStatuses, webhookFormats } from '../vocabulary/vocabulary.ts'
import { type EventType, eventTypes } from './events.ts'
import { chatEvents, defaultChatEvents, defaultWebhookEvents } from './webhook-events.ts'
import { id, instant, label, nextCursor, openEnum, pageFields, requestId, text } from './wire.ts'

/** The type of the message that `POST /v1/webhooks/{id}/test` sends. */
export const webhookTestType = 'webhook.test'

/** The type of the message to people that a question without an answer is escalated. It is no event. */
export const escalationType = 'run.escalated'

const messageTypes = [...eventTypes, webhookTestType] as const
const deliveryTypes = [...messageTypes, escalationType] as const
export type DeliveryType = EventType | typeof webhookTestType | typeof escalationType

const webhookId = id('hook')
const deliveryId = z
  .string()
  .describe(
    'The `webhook-id` of the message: the id of the run, `_` and the `seq`; with `_escalated` if it says that the question is escalated',
  )

export const webhookSchema = z
  .object({
    id: webhookId,
    name: z.string().nullable().describe('Null: it has none, and its URL says which one it is'),
    url: z.string().describe('Of mail: `mailto:`'),
    format: openEnum(webhookFormats).describe(
      'How its messages look. `mail`: the settings of the service made it. It can be paused, resumed and tested',
    ),
    event_types: z.array(openEnum(eventTypes)).describe('The events that it receives'),
    paused: z.boolean().describe('Whether it was paused. Messages wait until it is resumed, for 4 days at most'),
    created_at: instant,
    updated_at: instant.describe('When it was created, changed, rotated or disabled'),
    disabled_at: instant
      .nullable()
      .describe(
        'The endpoint answered 410: nothing is sent until the webhook is resumed. Of mail: the settings of the service send this customer no mail any more. Otherwise null',
      ),
    paused_until: instant
      .nullable()
      .describe('The endpoint failed 5 times in a row: nothing is sent until then. Otherwise null'),
  })
  .meta({ id: 'Webhook' })
export type Webhook = z.infer<typeof webhookSchema>

const uniqueTypes = z
  .array(z.enum(eventTypes))
  .min(1, { error: 'must contain at least one type' })
  .refine((list) => new Set(list).size === list.length, { error: 'contains a type twice' })

const name = text(1, maxWebhookNameLength)
const url = text(1, maxWebhookUrlLength).describe('An https URL on the public Internet, on port 443')
const listed = (types: readonly string[]): string => types.map((type) => `\`${type}\``).join(', ')
const optionalTypes = () =>
  uniqueTypes.optional().meta({
    published: { type: 'array', items: { type: 'string', enum: [...eventTypes] }, minItems: 1, uniqueItems: true },
  })

export const createWebhookSchema = z
  .strictObject({
    url,
    name: name
      .optional()
      .describe(
        'Which webhook this is. A customer has one with each name, and without names one with each URL. If it is there already, nothing is changed',
      ),
    format: z
      .enum(postFormats)
      .optional()
      .describe(
        'How the messages look. `slack` and `teams` are for the incoming webhooks of these chats: a message shows what is asked, and links to the page where it is answered. Default: `standard`',
      ),
    event_types: optionalTypes().describe(
      `The events to receive. Default: ${listed(defaultWebhookEvents)}. With \`slack\` and \`teams\` only ${listed(chatEvents)}; default: ${listed(defaultChatEvents)}`,
    ),
  })
  .meta({ id: 'CreateWebhook' })
export type CreateWebhook = z.infer<typeof createWebhookSchema>

export const updateWebhookSchema = z
  .strictObject({
    name: name.nullable().optional().describe('Null takes the name away'),
    url: url.optional(),
    event_types: optionalTypes().describe('The events to receive from now on'),
    paused: z.boolean().optional().describe('`false` resumes it, also after the endpoint answered 410 or kept failing'),
  })
  .meta({ id: 'UpdateWebhook' })
export type UpdateWebhook = z.infer<typeof updateWebhookSchema>

export const rotateWebhookSchema = z
  .strictObject({
    overlap_seconds: z
      .int()
      .min(0)
      .max(2_592_000)
      .optional()
      .describe(
        'How long messages are signed with the current secret, too. 0 ends all old secrets at once. Default: 86400',
      ),
  })
  .meta({ id: 'RotateWebhook' })
export type RotateWebhook = z.infer<typeof rotateWebhookSchema>

export const webhookWithSecretSchema = z
  .object({
    webhook: webhookSchema,
    secret: z.string().describe('Begins with `whsec_`. Shown only once'),
    request_id: requestId,
  })
  .meta({ id: 'WebhookWithSecret' })
export type WebhookWithSecret = z.infer<typeof webhookWithSecretSchema>

export const createdWebhookSchema = z
  .object({
    webhook: webhookSchema,
    secret: z
      .string()
      .nullable()
      .describe('Begins with `whsec_`. Shown only once. Null: the webhook was there already, and nothing was changed'),
    request_id: requestId,
  })
  .meta({ id: 'CreatedWebhook' })
export type CreatedWebhook = z.infer<typeof createdWebhookSchema>

export const webhookResultSchema = z
  .object({ webhook: webhookSchema, request_id: requestId })
  .meta({ id: 'WebhookResult' })
export type WebhookResult = z.infer<typeof webhookResultSchema>

export const webhooksQuerySchema = z.strictObject(pageFields)
export type WebhooksQuery = z.infer<typeof webhooksQuerySchema>

export const webhookListSchema = z
  .object({ webhooks: z.array(webhookSchema), next_cursor: nextCursor, request_id: requestId })
  .meta({ id: 'WebhookList' })
export type WebhookList = z.infer<typeof webhookListSchema>

export const deliverySchema = z
  .object({
    id: deliveryId,
    run_id: id('run').describe('A test has the id of a run that does not exist'),
    seq: z.int().min(1),
    type: openEnum(deliveryTypes),
    state: openEnum(deliveryStates),
    event_at: instant,
    attempts: z.int().min(0),
    last_attempt_at: instant.nullable(),
    next_attempt_at: instant.nullable().describe('Null: it was delivered or given up'),
    response_status: z.int().nullable().describe('Of the last attempt; null without a response'),
    error: z.string().nullable().describe('Why the last attempt failed'),
  })
  .meta({ id: 'Delivery' })
export type Delivery = z.infer<typeof deliverySchema>

export const deliveriesQuerySchema = z.strictObject(pageFields)
export type DeliveriesQuery = z.infer<typeof deliveriesQuerySchema>

export const deliveryListSchema = z
  .object({ deliveries: z.array(deliverySchema), next_cursor: nextCursor, request_id: requestId })
  .meta({ id: 'DeliveryList' })
export type DeliveryList = z.infer<typeof deliveryListSchema>

export const deliveryResultSchema = z
  .object({ delivery: deliverySchema, request_id: requestId })
  .meta({ id: 'DeliveryResult' })
export type DeliveryResult = z.infer<typeof deliveryResultSchema>

export const redeliverSchema = z
  .strictObject({ delivery_id: text(1, 64).describe('The `id` of the delivery') })
  .meta({ id: 'Redeliver' })
export type Redeliver = z.infer<typeof redeliverSchema>

/** The body of a message. It says what happened, or what is asked, and the receiver reads the rest from the API. */
export const webhookMessageSchema = z
  .object({
    type: openEnum(messageTypes),
    timestamp: instant.describe('The time of the event'),
    data: z.object({
      run_id: id('run'),
      status: z.enum(runStatuses).describe('Of the run, after the event'),
      seq: z.int().min(1).describe('The `seq` of the event'),
      workspace_id: label.nullable(),
      subject_id: label.nullable(),
      awaiting_input: z
        .object({
          title: z.string().nullable().describe('Of the run'),
          prompt: z.string().nullable().describe('The question, up to 2,000 characters. Tagged values are masked'),
          tool: z.string().nullable().describe('The tool whose call the answer decides about'),
          url: z.string().nullable().describe('The run in the console'),
        })
        .optional()
        .describe('Of `run.awaiting_input`, while the question is open: what a person is asked, and where to answer'),
    }),
  })
  .meta({ id: 'WebhookMessage' })
export type WebhookMessage = z.infer<typeof webhookMessageSchema>
